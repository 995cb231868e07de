// SPDX-License-Identifier: Apache-2.0
//
// Cache sequences of a LUN (ONFI: read cache random, sequential, end; page cache program). R/B#
// tells of the cache register, ARDY of the array that works behind it.
#include <utility>

#include "models/flash/die/lun.h"

namespace ssdvp::flash {

/// 31h or 3Fh alone: the page after the one that the array reads (or has read), in its mode, or no
/// further one.
bool lun::cache_command(onfi::extension& g, sim_time end)
{
    const bool ends = g.first == onfi::READ_CACHE_END;
    if (m_behind == array_state::program || (ends && m_behind == array_state::idle) ||
        m_mode != FLASH_MODE_NORMAL) {
        return false; // a prefix belongs to a command with an address
    }
    if (ends) {
        start_cache(array_state::cache_end, g, end);
        return true;
    }
    for (const plane_index p : m_planes.indices()) {
        plane_slot& plane = m_planes[p];
        const bool behind = m_behind != array_state::idle;
        if (behind ? !m_behind_planes.contains(p) : !plane.holds_page || p != g.plane) {
            continue;
        }
        plane.next = behind ? plane.behind : plane.address;
        plane.next_mode = behind ? plane.behind_mode : plane.mode;
        const std::uint32_t pages =
            plane.next_mode == FLASH_MODE_SLC ? slc_pages(m_config) : m_config.geo.pages_per_block;
        if ((++plane.next.page).value() >= pages) {
            return false;
        }
        g.page = plane.next.page;
        m_selected.insert(p);
    }
    start_cache(array_state::cache_read, g, end);
    return !m_working.empty();
}

/// 31h at the end of a read command: each plane's register keeps the page that is still to come
/// out.
bool lun::cache_read(onfi::extension& g, sim_time end)
{
    for (const plane_index p : m_selected) {
        const bool behind = m_behind == array_state::read && m_behind_planes.contains(p);
        if (!behind && !m_planes[p].holds_page) {
            return false;
        }
    }
    if (m_suspended || g.retry != 0) {
        return false;
    }
    start_cache(array_state::cache_read, g, end);
    return true;
}

/// A read sequence goes on with reads, a program sequence with programs; a reset ends both.
bool lun::continues_cache(const onfi::extension& g) const
{
    if (g.first == onfi::RESET_LUN) {
        return true;
    }
    return m_behind == array_state::program
               ? g.first == onfi::PROGRAM_1
               : g.first == onfi::READ_1 &&
                     (g.second == onfi::READ_CACHE || g.second == onfi::READ_MULTI_PLANE);
}

/// R/B# is low until the array is done with what it has, and for the move between registers; then
/// the array starts what was asked for.
void lun::start_cache(array_state what, onfi::extension& g, sim_time end)
{
    const array_timing& t = m_config.timing;
    const sim_time begin = end + m_tWB;
    const sim_time wait =
        m_behind != array_state::idle ? later(m_behind_end, begin) - begin : sim_time();
    m_array = what;
    m_working = m_selected;
    m_selected = {};
    m_next_length = what == array_state::cache_read      ? length_of(array_state::read, g)
                    : what == array_state::cache_program ? length_of(array_state::program, g)
                                                         : sim_time();
    if (what == array_state::cache_program && m_behind == array_state::idle) {
        m_result = m_previous_result = FLASH_STATUS_OK;
        m_failed = m_previous_failed = {};
    }
    run(begin, wait, what == array_state::cache_program ? t.tCBSY : t.tRCBSY, g);
    m_stats.busy += m_next_length;
    array_of(what).add(m_next_length, m_working);
    g.array_at = m_finish + m_next_length;
}

/// The page behind moves to the register that the bus reads, and the next one takes its place.
void lun::bring_forward()
{
    for (const plane_index p : m_planes.indices()) {
        plane_slot& plane = m_planes[p];
        if (m_behind == array_state::read && m_behind_planes.contains(p)) {
            plane.address = plane.behind;
            plane.retry = 0;
            plane.holds_page = true;
            plane.mode = plane.behind_mode;
            plane.noise = m_cells.sense(plane.address, 0, plane.mode);
            ++m_stats.reads;
        }
        if (m_working.contains(p)) {
            plane.behind = plane.next;
            plane.behind_mode = plane.next_mode;
        }
    }
    const bool more = m_array == array_state::cache_read;
    m_behind = more ? array_state::read : array_state::idle;
    m_behind_planes = more ? m_working : plane_set();
    m_behind_end = m_finish + m_next_length;
}

/// The program behind is done; what it says is FAILC from now on.
void lun::end_behind_program()
{
    m_previous_result = FLASH_STATUS_OK;
    m_previous_failed = {};
    if (m_behind != array_state::program) {
        return;
    }
    m_failed = {};
    m_result = FLASH_STATUS_OK;
    for (const plane_index p : m_behind_planes) {
        plane_slot& plane = m_planes[p];
        fail(p, m_cells.program(plane.behind, plane.behind_page,
                                {cell_access::timed, plane.behind_mode}));
        ++m_stats.programs;
    }
    m_previous_result = std::exchange(m_result, FLASH_STATUS_OK);
    m_previous_failed = std::exchange(m_failed, {});
    m_behind = array_state::idle;
}

/// The data that came with 15h go to the array.
void lun::put_behind()
{
    for (const plane_index p : m_working) {
        std::swap(m_planes[p].page, m_planes[p].behind_page);
        m_planes[p].behind = m_planes[p].target;
        m_planes[p].behind_mode = m_planes[p].target_mode;
    }
    m_behind = array_state::program;
    m_behind_planes = m_working;
    m_behind_end = m_finish + m_next_length;
    if (m_watch != nullptr) {
        m_watch->array_begins();
    }
}

} // namespace ssdvp::flash
