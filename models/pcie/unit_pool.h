// SPDX-License-Identifier: Apache-2.0
//
// A fixed number of equal units (tags, flow-control credits). What is taken comes back at a time
// that is known when it is taken, so that waiting needs no event. Units come back in the order in
// which they were taken.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::pcie {

class unit_pool {
public:
    /// 0 = no limit.
    explicit unit_pool(std::uint32_t capacity) : m_capacity(capacity), m_ring(capacity) {}

    [[nodiscard]] bool endless() const { return m_capacity == 0; }

    /// Whether `units` taken at `t` leave half of the pool: then nobody is near waiting, and a
    /// whole transfer may be taken and given back as one.
    [[nodiscard]] bool ample(sim_time t, std::uint64_t units)
    {
        if (endless()) {
            return true;
        }
        while (m_entries != 0 && m_ring[m_first].back <= t) {
            drop();
        }
        return m_taken + units <= m_capacity / 2;
    }

    /// The first moment from `t` on at which `units` are free.
    [[nodiscard]] sim_time free_from(sim_time t, std::uint64_t units)
    {
        while (m_entries != 0 && (m_ring[m_first].back <= t || m_taken + units > m_capacity)) {
            t = later(t, m_ring[m_first].back);
            drop();
        }
        return t;
    }

    /// Precondition: free_from or ample said that they can be had.
    void take(std::uint64_t units, sim_time back)
    {
        if (endless() || units == 0) {
            return;
        }
        const std::uint32_t end = m_first + m_entries;
        m_ring[end < m_capacity ? end : end - m_capacity] = {back, units};
        ++m_entries;
        m_taken += units;
    }

    void give_all_back()
    {
        m_first = m_entries = 0;
        m_taken = 0;
    }

    [[nodiscard]] std::uint64_t taken() const { return m_taken; }

private:
    struct entry {
        sim_time back;
        std::uint64_t units;
    };

    void drop()
    {
        m_taken -= m_ring[m_first].units;
        m_first = m_first + 1 == m_capacity ? 0 : m_first + 1;
        --m_entries;
    }

    std::uint32_t m_capacity;
    std::vector<entry> m_ring; // an entry holds a unit at least: never more than m_capacity
    std::uint32_t m_first = 0;
    std::uint32_t m_entries = 0;
    std::uint64_t m_taken = 0;
};

} // namespace ssdvp::pcie
