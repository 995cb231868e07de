// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/command_decoder.h"

#include <utility>

#include "models/flash/die/page_output.h"

namespace ssdvp::flash {

void command_decoder::reset()
{
    for (plane_registers& plane : m_planes) {
        plane.reset();
    }
    m_registers.reset();
    m_mode = FLASH_MODE_NORMAL;
    m_selected = m_loading = m_copyback = {};
    m_leaves_slc = false;
}

bool command_decoder::execute(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    m_refusal = m_array.reads().at_work().empty() ? nullptr : beside_reads(g);
    if (m_refusal == nullptr) {
        m_refusal = snap_misuse(gp, g);
    }
    if (m_refusal == nullptr && !carry_out(gp, g, end)) {
        m_refusal = "illegal command sequence";
    }
    return m_refusal == nullptr;
}

/// A read of one plane that may have others beside it: 30h or 20h, no 32h, 31h or 35h.
bool command_decoder::reads_one_plane(const onfi::extension& g) const
{
    return m_config.independent_plane_reads && g.first == onfi::READ_1 &&
           (g.second == onfi::READ_2 || g.second == onfi::SNAP_READ) &&
           (m_selected - plane_set::only(g.plane)).empty();
}

/// While planes read: what a group breaks that needs one of them, or the LUN as a whole; null =
/// nothing. Toggle and ONFI parts alike: planes owe each other nothing as long as all of them read.
const char* command_decoder::beside_reads(const onfi::extension& g) const
{
    const bool plane_reads = m_array.reads().at_work().contains(g.plane);
    switch (g.first) {
    case onfi::STATUS:
    case onfi::STATUS_ENHANCED:
    case onfi::SUSPEND:
    case onfi::MODE_SLC:
        return nullptr;
    case onfi::NO_COMMAND:
    case onfi::CHANGE_READ_COLUMN_1:
    case onfi::CHANGE_READ_COLUMN_ENHANCED_1:
        return plane_reads && g.data_out ? "data out of a plane that reads" : nullptr;
    case onfi::READ_1:
        return !reads_one_plane(g) ? "multi-plane, cache or copyback read while a plane reads"
               : plane_reads       ? "read of a plane that reads"
                                   : nullptr;
    case onfi::PROGRAM_1:
    case onfi::CHANGE_WRITE_COLUMN:
        return "program while a plane reads";
    case onfi::ERASE_1:
        return "erase while a plane reads";
    case onfi::RESUME:
        return "resume while a plane reads";
    default:
        return "command to the whole LUN while a plane reads";
    }
}

bool command_decoder::carry_out(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    const bool busy = m_array.busy();
    switch (g.first) {
    case onfi::STATUS:
    case onfi::STATUS_ENHANCED:
        status(gp, g);
        return true;
    case onfi::SUSPEND:
        m_array.suspend(g, end);
        return true;
    case onfi::NO_COMMAND:
        if (!g.data_out) {
            status(gp, g); // an empty group asks for the verdict without bus cycles
            return true;
        }
        if (m_registers.selected()) {
            m_registers.put_out(gp.get_data_ptr(), gp.get_data_length());
            return !busy;
        }
        return !busy && data_out(gp, g);
    case onfi::READ_ID:
        if (busy || !g.data_out) {
            return false;
        }
        m_registers.read_id(g.column, gp.get_data_ptr(), gp.get_data_length());
        return true;
    case onfi::READ_PARAMETER_PAGE:
    case onfi::GET_FEATURES:
    case onfi::SET_FEATURES:
        return !busy && register_command(gp, g, end);
    case onfi::CHANGE_READ_COLUMN_1:
    case onfi::CHANGE_READ_COLUMN_ENHANCED_1:
        return !busy && data_out(gp, g);
    case onfi::RESUME:
        return !busy && m_array.resume(g, end);
    case onfi::READ_CACHE:
    case onfi::READ_CACHE_END:
        return !busy && cache_command(g, end);
    case onfi::MODE_SLC:
        return !busy && prefix(FLASH_MODE_SLC);
    case onfi::MODE_SHALLOW:
        return !busy && prefix(FLASH_MODE_SHALLOW);
    case onfi::MODE_NORMAL:
        return !busy && leave_slc();
    case onfi::CHANGE_WRITE_COLUMN:
        return !busy && change_write(gp, g, end);
    default:
        return !busy && array_command(gp, g, end);
    }
}

bool command_decoder::in_part(const onfi::extension& g) const
{
    return g.block.value() < m_config.geo.blocks_per_plane &&
           g.page.value() < m_config.geo.pages_per_block;
}

bool command_decoder::array_command(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    if (!in_part(g) || (m_array.cache().active() && !continues_cache(g))) {
        return false;
    }
    give_up_load();
    m_copyback = {};
    m_leaves_slc = false;
    m_registers.deselect();
    if (g.first == onfi::READ_1) {
        return read_command(g, end);
    }
    select(g);
    plane_registers& plane = m_planes[g.plane];
    switch (g.first) {
    case onfi::PROGRAM_1:
        if (m_array.suspends().suspended()) {
            return false; // one level: its data would take the register of what is suspended
        }
        plane.target = plane.held;
        load(gp, g);
        return confirm(g, end);
    case onfi::ERASE_1:
        if (m_array.suspends().suspended()) {
            return false;
        }
        plane.target = {{g.plane, g.block, page_index(0)}, plane.held.mode};
        if (g.second == onfi::ERASE_2) {
            start_array(array_operation::erase, g, end);
        }
        return g.second == onfi::ERASE_2 || g.second == onfi::ERASE_MULTI_PLANE;
    case onfi::RESET_LUN:
        start_array(array_operation::reset, g, end);
        return true;
    default:
        return false;
    }
}

void command_decoder::select(const onfi::extension& g)
{
    plane_registers& plane = m_planes[g.plane];
    m_selected.insert(g.plane);
    plane.held = {{g.plane, g.block, g.page}, std::exchange(m_mode, FLASH_MODE_NORMAL)};
    plane.holds_page = false;
}

void command_decoder::start_array(array_operation what, onfi::extension& g, sim_time end)
{
    m_array.start(what, std::exchange(m_selected, {}), g, end);
}

void command_decoder::start_cache(array_operation what, onfi::extension& g, sim_time end)
{
    m_array.start_cache(what, std::exchange(m_selected, {}), g, end);
}

/// 00h, address, then 32h (more planes follow), 30h (read), 20h (snap read) or 31h (behind the page
/// that the register holds). Until one of the latter the register keeps what it has.
bool command_decoder::read_command(onfi::extension& g, sim_time end)
{
    plane_registers& plane = m_planes[g.plane];
    const bool snap = g.second == onfi::SNAP_READ;
    plane.next = {{g.plane, g.block, g.page},
                  std::exchange(m_mode, FLASH_MODE_NORMAL),
                  snap ? g.column / m_config.snap_bytes : page_target::all};
    m_cells.prefetch_block(plane.next.at);
    m_selected.insert(g.plane);
    if (g.second == onfi::READ_CACHE) {
        return cache_read(g, end);
    }
    if (!m_array.cache().active()) {
        plane.retry = g.retry;
    }
    if (reads_one_plane(g)) {
        start_read(g, end);
        return true;
    }
    const bool copies = g.second == onfi::COPYBACK_READ;
    const bool ends = g.second == onfi::READ_2 || snap || copies;
    if (ends) {
        const plane_set planes = m_selected;
        for (const plane_index p : planes) {
            m_planes[p].held = m_planes[p].next;
            m_planes[p].holds_page = false;
        }
        start_array(array_operation::read, g, end);
        m_copyback = copies ? planes : plane_set();
    }
    return ends || g.second == onfi::READ_MULTI_PLANE;
}

/// 30h or 20h of a part whose planes read by themselves.
void command_decoder::start_read(onfi::extension& g, sim_time end)
{
    plane_registers& plane = m_planes[g.plane];
    plane.held = plane.next;
    plane.holds_page = false;
    m_selected = {};
    m_array.start_read(g, end);
}

/// 31h or 3Fh alone: the page after the one that the array reads (or has read), in its mode, or no
/// further one.
bool command_decoder::cache_command(onfi::extension& g, sim_time end)
{
    const cache_sequence& cache = m_array.cache();
    const bool ends = g.first == onfi::READ_CACHE_END;
    if (cache.what() == array_operation::program || (ends && !cache.active()) ||
        m_mode != FLASH_MODE_NORMAL) {
        return false; // a prefix belongs to a command with an address
    }
    if (ends) {
        start_cache(array_operation::cache_end, g, end);
        return true;
    }
    for (const plane_index p : m_planes.indices()) {
        plane_registers& plane = m_planes[p];
        const bool behind = cache.active();
        if (behind ? !cache.planes().contains(p) : !plane.holds_page || p != g.plane) {
            continue;
        }
        plane.next = behind ? plane.behind : plane.held;
        const std::uint32_t pages =
            plane.next.mode == FLASH_MODE_SLC ? slc_pages(m_config) : m_config.geo.pages_per_block;
        ++plane.next.at.page;
        if (plane.next.at.page.value() >= pages) {
            return false;
        }
        g.page = plane.next.at.page;
        m_selected.insert(p);
    }
    const bool any = !m_selected.empty();
    start_cache(array_operation::cache_read, g, end);
    return any;
}

/// 31h at the end of a read command: each plane's register keeps the page that is still to come
/// out.
bool command_decoder::cache_read(onfi::extension& g, sim_time end)
{
    for (const plane_index p : m_selected) {
        if (!m_array.cache().reads(p) && !m_planes[p].holds_page) {
            return false;
        }
    }
    if (m_array.suspends().suspended() || g.retry != 0) {
        return false;
    }
    start_cache(array_operation::cache_read, g, end);
    return true;
}

/// A read sequence goes on with reads, a program sequence with programs; a reset ends both.
bool command_decoder::continues_cache(const onfi::extension& g) const
{
    if (g.first == onfi::RESET_LUN) {
        return true;
    }
    return m_array.cache().what() == array_operation::program
               ? g.first == onfi::PROGRAM_1
               : g.first == onfi::READ_1 &&
                     (g.second == onfi::READ_CACHE || g.second == onfi::READ_MULTI_PLANE);
}

bool command_decoder::data_out(tlm::tlm_generic_payload& gp, onfi::extension& g)
{
    const plane_registers& plane = m_planes[g.plane];
    if (plane.holds_page) {
        send_page(m_cells, plane, gp, g);
    }
    return plane.holds_page;
}

/// The vendor's command cycle before 00h, 80h or 60h.
bool command_decoder::prefix(flash_program_mode mode)
{
    if (!m_array.times().has_mode(mode)) {
        return false;
    }
    m_mode = mode;
    return true;
}

/// ... before 85h c r.
bool command_decoder::leave_slc()
{
    m_leaves_slc = m_config.slc_copyback && !m_copyback.empty();
    return m_leaves_slc;
}

void command_decoder::load(const tlm::tlm_generic_payload& gp, const onfi::extension& g)
{
    plane_registers& plane = m_planes[g.plane];
    plane.carried = 0.0;
    plane.carried_torn = false;
    plane.page.begin(m_config.data == data_mode::full ? data_form::bytes : form_of(gp));
    put_in(gp, g);
}

void command_decoder::put_in(const tlm::tlm_generic_payload& gp, const onfi::extension& g)
{
    page_register& page = m_planes[g.plane].page;
    if (gp.get_command() == tlm::TLM_WRITE_COMMAND) {
        page.put_data(g.column, gp.get_data_ptr(), gp.get_data_length());
    }
    page.put_oob(g.oob, g.oob_length);
}

/// The command cycle after data in; without one the register stays open (Change Write Column).
bool command_decoder::confirm(onfi::extension& g, sim_time end)
{
    m_loading = {};
    switch (g.second) {
    case onfi::NO_COMMAND:
        m_loading = plane_set::only(g.plane);
        return true;
    case onfi::PROGRAM_2:
        start_array(array_operation::program, g, end);
        return true;
    case onfi::PROGRAM_CACHE:
        start_cache(array_operation::cache_program, g, end);
        return true;
    default:
        return g.second == onfi::PROGRAM_MULTI_PLANE;
    }
}

/// 85h c: more bytes into the register that 80h opened. 85h c r: a copyback.
bool command_decoder::change_write(const tlm::tlm_generic_payload& gp, onfi::extension& g,
                                   sim_time end)
{
    if (g.row_cycles != 0) {
        return program_copy(gp, g, end);
    }
    if (m_loading != plane_set::only(g.plane) || !g.data_in) {
        return false;
    }
    put_in(gp, g);
    return confirm(g, end);
}

/// 85h c r: the register becomes the page of another address of the plane, bit errors included.
bool command_decoder::program_copy(const tlm::tlm_generic_payload& gp, onfi::extension& g,
                                   sim_time end)
{
    if (!m_copyback.contains(g.plane) || m_array.suspends().suspended() || !in_part(g)) {
        return false;
    }
    plane_registers& plane = m_planes[g.plane];
    m_copyback.erase(g.plane);
    m_cells.copy_to(plane.page, plane.held.at, m_copy);
    put_in(gp, g);
    plane.carried = plane.noise.rber;
    plane.carried_torn = plane.noise.torn;
    plane.held.at = {g.plane, g.block, g.page};
    if (std::exchange(m_leaves_slc, false)) {
        plane.held.mode = FLASH_MODE_NORMAL;
    }
    plane.target = plane.held;
    plane.holds_page = false;
    m_selected.insert(g.plane);
    return confirm(g, end);
}

/// Another command came instead of the confirm: that plane takes no part in it.
void command_decoder::give_up_load()
{
    m_selected = m_selected - m_loading;
    m_loading = {};
}

void command_decoder::status(tlm::tlm_generic_payload& gp, onfi::extension& g) const
{
    unsigned value = onfi::STATUS_NOT_PROTECTED | m_array.status().report(g);
    if (g.data_out) {
        const plane_set reading = m_array.reads().at_work();
        const bool reads =
            g.first == onfi::STATUS_ENHANCED ? reading.contains(g.plane) : !reading.empty();
        value |= m_array.busy() || reads ? 0u : onfi::STATUS_RDY;
        value |= m_array.array_busy() || reads ? 0u : onfi::STATUS_ARDY;
        *gp.get_data_ptr() = static_cast<unsigned char>(value);
    }
}

bool command_decoder::register_command(tlm::tlm_generic_payload& gp, onfi::extension& g,
                                       sim_time end)
{
    if (m_array.suspends().suspended() || g.column > 0xFF ||
        (g.first == onfi::SET_FEATURES) != g.data_in) {
        return false;
    }
    if (g.first == onfi::READ_PARAMETER_PAGE) {
        m_registers.select_parameter_page();
        start_array(array_operation::parameter_page, g, end);
        return true;
    }
    if (g.first == onfi::GET_FEATURES) {
        get_feature(g.column);
    } else if (!set_feature(g.column, gp.get_data_ptr(), gp.get_data_length())) {
        return false;
    }
    start_array(array_operation::features, g, end);
    return true;
}

namespace {

unsigned char byte_of(std::uint64_t value, unsigned n)
{
    return static_cast<unsigned char>(value >> (8 * n));
}

} // namespace

/// Vendor features: the suspend policy, and the counts that Get Features gives
/// (models/regs/channel_regs.h). All other addresses keep their bytes without effect. False when
/// the value is none that the die knows: it keeps what it has.
bool command_decoder::set_feature(std::uint32_t address, const unsigned char* value,
                                  std::size_t count)
{
    if (address == FLASH_FEATURE_SUSPEND_COUNTS || count < die_registers::feature_bytes) {
        return false;
    }
    if (address == FLASH_FEATURE_SUSPEND_POLICY && !m_array.suspends().set(value[0], value[1])) {
        return false;
    }
    m_registers.set_feature(address, value, count);
    return true;
}

void command_decoder::get_feature(std::uint32_t address)
{
    const suspension& suspends = m_array.suspends();
    if (address == FLASH_FEATURE_SUSPEND_COUNTS) {
        const std::uint64_t all = m_array.suspend_count();
        const unsigned char counts[die_registers::feature_bytes] = {
            byte_of(suspends.of_last_erase(), 0), byte_of(suspends.of_last_erase(), 1),
            byte_of(all, 0), byte_of(all, 1)};
        m_registers.set_feature(address, counts, sizeof counts);
    } else if (address == FLASH_FEATURE_SUSPEND_POLICY) {
        const suspend_setting& s = suspends.setting();
        const unsigned char setting[die_registers::feature_bytes] = {
            s.id, s.programs ? std::uint8_t{1} : std::uint8_t{0}, 0, 0};
        m_registers.set_feature(address, setting, sizeof setting);
    }
    m_registers.select_feature(address);
}

} // namespace ssdvp::flash
