// SPDX-License-Identifier: Apache-2.0
//
// Power goes. The array stops where it is: a page whose program has begun and not ended is neither
// erased nor programmed, a block whose erase has begun (it may be suspended) neither old nor clean.
#include <cstdint>

#include "models/flash/die/lun.h"

namespace ssdvp::flash {

void lun::power_off()
{
    edge();            // what is due at this instant comes first
    m_stats = stats(); // what lies ahead will not happen
    const bool train = m_pulsed != array_state::idle;
    const bool resumable = train && (m_suspended || m_train_suspends != 0);
    const bool at_work = train && m_array == m_pulsed && m_low <= now() &&
                         (m_behind == array_state::idle || m_behind_end <= now());
    if (m_behind == array_state::program) {
        cut_behind();
    }
    if (resumable || at_work || m_array == array_state::stopping) {
        cut_array();
    }
    cut_latches();
    reset_registers();
}

/// The program behind a cache register; its end is seen only with the next command.
void lun::cut_behind()
{
    if (m_behind_end <= now()) {
        end_behind_program();
        return;
    }
    for (const plane_index p : m_behind_planes) {
        plane_slot& plane = m_planes[p];
        m_cells.cut_program(plane.behind, plane.behind_page,
                            {cell_access::timed, plane.behind_mode});
    }
}

void lun::cut_array()
{
    for (const plane_index p : m_train_planes) {
        plane_slot& plane = m_planes[p];
        if (m_pulsed == array_state::erase) {
            m_cells.cut_erase(plane.target);
            continue;
        }
        m_cells.cut_program(plane.target, plane.page, {cell_access::timed, plane.target_mode});
        if (m_config.one_pass && plane.target_mode == FLASH_MODE_NORMAL) {
            tear_word_line(plane.target);
        }
    }
}

/// One-pass parts: the pages of a word line that wait in the latches for its last one are lost.
void lun::cut_latches()
{
    for (plane_slot& plane : m_planes) {
        if (plane.latched) {
            tear_word_line(plane.latch);
        }
    }
}

void lun::tear_word_line(const cell_address& last)
{
    const std::uint32_t in_line = last.page.value() % static_cast<std::uint32_t>(m_config.cell);
    cell_address a = last;
    for (a.page = page_index(last.page.value() - in_line); a.page <= last.page; ++a.page) {
        if (m_cells.holds(a)) {
            m_cells.tear(a);
        }
    }
}

void lun::reset_registers()
{
    for (plane_slot& plane : m_planes) {
        plane.holds_page = plane.latched = plane.carried_torn = false;
        plane.retry = 0;
        plane.mode = plane.target_mode = plane.next_mode = plane.behind_mode = FLASH_MODE_NORMAL;
    }
    m_registers.reset();
    m_array = m_pulsed = m_behind = array_state::idle;
    m_fallen = false;
    m_mode = FLASH_MODE_NORMAL;
    m_selected = m_loading = m_copyback = m_working = {};
    m_train_planes = m_behind_planes = {};
    m_train_suspends = m_erase_suspends = 0;
    m_suspend = power_up_setting(m_config.suspend);
    m_suspended = false;
    m_result = m_previous_result = FLASH_STATUS_OK;
    m_failed = m_previous_failed = {};
    if (m_traced) {
        rb.write(true);
    }
}

} // namespace ssdvp::flash
