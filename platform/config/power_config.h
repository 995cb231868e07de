// SPDX-License-Identifier: Apache-2.0
//
// When power goes, and what is checked when it is back.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::platform {

/// What is read after each power-up before the workload goes on.
enum class power_verify { none, uncertain, all };

struct power_config {
    std::vector<sim_time> cut_at; // from the start of the measured part
    std::uint64_t cut_every = 0;  // programs and erases, counted as they begin; 0 = never
    double cut_rate = 0.0;        // cuts per second with power, at random; 0 = never
    std::vector<sim_time> shutdown_at;
    sim_time shutdown_every; // of time with power; 0 = never
    sim_time off_time;
    power_verify verify = power_verify::uncertain;

    [[nodiscard]] bool cuts() const { return !cut_at.empty() || cut_every != 0 || cut_rate > 0.0; }
    [[nodiscard]] bool any() const
    {
        return cuts() || !shutdown_at.empty() || shutdown_every != sim_time();
    }
};

} // namespace ssdvp::platform
