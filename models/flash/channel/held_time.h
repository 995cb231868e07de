// SPDX-License-Identifier: Apache-2.0
//
// How long a LUN has been held: from the first command cycle of an operation to its last byte on
// the bus, with all waits in between (for the bus, or suspended). What needs the LUN as a whole
// holds all of its planes; independent reads hold theirs.
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::flash {

class held_time {
public:
    /// So many planes from `t` on. Bus phases are booked until their end: `t` may lie ahead, but
    /// not before that of the last call.
    void set(sim_time t, std::uint32_t planes)
    {
        m_sum = at(t);
        m_since = t;
        m_before = m_planes;
        m_planes = planes;
    }
    [[nodiscard]] std::uint32_t planes() const { return m_planes; }
    /// Planes times time until `t`, which is no earlier than when set() was called.
    [[nodiscard]] sim_time at(sim_time t) const
    {
        return t < m_since ? m_sum - (m_since - t) * m_before : m_sum + (t - m_since) * m_planes;
    }

private:
    sim_time m_sum; // planes times time, until m_since
    sim_time m_since;
    std::uint32_t m_before = 0; // m_since
    std::uint32_t m_planes = 0;
};

} // namespace ssdvp::flash
