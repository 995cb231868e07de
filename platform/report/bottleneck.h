// SPDX-License-Identifier: Apache-2.0
//
// What limits a drive under its load, from occupancy and waits together: a resource that has no
// time left; else the load itself; else, since requests in flight are what a closed loop has (N =
// rate * time, Little), whoever takes most of a request's time.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"
#include "platform/report/what_if_run.h"

namespace ssdvp::platform {

struct bottleneck {
    /// luns, lun 0/3, channels, channel 2, cores, core 1, dram, link, link_up, link_down,
    /// front_end, engine, tags, slots, heat, power, power_states; load: the workload asks for no
    /// more; host: driver and link; chain: none takes most of a request's time.
    std::string resource;
    /// How it limits: occupancy (it has no time left), restraint (it holds others back), time (it
    /// takes most of a request's time), load, chain.
    std::string by;
    double busy = 0.0;  // of the resource, or of the busiest one
    double share = 0.0; // of the requests' time that passes in or before it; load: 0
    std::string text;   // a sentence for people
    std::vector<std::pair<const char*, double>> chain; // parts of the time, largest first
    bool on_host_side = false;
    /// Of the arrays' time, by enum flash_purpose, where LUNs are the limit.
    std::array<double, FLASH_PURPOSES> work{};
    /// What makes it 20 % faster, or as much more of it as there can be; empty: nothing would help.
    better_part what_if;
};

/// Precondition: there were requests.
[[nodiscard]] bottleneck bottleneck_of(const measurement& m, const request_statistics& requests);

} // namespace ssdvp::platform
