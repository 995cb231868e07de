// SPDX-License-Identifier: Apache-2.0
//
// The mean of a few long waits and many short ones is what a run happened to see of the long ones.
// Writes go into a buffer, and wait only while it has no room: in a drive that is far from its
// limit, when collection takes the LUNs at a bad moment. A run may see none of that and look as
// even as can be. But how long it would be is known from what collection does.
#pragma once

#include <cstddef>
#include <optional>

#include "platform/report/latency_pieces.h"
#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// What a run saw of them; times in any unit.
struct rare_waits {
    double requests = 0.0;
    double latency = 0.0; // sum, of all requests
    double waited = 0.0;  // of it, for room
    std::size_t seen = 0; // pieces of the run with such a wait
    double episode = 0.0; // sum of the waits while collection takes the LUNs for a whole victim
    double stalled = 0.0; // requests that waited
    double held = 0.0;    // ... of such an episode
};

/// From so many pieces on their scatter says what may come.
constexpr std::size_t waits_told = 8;

/// The largest mean that such a run leaves possible with 97.5 %: episodes come by Poisson's law, so
/// often at most (Garwood, "Fiducial Limits for the Poisson Distribution", Biometrika 28, 1936);
/// each is as long as those that were seen and one more of a whole victim are on average. None:
/// waits_told pieces have seen some, or there are no requests.
[[nodiscard]] std::optional<double> largest_mean(const rare_waits& w);

/// The largest share of requests that wait, likewise: percentiles beyond it have no upper end.
[[nodiscard]] std::optional<double> largest_share(const rare_waits& w);

/// Of the writes `k` of a run, in ps. None: nothing was collected in it, or its pieces are unknown.
[[nodiscard]] std::optional<rare_waits> rare_waits_of(const measurement& m,
                                                      const kind_statistics& k);

} // namespace ssdvp::platform
