// SPDX-License-Identifier: Apache-2.0
//
// How long something has been busy until now, where it is booked ahead: what is booked counts as
// its time comes. Intervals are disjoint, and none begins before the present in which it is booked.
#pragma once

#include <cstddef>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

class busy_time {
public:
    busy_time() { m_ahead.reserve(2 * enough); }

    void add(sim_time present, sim_time begin, sim_time end)
    {
        if (!m_ahead.empty() && m_ahead.back().end <= present) {
            m_ahead.clear();
        } else if (m_ahead.size() >= enough) {
            forget(present);
        }
        m_total += end - begin;
        m_ahead.push_back({begin, end});
    }
    /// Busy from the start until `present`, which is no earlier than the last add().
    [[nodiscard]] sim_time until(sim_time present) const
    {
        sim_time ahead;
        for (const span& s : m_ahead) {
            ahead += s.end - later(s.begin, present);
        }
        return m_total - ahead;
    }
    /// What lies behind `present` does not happen.
    void cut(sim_time present)
    {
        m_total = until(present);
        m_ahead.clear();
    }

private:
    static constexpr std::size_t enough = 32; // spans that are kept before any is looked at again

    struct span {
        sim_time begin;
        sim_time end;
    };

    [[gnu::noinline]] void forget(sim_time present)
    {
        std::size_t kept = 0;
        for (const span& s : m_ahead) {
            if (s.end > present) {
                m_ahead[kept++] = s;
            }
        }
        m_ahead.resize(kept);
    }

    sim_time m_total;
    std::vector<span> m_ahead; // and some that have ended
};

} // namespace ssdvp
