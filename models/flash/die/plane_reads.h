// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous independent plane reads: which planes of a LUN sense a page, each with a time of its
// own (docs/models/die.md, Independent plane reads). Times are counted when they are booked.
#pragma once

#include "models/flash/die/lun_stats.h"

namespace ssdvp::flash {

class plane_reads {
public:
    plane_reads(std::uint32_t planes, lun_stats& stats) : m_planes(planes), m_stats(stats) {}

    /// `plane` senses from `begin` for `length`; nobody begins before those that began so far.
    /// Precondition: it is at rest.
    void start(plane_index plane, sim_time begin, sim_time length);
    /// Planes at work, or about to be: their command has come.
    [[nodiscard]] plane_set at_work() const { return m_at_work; }
    /// When the first of them begins, and the last one ends. Precondition: there are any.
    [[nodiscard]] sim_time first_begin() const;
    [[nodiscard]] sim_time last_end() const { return m_until; }
    /// Those that have ended at `t`: they are at rest.
    plane_set take_ended(sim_time t);
    /// Takes what lies ahead of `t` off `s`.
    void take_back(lun_stats& s, sim_time t) const;
    /// Power goes: none is at work.
    void reset() { m_at_work = {}; }

private:
    struct sensing {
        sim_time begin;
        sim_time alone; // from here on it is the last one that is booked: the LUN's time is its
        sim_time end;
    };

    indexed<plane_index, sensing> m_planes;
    lun_stats& m_stats;
    plane_set m_at_work;
    sim_time m_until; // the latest end so far
};

} // namespace ssdvp::flash
