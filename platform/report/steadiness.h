// SPDX-License-Identifier: Apache-2.0
//
// Whether a drive under load has come to its steady state: the rule of SNIA's Solid State Storage
// Performance Test Specification ("Steady State" in its definitions), over rounds of equal work.
// And what the rule cannot see: a drive that still has free space to consume is as fast as ever.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/report/run_samples.h"

namespace ssdvp::platform {

struct steady_rule {
    std::uint32_t rounds = 5; // the window
    double range = 0.20;      // largest less smallest, of the mean
    double slope = 0.10;      // change over the window along the fitted line, of the mean
    bool latencies = true;    // they are judged too
    double settled = 0.03;    // change of write amplification that may still come: unsettled()
};

/// Numbers of the rounds that are not steady: "" if they are, else "IOPS: ...".
/// Precondition: as many as the rule's window at least; the last ones count.
[[nodiscard]] std::string unsteady(const std::string& what, const std::vector<double>& values,
                                   const steady_rule& rule);

/// The same of rounds: IOPS, mean latency of reads and of writes, write amplification; and that
/// erases keep up with programs. `pages_per_block`: of the part as it is used.
[[nodiscard]] std::string unsteady(const std::vector<run_sample>& rounds, const steady_rule& rule,
                                   std::uint32_t pages_per_block);

/// A drive forgets slowly how it was filled: data that are seldom written keep their old places,
/// and write amplification goes on changing long after five rounds look alike. So all rounds since
/// the load began count: as much as `range` bytes has to be written, and the last half of the
/// rounds has to collect as the quarter before them did, within `settled`: what is left of an
/// exponential change is less than that then. "" if it is so, or nothing was written; fewer than
/// four rounds have no quarter, and only the range counts.
[[nodiscard]] std::string unsettled(const std::vector<run_sample>& rounds, std::uint64_t range,
                                    double settled = steady_rule().settled);

/// Blocks erased for each block's worth of programs. None: the host wrote nothing that was
/// programmed.
[[nodiscard]] std::optional<double> erased_share(const run_sample& piece,
                                                 std::uint32_t pages_per_block);
/// Below it, free space runs out.
constexpr double erases_keep_up = 0.8;

} // namespace ssdvp::platform
