// SPDX-License-Identifier: Apache-2.0
//
// The array of a LUN at work: when R/B# is low, what the cells hold afterwards, and what was done.
// Contents change at the moment R/B# rises.
#pragma once

#include "models/flash/bus/interface_modes.h"
#include "models/flash/die/array_watch.h"
#include "models/flash/die/cache_sequence.h"
#include "models/flash/die/operation_times.h"
#include "models/flash/die/plane_reads.h"
#include "models/flash/die/ready_busy.h"
#include "models/flash/die/suspend/suspension.h"

namespace ssdvp::flash {

class array_engine {
public:
    /// Of the bus, tWB and tFEAT count. What is referred to outlives this; `pin`: R/B#.
    array_engine(const die_config& config, const cycle_times& bus, cell_array& cells,
                 plane_bank& planes, sc_core::sc_out<bool>& pin)
        : m_config(config), m_cells(cells), m_planes(planes), m_times(config, bus), m_tWB(bus.tWB),
          m_line(pin), m_suspension(config.suspend), m_reads(config.geo.planes, m_stats),
          m_cache(cells, planes, m_status, m_stats)
    {}
    array_engine(const array_engine&) = delete;
    array_engine& operator=(const array_engine&) = delete;

    void watch(array_watch* watch) { m_watch = watch; }

    /// The array works on `planes` as soon as the cycles of `g` have ended, at `end`.
    void start(array_operation what, plane_set planes, onfi::extension& g, sim_time end);
    /// The array of one plane reads what is next for it, as soon as the cycles of `g` have ended,
    /// at `end`. Precondition: nothing but such reads of other planes is at work.
    void start_read(onfi::extension& g, sim_time end);
    /// 31h, 3Fh, 15h: R/B# is low until the array is done with what it has, and for the move
    /// between registers; then the array starts what was asked for.
    void start_cache(array_operation what, plane_set planes, onfi::extension& g, sim_time end);
    /// 61h: the program or erase at work stops at its next safe point, if it may.
    void suspend(onfi::extension& g, sim_time end);
    /// D2h. False: nothing is suspended.
    bool resume(onfi::extension& g, sim_time end);
    /// What the agenda planned is due.
    onfi::ready_change edge();
    /// Power goes, now: what ends at this instant has ended, the rest is cut.
    void power_off();

    /// The LUN as a whole is at work; planes that read by themselves are in reads().
    [[nodiscard]] bool busy() const { return m_what != array_operation::idle; }
    [[nodiscard]] bool high() const
    {
        return (!busy() && m_reads.at_work().empty()) || now() < m_line.low();
    }
    [[nodiscard]] const plane_reads& reads() const { return m_reads; }
    /// The array is at work, behind a high R/B# too, or something is suspended: ARDY is 0.
    [[nodiscard]] bool array_busy() const
    {
        return busy() || m_cache.at_work(now()) || m_suspension.suspended();
    }
    /// What the array has done until now.
    [[nodiscard]] lun_stats stats() const;

    /// All that ever were.
    [[nodiscard]] std::uint64_t suspend_count() const { return m_stats.suspends; }

    [[nodiscard]] ready_busy& line() { return m_line; }
    [[nodiscard]] suspension& suspends() { return m_suspension; }
    [[nodiscard]] const suspension& suspends() const { return m_suspension; }
    [[nodiscard]] const cache_sequence& cache() const { return m_cache; }
    [[nodiscard]] const status_register& status() const { return m_status; }
    [[nodiscard]] const operation_times& times() const { return m_times; }

private:
    [[nodiscard]] sim_time length_of(array_operation what, const onfi::extension& g) const;
    [[nodiscard]] std::uint32_t most_loops() const;
    [[nodiscard]] bool is_coarse(const page_target& target) const
    {
        return m_cells.coarse_is_next(target.at, target.mode);
    }
    [[nodiscard]] std::uint32_t pe_cycles() const;
    [[nodiscard]] array_time& usage_of(array_operation what)
    {
        return m_stats.arrays[static_cast<std::size_t>(use_of(what))];
    }
    void run(sim_time begin, sim_time wait, sim_time length, onfi::extension& g);
    onfi::ready_change plane_edge(sim_time t);
    void fall();
    void prefetch() const;
    void finish();
    void commit();
    void commit_read(plane_index plane);
    void commit_program(plane_index plane);
    void commit_erase(plane_index plane);
    void cut_array();
    void cut_latches();
    void tear_word_line(const cell_address& of, page_index end);

    const die_config& m_config;
    cell_array& m_cells;
    plane_bank& m_planes;
    operation_times m_times;
    sim_time m_tWB;
    array_watch* m_watch = nullptr;
    ready_busy m_line;
    suspension m_suspension;
    status_register m_status;
    lun_stats m_stats;
    plane_reads m_reads;
    cache_sequence m_cache;
    array_operation m_what = array_operation::idle;
    plane_set m_working;  // planes of it
    sim_time m_work_from; // and m_stats.busy has all from here until R/B# rises
};

} // namespace ssdvp::flash
