// SPDX-License-Identifier: Apache-2.0
//
// How far a run is, on stderr: a bar on a terminal, a plain line every few seconds elsewhere,
// nothing when quiet. Never part of a result.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "models/common/time.h"

namespace ssdvp::platform {

struct progress_options {
    std::uint64_t total_requests = 0; // 0 = not limited by requests
    sim_time total_time;              // 0 = not limited by simulated time
    bool quiet = false;
    bool terminal = false; // stderr is one
    unsigned columns = 80;
};

/// `terminal` and `columns` as they are for `out`; the rest by default.
[[nodiscard]] progress_options progress_options_for(std::FILE* out);

class progress_reporter {
public:
    using clock = std::function<double()>;                  // wall seconds
    using output = std::function<void(const std::string&)>; // writes and flushes

    explicit progress_reporter(const progress_options& options);
    /// For tests: another clock, another output.
    progress_reporter(const progress_options& options, clock wall, output out);

    /// Names what follows ("preconditioning", "running") and starts its count anew.
    void begin(const std::string& phase);

    /// To be called often, for instance at each completed request: most calls only count. The wall
    /// clock is read at most every `largest_stride` calls, oftener while requests are slow.
    void update(std::uint64_t requests, sim_time simulated)
    {
        m_requests = requests;
        if (++m_calls >= m_stride) {
            check(requests, simulated);
        }
    }

    /// The same of work outside of simulated time: the share of it that is done.
    void update(double share)
    {
        if (++m_calls >= m_stride && due()) {
            show(share, "");
        }
    }

    /// Removes the bar. Call before anything else is printed.
    void finish();

    static constexpr std::uint64_t largest_stride = 1024;

private:
    void check(std::uint64_t requests, sim_time simulated);
    [[nodiscard]] bool due();
    void show(double share, const std::string& facts);
    [[nodiscard]] std::string text(double share, std::string facts) const;
    [[nodiscard]] double share(std::uint64_t requests, sim_time simulated) const;

    progress_options m_options;
    clock m_wall;
    output m_out;
    std::string m_phase;
    std::uint64_t m_calls = 0;
    std::uint64_t m_stride = 1;
    std::uint64_t m_requests = 0;        // as of the last update
    std::uint64_t m_requests_before = 0; // ... of earlier phases
    double m_started = 0.0;
    double m_checked = 0.0;
    double m_printed = 0.0;
    bool m_bar_shown = false;
};

} // namespace ssdvp::platform
