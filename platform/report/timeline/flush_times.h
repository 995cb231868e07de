// SPDX-License-Identifier: Apache-2.0
//
// When flushes of the host were under way: the newest times, in bounded memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/host/request.h"

namespace ssdvp::platform {

class flush_times {
public:
    void completed(const host::request_result& r)
    {
        if (r.req.kind != host::request_kind::flush) {
            return;
        }
        time t{r.submitted, r.completed};
        while (!m_times.empty() && m_times.back().end >= t.begin) {
            t.begin = std::min(t.begin, m_times.back().begin);
            m_times.pop_back();
        }
        m_times.push_back(t);
        if (m_times.size() == 2 * kept) {
            m_times.erase(m_times.begin(), m_times.begin() + kept);
        }
    }
    /// One was, at some time of [begin, end).
    [[nodiscard]] bool any(sim_time begin, sim_time end) const
    {
        const auto at = std::upper_bound(m_times.begin(), m_times.end(), begin,
                                         [](sim_time t, const time& a) { return t < a.end; });
        return at != m_times.end() && at->begin < end;
    }

private:
    static constexpr std::ptrdiff_t kept = 1 << 15;
    struct time {
        sim_time begin;
        sim_time end;
    };
    std::vector<time> m_times; // in order, apart from each other
};

} // namespace ssdvp::platform
