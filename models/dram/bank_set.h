// SPDX-License-Identifier: Apache-2.0
//
// What is booked of one set of banks: its uses in the order of time. ACT belongs to the use that
// opens its row; PRE follows from the next use, the page policy or the refresh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/dram/bank_timing.h"

namespace ssdvp::dram {

enum class row_state : std::uint8_t { hit, miss, conflict };

/// Bursts to one row without a gap.
struct bank_use {
    sim_time first; // column commands
    sim_time last;
    sim_time act;   // of the use that opens the row
    sim_time ready; // earliest PRE, as far as this use and those before it say
    std::uint64_t row = 0;
    row_state found = row_state::miss; // hit: another use opened the row
    bool write = false;
    bool told = false;    // to the checker
    std::uint8_t way = 0; // bank of the set that the first burst goes to

    [[nodiscard]] bool opens() const { return found != row_state::hit; }
};

class bank_set {
public:
    bank_set() { m_uses.reserve(16); }

    /// Uses that can matter to a booking from `present` on: the last one that has begun, and those
    /// behind it.
    void forget(sim_time present)
    {
        while (m_first + 1 < m_uses.size() && m_uses[m_first + 1].first <= present) {
            ++m_first;
        }
        if (m_first >= 12 && m_first >= m_uses.size() / 2) { // so that few are moved for each
            give_room();
        }
    }
    /// Index of the first use that begins behind `t`.
    [[nodiscard]] std::size_t behind(sim_time t) const
    {
        if (m_uses.empty() || m_uses.back().first <= t) { // as most
            return m_uses.size();
        }
        const auto i =
            std::partition_point(m_uses.begin() + static_cast<std::ptrdiff_t>(m_first),
                                 m_uses.end(), [t](const bank_use& u) { return u.first <= t; });
        return static_cast<std::size_t>(i - m_uses.begin());
    }
    [[nodiscard]] bank_use* before(std::size_t i) { return i > m_first ? &m_uses[i - 1] : nullptr; }
    [[nodiscard]] bank_use* at(std::size_t i) { return i < m_uses.size() ? &m_uses[i] : nullptr; }
    void insert(std::size_t i, const bank_use& u)
    {
        m_uses.insert(m_uses.begin() + static_cast<std::ptrdiff_t>(i), u);
    }
    [[nodiscard]] std::size_t first() const { return m_first; }
    [[nodiscard]] std::size_t size() const { return m_uses.size(); }
    void clear()
    {
        m_uses.clear();
        m_first = 0;
    }

private:
    void give_room();

    std::vector<bank_use> m_uses;
    std::size_t m_first = 0;
};

} // namespace ssdvp::dram
