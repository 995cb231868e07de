// SPDX-License-Identifier: Apache-2.0
//
// Whether more is asked of a drive than it does: then requests queue up for as long as the run
// lasts, and their latency says how long that was.
#pragma once

#include <optional>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

struct overload {
    double asked = 0.0;  // requests a second; 0: a trace gives the times
    double served = 0.0; // likewise
    double first = 0.0;  // mean latency of the first quarter of the run and of the last, ps
    double last = 0.0;
};

/// None: the load is a closed loop, or the queue does not grow. A queue that grows makes latency
/// rise in proportion to the time that passes: a line through the pieces' mean latencies rises by
/// `least_growth` at least, and by more than its interval of 95 %; of a trace, the first quarter
/// of the run is the quickest, too, and the last one the slowest: else it may be a busy episode.
[[nodiscard]] std::optional<overload> overload_of(const measurement& m);

/// Rise of latency per time. It is 1 - served / asked where arrivals and service are even.
constexpr double least_growth = 0.002;

} // namespace ssdvp::platform
