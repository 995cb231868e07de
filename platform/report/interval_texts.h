// SPDX-License-Identifier: Apache-2.0
//
// Intervals of 95 % as the text tells them: how far off a figure may be, in % of it. Those of a run
// that is not steady are left out: they are of its own state, and hold no truth about a longer one.
#pragma once

#include <string>
#include <vector>

#include "platform/report/confidence.h"

namespace ssdvp::platform {

class interval_texts {
public:
    interval_texts(const measurement& m, const request_statistics& requests);

    /// Of a column of them: "95 %"; empty where nothing is told.
    [[nodiscard]] const char* head() const { return m_steady && !m_known.empty() ? "95 %" : ""; }
    /// "+- 2.1 %" of a name as in summary.json; "<= 112 us" of a latency that may be more than
    /// twice as large; empty: nobody knows.
    [[nodiscard]] std::string of(const std::string& name) const;
    /// Below the latencies of a kind of request, in their columns; empty: nothing is known of them.
    [[nodiscard]] std::string below(const std::string& latencies) const;
    /// ">= 5.08 ms" where the run says no more of a latency than that, "-" where windows (of
    /// run.sampling) say nothing; else what it is.
    [[nodiscard]] std::string latency(const std::string& name, double found_ps) const;
    /// ... of the smallest and the largest: always "-" of windows.
    [[nodiscard]] std::string extreme(sim_time found) const;

private:
    std::vector<named_interval> m_known;
    bool m_sampled;
    bool m_steady;
};

} // namespace ssdvp::platform
