// SPDX-License-Identifier: Apache-2.0
//
// Where the windows of a sampled run lie. The requests are cut into as many strata, of equal
// length, and each has one. Where in it is drawn; and where the load fills a superblock within a
// stratum, the windows begin at phases of that which are spread evenly: how much collection has to
// do follows from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/config/config.h"

namespace ssdvp::platform {

struct sample_window {
    std::uint64_t earliest = 0; // requests of the load before its warm-up, at least
    std::uint64_t latest = 0;   // ... at most
    double phase = 0.0;         // of the superblock that the host fills, from 0 to 1
};

struct sample_plan {
    std::uint64_t warmup = 0;   // requests of each window that are not measured
    std::uint64_t measured = 0; // ... and then those that are
    std::vector<sample_window> windows;
};

/// Of run.sampling. Precondition: the rules of the configuration hold.
[[nodiscard]] sample_plan plan_samples(const ssd_config& config);

/// The first `count` windows in the order of their phases.
[[nodiscard]] std::vector<std::size_t> by_phase(const std::vector<sample_window>& windows,
                                                std::size_t count);

/// From one place to the next that is on the way: phases wrap.
[[nodiscard]] bool passes(double phase, double from, double to);

} // namespace ssdvp::platform
