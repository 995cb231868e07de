// SPDX-License-Identifier: Apache-2.0
//
// Activations of all sets of banks, booked ahead, at least tRRD apart and no more than four banks
// in tFAW.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dram/bank_timing.h"

namespace ssdvp::dram {

class activations {
public:
    explicit activations(const bank_timing& timing) : m_t(timing) { m_times.reserve(64); }

    /// The first moment from `from` on at which a set may be opened.
    [[nodiscard]] sim_time fit(sim_time from) const;
    void take(sim_time t);
    /// Gives one back that has not begun.
    void drop(sim_time t);
    void forget(sim_time present)
    {
        while (m_first + m_t.window < m_times.size() && m_times[m_first + m_t.window] <= present) {
            ++m_first;
        }
        if (m_first >= 32) {
            give_room();
        }
    }
    /// The users are gone. How many behind `present` were booked.
    std::uint64_t cut(sim_time present);

private:
    /// Whether `t` may stand before entry `k`; if not, `t` becomes the next moment to try.
    [[nodiscard]] bool stands(sim_time& t, std::size_t k) const;
    [[nodiscard]] std::size_t position(sim_time t) const;
    void give_room();

    const bank_timing& m_t;
    std::vector<sim_time> m_times;
    std::size_t m_first = 0;
};

} // namespace ssdvp::dram
