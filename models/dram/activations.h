// SPDX-License-Identifier: Apache-2.0
//
// When sets of banks are opened, booked ahead: tRRD between any two, and no more than four banks
// in tFAW. Where no further one fits is remembered, so that a search passes over it at once however
// many are booked.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dram/bank_timing.h"

namespace ssdvp::dram {

class activations {
public:
    explicit activations(const bank_timing& timing) : m_t(timing) { m_times.reserve(64); }

    /// The first moment from `from` on at which a set may be opened. `looked` grows by the bookings
    /// that were looked at.
    [[nodiscard]] sim_time fit(sim_time from, std::uint64_t& looked);
    /// The same if there were one at `also`, too.
    [[nodiscard]] sim_time fit_beside(sim_time also, sim_time from, std::uint64_t& looked);
    void take(sim_time t);
    /// Gives one back that has not begun.
    void drop(sim_time t);
    void forget(sim_time present)
    {
        while (m_first + m_t.window < m_times.size() && m_times[m_first + m_t.window] <= present) {
            ++m_first;
        }
        if (m_first >= 32 && m_first >= m_times.size() / 2) { // so that few are moved for each
            give_room();
        }
        if (!m_full.empty() && m_full.front().end <= present) {
            forget_full(present);
        }
    }
    /// The users are gone. How many behind `present` were booked.
    std::uint64_t cut(sim_time present);

private:
    /// No further one fits from `begin` on, until `end`.
    struct span {
        sim_time begin;
        sim_time end;
    };

    /// Whether `t` may stand before entry `k`; if not, `t` becomes the next moment to try.
    [[nodiscard]] bool stands(sim_time& t, std::size_t k) const;
    [[nodiscard]] std::size_t position(sim_time t) const;
    [[nodiscard]] std::size_t search(sim_time& t) const;
    /// Index of the first full span that ends behind `t`.
    [[nodiscard]] std::size_t full_behind(sim_time t) const;
    void remember(span s);
    void open(span s);
    void insert(sim_time t);
    bool erase(sim_time t);
    void give_room();
    void forget_full(sim_time present);

    const bank_timing& m_t;
    std::vector<sim_time> m_times;
    std::size_t m_first = 0;
    std::vector<span> m_full; // by time, disjoint
};

} // namespace ssdvp::dram
