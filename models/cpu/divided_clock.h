// SPDX-License-Identifier: Apache-2.0
//
// A core's clock, which may be divided for a while.
#pragma once

#include "models/common/time.h"

namespace ssdvp::cpu {

class divided_clock {
public:
    explicit divided_clock(rate full) : m_full(full) {}

    [[nodiscard]] rate full() const { return m_full; }
    [[nodiscard]] rate now() const { return rate(m_full.per_second() >> m_exponent); }
    /// From here on, when the core has been busy for so long, it is full() / 2^exponent.
    void divide(unsigned exponent, sim_time busy)
    {
        m_slowed = slowed(busy);
        m_since = busy;
        m_exponent = exponent;
    }
    /// Of that time, what would not have been at the full clock.
    [[nodiscard]] sim_time slowed(sim_time busy) const
    {
        const sim_time divided = busy - m_since;
        return m_slowed + (divided - sim_time(divided.ps() >> m_exponent));
    }

private:
    rate m_full;
    unsigned m_exponent = 0;
    sim_time m_since;
    sim_time m_slowed;
};

} // namespace ssdvp::cpu
