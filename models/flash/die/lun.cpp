// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/lun.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ssdvp::flash {

using namespace literals;

lun::lun(const sc_core::sc_module_name& name, const die_config& config, const cycle_times& bus,
         fault_log* faults, die_index die)
    : block(name), in("in"), rb("rb"), m_config(config), m_tWB(bus.tWB), m_tFEAT(bus.tFEAT),
      m_faults(faults), m_cells(config, this->name(), faults, die), m_registers(config, bus),
      m_suspend(power_up_setting(config.suspend))
{
    m_planes.reserve(config.geo.planes);
    for (std::uint32_t p = 0; p < config.geo.planes; ++p) {
        m_planes.emplace_back(config.geo.page_size, config.stored_oob);
    }
    in.register_nb_transport_fw(this, &lun::nb_transport_fw);
    rb.initialize(true);
}

lun::~lun() = default;

tlm::tlm_sync_enum lun::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay)
{
    onfi::extension* g = gp.get_extension<onfi::extension>();
    const bool addressed = g != nullptr && m_planes.has(g->plane);
    if (phase != tlm::BEGIN_REQ || !addressed ||
        !execute(gp, *g, now() + sim_time::from_sc(delay))) {
        if (m_faults != nullptr) {
            m_faults->record(name(), "illegal command sequence");
        }
        gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool lun::execute(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    switch (g.first) {
    case onfi::STATUS:
    case onfi::STATUS_ENHANCED:
        status(gp, g);
        return true;
    case onfi::SUSPEND:
        suspend(g, end);
        return true;
    case onfi::NO_COMMAND:
        if (!g.data_out) {
            status(gp, g); // an empty group asks for the verdict without bus cycles
            return true;
        }
        if (m_registers.selected()) {
            m_registers.put_out(gp.get_data_ptr(), gp.get_data_length());
            return !busy();
        }
        return !busy() && data_out(gp, g);
    case onfi::READ_ID:
        if (busy() || !g.data_out) {
            return false;
        }
        m_registers.read_id(g.column, gp.get_data_ptr(), gp.get_data_length());
        return true;
    case onfi::READ_PARAMETER_PAGE:
    case onfi::GET_FEATURES:
    case onfi::SET_FEATURES:
        return !busy() && register_command(gp, g, end);
    case onfi::CHANGE_READ_COLUMN_1:
    case onfi::CHANGE_READ_COLUMN_ENHANCED_1:
        return !busy() && data_out(gp, g);
    case onfi::RESUME:
        return !busy() && resume(g, end);
    case onfi::READ_CACHE:
    case onfi::READ_CACHE_END:
        return !busy() && cache_command(g, end);
    case onfi::MODE_SLC:
    case onfi::MODE_SHALLOW:
        return !busy() && prefix(g.first);
    case onfi::CHANGE_WRITE_COLUMN:
        return !busy() && change_write(gp, g, end);
    default:
        return !busy() && array_command(gp, g, end);
    }
}

bool lun::array_command(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    const geometry& geo = m_config.geo;
    if (g.block.value() >= geo.blocks_per_plane || g.page.value() >= geo.pages_per_block) {
        return false;
    }
    if (m_behind != array_state::idle && !continues_cache(g)) {
        return false;
    }
    give_up_load();
    m_copyback = {};
    m_registers.deselect();
    if (g.first == onfi::READ_1) {
        return read_command(g, end);
    }
    select(g);
    switch (g.first) {
    case onfi::PROGRAM_1:
        if (m_suspended) {
            return false; // one level: its data would take the register of what is suspended
        }
        m_planes[g.plane].target = m_planes[g.plane].address;
        m_planes[g.plane].target_mode = m_planes[g.plane].mode;
        load(gp, g);
        return confirm(g, end);
    case onfi::ERASE_1:
        if (m_suspended) {
            return false;
        }
        m_planes[g.plane].target = {g.plane, g.block, page_index(0)};
        m_planes[g.plane].target_mode = m_planes[g.plane].mode;
        if (g.second == onfi::ERASE_2) {
            start_array(array_state::erase, g, end);
        }
        return g.second == onfi::ERASE_2 || g.second == onfi::ERASE_MULTI_PLANE;
    case onfi::RESET_LUN:
        start_array(array_state::reset, g, end);
        return true;
    default:
        return false;
    }
}

/// 00h, address, then 32h (more planes follow), 30h (read) or 31h (behind the page that the
/// register holds). Until one of the latter the register keeps what it has.
bool lun::read_command(onfi::extension& g, sim_time end)
{
    plane_slot& plane = m_planes[g.plane];
    plane.next = {g.plane, g.block, g.page};
    m_cells.prefetch_block(plane.next);
    m_selected.insert(g.plane);
    plane.next_mode = std::exchange(m_mode, FLASH_MODE_NORMAL);
    if (g.second == onfi::READ_CACHE) {
        return cache_read(g, end);
    }
    if (m_behind == array_state::idle) {
        plane.retry = g.retry;
    }
    const bool copies = g.second == onfi::COPYBACK_READ;
    const bool ends = g.second == onfi::READ_2 || copies;
    if (ends) {
        for (const plane_index i : m_selected) {
            plane_slot& p = m_planes[i];
            p.address = p.next;
            p.mode = p.next_mode;
            p.holds_page = false;
        }
        start_array(array_state::read, g, end);
        m_copyback = copies ? m_working : plane_set();
    }
    return ends || g.second == onfi::READ_MULTI_PLANE;
}

bool lun::register_command(tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    if (m_suspended || g.column > 0xFF || (g.first == onfi::SET_FEATURES) != g.data_in) {
        return false;
    }
    if (g.first == onfi::READ_PARAMETER_PAGE) {
        m_registers.select_parameter_page();
        start_array(array_state::parameter_page, g, end);
        return true;
    }
    if (g.first == onfi::GET_FEATURES) {
        get_feature(g.column);
    } else if (!set_feature(g.column, gp.get_data_ptr(), gp.get_data_length())) {
        return false;
    }
    start_array(array_state::features, g, end);
    return true;
}

void lun::select(const onfi::extension& g)
{
    m_selected.insert(g.plane);
    m_planes[g.plane].address = {g.plane, g.block, g.page};
    m_planes[g.plane].holds_page = false;
    m_planes[g.plane].mode = std::exchange(m_mode, FLASH_MODE_NORMAL);
}

void lun::load(const tlm::tlm_generic_payload& gp, const onfi::extension& g)
{
    page_register& page = m_planes[g.plane].page;
    m_planes[g.plane].carried = 0.0;
    m_planes[g.plane].carried_torn = false;
    page.begin(m_config.data == data_mode::full ? data_form::bytes : form_of(gp));
    put_in(gp, g);
}

bool lun::data_out(tlm::tlm_generic_payload& gp, onfi::extension& g)
{
    plane_slot& p = m_planes[g.plane];
    if (!p.holds_page) {
        return false;
    }
    if (gp.get_command() == tlm::TLM_READ_COMMAND) {
        // The cells cannot have changed since the array read: that would have emptied the register.
        m_cells.read_data(p.address, {p.address.page, g.column, gp.get_data_length()}, form_of(gp),
                          gp.get_data_ptr());
    }
    if (g.oob_length != 0) {
        m_cells.read_oob(p.address, g.oob, g.oob_length);
    }
    g.bit_errors = 0;
    g.torn = p.noise.torn;
    if (p.noise.rber > 0.0 && g.codeword != 0 && gp.get_command() == tlm::TLM_READ_COMMAND) {
        err(gp, g, p.noise);
    }
    return true;
}

/// The bit errors of the code words that the data touch. A page read in several pieces has the same
/// errors in each: they were made by the array.
void lun::err(tlm::tlm_generic_payload& gp, onfi::extension& g, const page_noise& noise) const
{
    const std::uint32_t length = gp.get_data_length();
    const page_piece piece{gp.get_data_ptr(), g.column, length, form_of(gp)};
    const std::uint32_t first = g.column / g.codeword;
    const std::uint32_t last = (g.column + length - 1) / g.codeword;
    for (std::uint32_t word = first; word <= last; ++word) {
        const std::uint32_t bits = bits_in_word(noise, word, g.codeword);
        g.word_errors[word - first] = static_cast<std::uint16_t>(bits);
        g.bit_errors += bits;
        spoil(piece, {noise.key, word, g.codeword, bits});
    }
    g.error_key = noise.key;
}

void lun::status(tlm::tlm_generic_payload& gp, onfi::extension& g) const
{
    const bool enhanced = g.first == onfi::STATUS_ENHANCED;
    const plane_set asked = enhanced ? plane_set::only(g.plane) : plane_set(~0u);
    const plane_set failed = m_failed & asked;
    g.plane_fail = failed;
    g.result = static_cast<std::uint8_t>(!failed.empty() ? m_result : FLASH_STATUS_OK);
    const plane_set earlier = m_previous_failed & asked;
    g.previous_fail = earlier;
    g.previous_result =
        static_cast<std::uint8_t>(!earlier.empty() ? m_previous_result : FLASH_STATUS_OK);
    if (g.data_out) {
        unsigned value = onfi::STATUS_NOT_PROTECTED;
        value |= !failed.empty() ? onfi::STATUS_FAIL : 0u;
        value |= !earlier.empty() ? onfi::STATUS_FAILC : 0u;
        value |= busy() ? 0u : onfi::STATUS_RDY;
        const bool behind = m_behind != array_state::idle && now() < m_behind_end;
        value |= busy() || behind || m_suspended ? 0u : onfi::STATUS_ARDY;
        *gp.get_data_ptr() = static_cast<unsigned char>(value);
    }
}

sim_time lun::length_of(array_state what, const onfi::extension& g) const
{
    const array_timing& t = m_config.timing;
    if (const sim_time special = special_length(what, g); special != sim_time()) {
        return special;
    }
    switch (what) {
    case array_state::read:
        return g.retry != 0 && t.tR_retry != sim_time() ? t.tR_retry
                                                        : t.tR[g.page.value() % t.tR.size()];
    case array_state::program:
        return t.tPROG[g.page.value() % t.tPROG.size()];
    case array_state::erase: {
        std::uint32_t loops = 1; // the slowest block holds up the others
        for (const plane_index p : m_working) {
            loops = std::max(loops, m_cells.erase_loops(m_planes[p].target));
        }
        return loops * m_config.erase.loop_time;
    }
    case array_state::parameter_page:
        return t.tR.front();
    case array_state::features:
        return m_tFEAT;
    default:
        return t.tRST;
    }
}

/// A program is stopped only between its loops, so only those matter.
pulse_train lun::train_of(array_state what, sim_time begin, sim_time length) const
{
    pulse_train train;
    train.length = length;
    train.resumed = begin;
    if (what == array_state::erase) {
        train.loop = m_config.erase.loop_time;
        train.ramp = m_config.erase.ramp;
        train.recovery = m_config.erase.recovery;
    } else {
        train.loop = later(earlier(m_config.program_loop, length), 1_ps);
        train.safe_points = 1;
    }
    return train;
}

/// Of the most worn block that the program or erase works on.
std::uint32_t lun::pe_cycles() const
{
    std::uint32_t most = 0;
    for (const plane_index p : m_train_planes) {
        most = std::max(most, m_cells.erase_count(p, m_planes[p].target.block));
    }
    return most;
}

void lun::start_array(array_state what, onfi::extension& g, sim_time end)
{
    if (what == array_state::reset) {
        m_stats = stats(); // without what it cuts short
    }
    m_array = what;
    m_working = m_selected;
    m_selected = {};
    if (what != array_state::read) {
        m_result = FLASH_STATUS_OK;
        m_failed = {};
    }
    if (what == array_state::reset) {
        m_suspended = false;
        m_pulsed = array_state::idle;
        m_behind = array_state::idle;
    }
    const sim_time length = length_of(what, g);
    if (what == array_state::erase || what == array_state::program) {
        m_train = train_of(what, end + m_tWB, length);
        m_pulsed = what;
        m_train_planes = m_working;
        m_train_suspends = 0;
    }
    const sim_time begin = end + m_tWB;
    // The last program of a cache sequence waits for the one behind it.
    const sim_time wait =
        m_behind != array_state::idle ? later(m_behind_end, begin) - begin : sim_time();
    run(begin, wait, length, g);
    array_of(what).add(m_finish - m_work_from, m_working);
}

/// The array works for `length` from `begin` + `wait` on.
void lun::run(sim_time begin, sim_time wait, sim_time length, onfi::extension& g)
{
    // R/B# must be seen low: a busy time of 0 is 1 ps.
    m_low = begin;
    m_finish = begin + later(wait + length, 1_ps);
    m_work_from = begin + wait;
    m_stats.busy += m_finish - m_work_from;
    m_fallen = false;
    if (m_array == array_state::read || m_array == array_state::cache_read) {
        prefetch();
    }
    const bool watched = m_watch != nullptr && m_array == m_pulsed;
    if (watched || m_traced || m_observer != nullptr) {
        m_clock->edge_at(m_number, begin);
    }
    m_clock->edge_at(m_number, m_finish);
    g.ready_at = g.array_at = m_finish;
}

std::size_t lun::use_of(array_state what) const
{
    const array_state does = what == array_state::stopping ? m_pulsed : what;
    const array_use use =
        does == array_state::read || does == array_state::cache_read         ? array_use::read
        : does == array_state::program || does == array_state::cache_program ? array_use::program
        : does == array_state::erase                                         ? array_use::erase
                                                                             : array_use::other;
    return static_cast<std::size_t>(use);
}

/// Times are counted when they are booked; what lies ahead is taken off.
lun_stats lun::stats() const
{
    lun_stats s = m_stats;
    const sim_time t = now();
    const bool cached = m_array == array_state::cache_read || m_array == array_state::cache_end ||
                        m_array == array_state::cache_program;
    if (busy()) {
        const sim_time left = m_finish - later(t, m_work_from);
        const sim_time array = cached ? m_next_length : left; // that is still to begin
        s.busy = s.busy - left - (cached ? array : sim_time());
        s.arrays[use_of(m_array)].take_back(array, m_working);
    }
    if (m_behind != array_state::idle) {
        const sim_time left = m_behind_end - t;
        s.busy = s.busy - left;
        s.arrays[use_of(m_behind)].take_back(left, m_behind_planes);
    }
    return s;
}

bool lun::may_suspend() const
{
    if (m_array != m_pulsed || m_behind != array_state::idle) {
        return false;
    }
    const bool stoppable = m_array == array_state::erase     ? m_suspend.policy->interrupts()
                           : m_array == array_state::program ? m_suspend.programs
                                                             : false;
    const std::uint32_t limit = m_config.suspend.limit;
    return stoppable && (limit == 0 || m_train_suspends < limit);
}

void lun::suspend(onfi::extension& g, sim_time end)
{
    g.suspended = false;
    if (!may_suspend()) {
        return;
    }
    if (m_array == array_state::erase) {
        m_train.safe_points = m_suspend.policy->safe_points(m_config.suspend, pe_cycles());
    }
    const auto stop = m_train.stop(end);
    if (!stop) {
        return;
    }
    m_train.done += *stop - m_train.resumed;
    m_stats.busy = m_stats.busy - (m_finish - *stop);
    array_of(m_array).take_back(m_finish - *stop, m_working);
    ++m_stats.suspends;
    ++m_train_suspends;
    g.suspended = true;
    m_array = array_state::stopping;
    m_finish = later(*stop + m_config.erase.suspend_overhead, m_train.resumed + 1_ps);
    m_stats.busy += m_finish - *stop;
    array_of(m_array).add(m_finish - *stop, m_working);
    m_clock->edge_at(m_number, m_finish); // the rise planned before comes to nothing
    g.ready_at = m_finish;
}

bool lun::resume(onfi::extension& g, sim_time end)
{
    if (!m_suspended) {
        return false;
    }
    m_suspended = false;
    m_array = m_pulsed;
    m_working = m_train_planes;
    const sim_time ramp = m_config.erase.resume_overhead;
    m_train.resumed = end + m_tWB + ramp;
    run(end + m_tWB, sim_time(), ramp + (m_train.length - m_train.done), g);
    array_of(m_array).add(m_finish - m_work_from, m_working);
    return true;
}

/// A fall that nobody looks at is not on the agenda, and is made up for when R/B# rises.
bool lun::edge()
{
    const sim_time t = now();
    if (m_array == array_state::idle) {
        return false; // planned before a suspend moved it, or before power went
    }
    if (t >= m_low && !m_fallen) {
        fall();
    }
    if (t != m_finish) {
        return false;
    }
    finish();
    show(true);
    return true;
}

void lun::fall()
{
    m_fallen = true;
    if (m_watch != nullptr && m_train_suspends == 0 && m_array == m_pulsed) {
        m_watch->array_begins(); // of a cache sequence see put_behind()
    }
    show(false);
}

void lun::show(bool high)
{
    if (m_traced) {
        rb.write(high);
    }
    if (m_observer != nullptr) {
        m_observer->ready_edge(m_number, high, now());
    }
}

/// The host's memory works while the array does: what data-out will ask for is in the cache then.
void lun::prefetch() const
{
    for (const plane_index p : m_working) {
        m_cells.prefetch_page(m_planes[p].next);
    }
}

void lun::finish()
{
    switch (m_array) {
    case array_state::stopping:
        m_suspended = true;
        break;
    case array_state::cache_read:
    case array_state::cache_end:
        bring_forward();
        break;
    case array_state::cache_program:
        end_behind_program();
        put_behind();
        break;
    default:
        if (m_array == array_state::program) {
            end_behind_program();
        }
        commit();
        break;
    }
    m_array = array_state::idle;
}

void lun::fail(plane_index plane, flash_status result)
{
    if (result != FLASH_STATUS_OK) {
        m_failed.insert(plane);
        // A firmware error must not hide behind a worn block of another plane.
        m_result = m_result == FLASH_STATUS_PHYSICS ? m_result : result;
    }
}

void lun::commit()
{
    for (const plane_index p : m_working) {
        plane_slot& plane = m_planes[p];
        flash_status result = FLASH_STATUS_OK;
        if (m_array == array_state::read) {
            plane.holds_page = true;
            plane.noise = m_cells.sense(plane.address, plane.retry, plane.mode);
            ++m_stats.reads;
        } else if (m_array == array_state::program) {
            result =
                m_cells.program(plane.target, plane.page, {cell_access::timed, plane.target_mode});
            ++m_stats.programs;
            if (result == FLASH_STATUS_OK && plane.carried > 0.0) {
                m_cells.carry(plane.target, plane.carried);
            }
            plane.latched = only_latched(plane.target, plane.target_mode);
            plane.latch = plane.target;
            if (result == FLASH_STATUS_OK && plane.carried_torn) {
                m_cells.tear(plane.target);
            }
        } else if (m_array == array_state::erase) {
            result = m_cells.erase(plane.target);
            plane.holds_page = false;
            m_cells.suspended(plane.target, m_train_suspends);
            m_erase_suspends = m_train_suspends;
            ++m_stats.erases;
        }
        fail(p, result);
    }
    if (m_array == m_pulsed) {
        m_pulsed = array_state::idle;
    }
}

} // namespace ssdvp::flash
