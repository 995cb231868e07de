// SPDX-License-Identifier: Apache-2.0
//
// What limits a drive under its load: a resource that has no time left, else the load itself, else
// the chain of what requests wait for, one after another.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// Busy from here on, a resource has no time left for more.
constexpr double resource_limit = 0.95;

struct bottleneck {
    /// luns, lun 0/3, channels, channel 2, core 1, dram, link_up, link_down; load: the workload
    /// asks for no more; host: driver and link take most of a request's time; chain: none alone.
    std::string resource;
    double busy = 0.0;                                 // of the resource, or of the busiest one
    std::string text;                                  // a sentence for people
    std::vector<std::pair<const char*, double>> chain; // parts of the time, largest first
    bool on_host_side = false;
};

/// Precondition: there were requests.
[[nodiscard]] bottleneck bottleneck_of(const measurement& m, const request_statistics& requests);

} // namespace ssdvp::platform
