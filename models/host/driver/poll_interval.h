// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/time.h"

namespace ssdvp::host {

/// How long a driver waits before it reads a register again: what is quick is noticed at once, and
/// what is slow costs few reads.
class poll_interval {
public:
    void restart() { m_now = first; }
    void grow() { m_now = earlier(m_now * 2, slowest); }

    [[nodiscard]] sim_time now() const { return m_now; }

private:
    static constexpr sim_time first = literals::operator""_us(10);
    static constexpr sim_time slowest = literals::operator""_ms(1);

    sim_time m_now = first;
};

} // namespace ssdvp::host
