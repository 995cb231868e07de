// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/array_engine.h"

#include <algorithm>

namespace ssdvp::flash {

using namespace literals;

/// The slowest block holds up the others.
std::uint32_t array_engine::most_loops() const
{
    std::uint32_t loops = 1;
    for (const plane_index p : m_working) {
        loops = std::max(loops, m_cells.erase_loops(m_planes[p].target.at));
    }
    return loops;
}

sim_time array_engine::length_of(array_operation what, const onfi::extension& g) const
{
    const plane_registers& plane = m_planes[g.plane];
    switch (what) {
    case array_operation::read:
        return plane.next.part != page_target::all ? m_times.snap_read(g.page)
                                                   : m_times.read(g.page, g.retry, plane.next.mode);
    case array_operation::program:
        return m_config.two_pass && plane.target.mode == FLASH_MODE_NORMAL
                   ? m_times.pass(plane.target, !is_coarse(plane.target))
                   : m_times.program(g.page, plane.target);
    case array_operation::erase:
        return m_times.erase(most_loops(), plane.target.mode);
    case array_operation::parameter_page:
        return m_times.parameter_page();
    case array_operation::features:
        return m_times.features();
    default:
        return m_times.reset();
    }
}

/// Of the most worn block that the program or erase works on.
std::uint32_t array_engine::pe_cycles() const
{
    std::uint32_t most = 0;
    for (const plane_index p : m_suspension.planes()) {
        most = std::max(most, m_cells.erase_count(p, m_planes[p].target.at.block));
    }
    return most;
}

void array_engine::start(array_operation what, plane_set planes, onfi::extension& g, sim_time end)
{
    if (what == array_operation::reset) {
        m_stats = stats(); // without what it cuts short
        m_suspension.give_up();
        m_cache.give_up();
    }
    m_what = what;
    m_working = planes;
    if (what != array_operation::read) {
        m_status.begin();
    }
    const sim_time begin = end + m_tWB;
    const sim_time length = length_of(what, g);
    g.coarse = what == array_operation::program && is_coarse(m_planes[g.plane].target);
    if (what == array_operation::erase || what == array_operation::program) {
        const bool erases = what == array_operation::erase;
        m_suspension.begin(what, planes, m_times.train_of(erases, begin, length));
    }
    // The last program of a cache sequence waits for the one behind it.
    run(begin, m_cache.wait_from(begin), length, g);
    usage_of(what).add(m_line.high() - m_work_from, m_working);
}

void array_engine::start_read(onfi::extension& g, sim_time end)
{
    const sim_time begin = end + m_tWB;
    const sim_time length = later(length_of(array_operation::read, g), 1_ps);
    const bool alone = m_reads.at_work().empty();
    m_cells.prefetch_page(m_planes[g.plane].next.at);
    m_reads.start(g.plane, begin, length);
    g.ready_at = g.array_at = begin + length;
    if (alone) {
        m_line.plan(begin, g.ready_at, false);
    } else {
        m_line.stay_low(g.ready_at);
    }
}

void array_engine::start_cache(array_operation what, plane_set planes, onfi::extension& g,
                               sim_time end)
{
    const array_timing& t = m_config.timing;
    const bool programs = what == array_operation::cache_program;
    const sim_time begin = end + m_tWB;
    m_what = what;
    m_working = planes;
    m_cache.plan(what == array_operation::cache_read ? length_of(array_operation::read, g)
                 : programs                          ? length_of(array_operation::program, g)
                                                     : sim_time());
    if (programs && !m_cache.active()) {
        m_status.reset();
    }
    run(begin, m_cache.wait_from(begin), programs ? t.tCBSY : t.tRCBSY, g);
    m_stats.busy += m_cache.planned();
    usage_of(what).add(m_cache.planned(), m_working);
    g.array_at = m_line.high() + m_cache.planned();
}

/// The array works for `length` from `begin` + `wait` on.
void array_engine::run(sim_time begin, sim_time wait, sim_time length, onfi::extension& g)
{
    // R/B# must be seen low: a busy time of 0 is 1 ps.
    const sim_time end = begin + later(wait + length, 1_ps);
    m_work_from = begin + wait;
    m_stats.busy += end - m_work_from;
    if (m_what == array_operation::read || m_what == array_operation::cache_read) {
        prefetch();
    }
    m_line.plan(begin, end, m_watch != nullptr && m_what == m_suspension.what());
    g.ready_at = g.array_at = end;
}

/// The host's memory works while the array does: what data-out will ask for is in the cache then.
void array_engine::prefetch() const
{
    for (const plane_index p : m_working) {
        m_cells.prefetch_page(m_planes[p].next.at);
    }
}

/// Times are counted when they are booked; what lies ahead is taken off.
lun_stats array_engine::stats() const
{
    lun_stats s = m_stats;
    const sim_time t = now();
    if (busy()) {
        const bool cached = within_cache(m_what);
        const sim_time left = m_line.high() - later(t, m_work_from);
        const sim_time array = cached ? m_cache.planned() : left; // that is still to begin
        s.busy = s.busy - left - (cached ? array : sim_time());
        const array_operation what =
            m_what == array_operation::stopping ? m_suspension.what() : m_what;
        s.arrays[static_cast<std::size_t>(use_of(what))].take_back(array, m_working);
    }
    m_reads.take_back(s, t);
    m_cache.take_back(s, t);
    return s;
}

void array_engine::suspend(onfi::extension& g, sim_time end)
{
    g.suspended = false;
    if (m_what != m_suspension.what() || m_cache.active() || !m_suspension.may_stop()) {
        return;
    }
    const auto stop = m_suspension.stop(end, pe_cycles());
    if (!stop) {
        return;
    }
    array_time& usage = usage_of(m_what);
    m_stats.busy = m_stats.busy - (m_line.high() - *stop);
    usage.take_back(m_line.high() - *stop, m_working);
    ++m_stats.suspends;
    g.suspended = true;
    m_what = array_operation::stopping;
    const sim_time rest =
        later(*stop + m_config.erase.suspend_overhead, m_suspension.running_since() + 1_ps);
    m_stats.busy += rest - *stop;
    usage.add(rest - *stop, m_working);
    m_line.rise_at(rest);
    g.ready_at = rest;
}

bool array_engine::resume(onfi::extension& g, sim_time end)
{
    if (!m_suspension.suspended()) {
        return false;
    }
    const sim_time ramp = m_config.erase.resume_overhead;
    const sim_time begin = end + m_tWB;
    m_what = m_suspension.what();
    m_working = m_suspension.planes();
    run(begin, sim_time(), ramp + m_suspension.resume(begin + ramp), g);
    usage_of(m_what).add(m_line.high() - m_work_from, m_working);
    return true;
}

onfi::ready_change array_engine::edge()
{
    const sim_time t = now();
    if (!m_reads.at_work().empty()) {
        return plane_edge(t);
    }
    if (!busy()) {
        return {}; // planned before a suspend moved it, or before power went
    }
    if (m_line.takes_fall(t)) {
        fall();
    }
    if (t != m_line.high()) {
        return {};
    }
    finish();
    m_line.show(true);
    return {true, {}};
}

/// R/B# rises between two reads, too, if the second one's command is still on the bus.
onfi::ready_change array_engine::plane_edge(sim_time t)
{
    if (m_line.takes_fall(t)) {
        m_line.show(false);
    }
    const plane_set ended = m_reads.take_ended(t);
    for (const plane_index p : ended) {
        commit_read(p);
        m_line.show(p);
    }
    const bool more = !m_reads.at_work().empty();
    if (ended.empty() || (more && m_reads.first_begin() <= t)) {
        return {false, ended};
    }
    m_line.show(true);
    if (more) {
        m_line.plan(m_reads.first_begin(), m_reads.last_end(), false);
    }
    return {true, ended};
}

/// Of a cache sequence the watch is told when the array begins, in finish().
void array_engine::fall()
{
    if (m_watch != nullptr && m_suspension.count() == 0 && m_what == m_suspension.what()) {
        m_watch->array_begins();
    }
    m_line.show(false);
}

void array_engine::finish()
{
    switch (m_what) {
    case array_operation::stopping:
        m_suspension.stopped();
        break;
    case array_operation::cache_read:
    case array_operation::cache_end:
        m_cache.bring_forward(m_what == array_operation::cache_read, m_working, m_line.high());
        break;
    case array_operation::cache_program:
        m_cache.end_program();
        m_cache.put_behind(m_working, m_line.high());
        if (m_watch != nullptr) {
            m_watch->array_begins();
        }
        break;
    case array_operation::program:
        m_cache.end_program();
        commit();
        break;
    default:
        commit();
        break;
    }
    m_what = array_operation::idle;
}

void array_engine::commit()
{
    for (const plane_index p : m_working) {
        if (m_what == array_operation::read) {
            commit_read(p);
        } else if (m_what == array_operation::program) {
            commit_program(p);
        } else if (m_what == array_operation::erase) {
            commit_erase(p);
        }
    }
    if (m_what == m_suspension.what()) {
        m_suspension.end();
    }
}

void array_engine::commit_read(plane_index p)
{
    plane_registers& plane = m_planes[p];
    plane.holds_page = true;
    plane.noise = m_cells.sense(plane.held.at, plane.retry, plane.held.mode);
    ++m_stats.reads;
}

void array_engine::commit_program(plane_index p)
{
    plane_registers& plane = m_planes[p];
    m_stats.programs += is_coarse(plane.target) ? 0 : 1; // a page is programmed by its fine pass
    const flash_status result =
        m_cells.program(plane.target.at, plane.page, {cell_access::timed, plane.target.mode});
    if (result == FLASH_STATUS_OK && plane.carried > 0.0) {
        m_cells.carry(plane.target.at, plane.carried);
    }
    plane.latched = m_times.only_latched(plane.target);
    plane.latch = plane.target.at;
    if (result == FLASH_STATUS_OK && plane.carried_torn) {
        m_cells.tear(plane.target.at);
    }
    m_status.fail(p, result);
}

void array_engine::commit_erase(plane_index p)
{
    plane_registers& plane = m_planes[p];
    const flash_status result = m_cells.erase(plane.target.at);
    plane.holds_page = false;
    m_cells.suspended(plane.target.at, m_suspension.count());
    m_suspension.keep_count();
    ++m_stats.erases;
    m_status.fail(p, result);
}

/// The array stops where it is: a page whose program has begun and not ended is neither erased nor
/// programmed, a block whose erase has begun (it may be suspended) neither old nor clean.
void array_engine::power_off()
{
    edge();            // what is due at this instant comes first
    m_stats = stats(); // what lies ahead will not happen
    const bool train = m_suspension.what() != array_operation::idle;
    const bool resumable = train && (m_suspension.suspended() || m_suspension.count() != 0);
    const bool at_work =
        train && m_what == m_suspension.what() && m_line.low() <= now() && !m_cache.at_work(now());
    m_cache.cut_program(now());
    if (resumable || at_work || m_what == array_operation::stopping) {
        cut_array();
    }
    cut_latches();
    m_what = array_operation::idle;
    m_working = {};
    m_reads.reset();
    m_cache.reset();
    m_suspension.reset();
    m_status.reset();
    m_line.reset();
}

void array_engine::cut_array()
{
    for (const plane_index p : m_suspension.planes()) {
        const plane_registers& plane = m_planes[p];
        if (m_suspension.what() == array_operation::erase) {
            m_cells.cut_erase(plane.target.at);
            continue;
        }
        if (m_times.has_latches(plane.target.mode)) {
            tear_word_line(plane.target.at, plane.target.at.page);
        }
        m_cells.cut_program(plane.target.at, plane.page, {cell_access::timed, plane.target.mode});
    }
}

/// The pages of a word line that wait in the latches for its last one are lost.
void array_engine::cut_latches()
{
    for (const plane_registers& plane : m_planes) {
        if (plane.latched) {
            tear_word_line(plane.latch, page_index(plane.latch.page.value() + 1));
        }
    }
    m_cells.power_off();
}

/// Its pages that were loaded, from the first one on to the one before `end`.
void array_engine::tear_word_line(const cell_address& of, page_index end)
{
    const std::uint32_t in_line = of.page.value() % static_cast<std::uint32_t>(m_config.cell);
    cell_address a = of;
    for (a.page = page_index(of.page.value() - in_line); a.page < end; ++a.page) {
        if (m_config.two_pass ? m_cells.between_passes(a) : m_cells.holds(a)) {
            m_cells.tear(a);
        }
    }
}

} // namespace ssdvp::flash
