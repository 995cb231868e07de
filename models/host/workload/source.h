// SPDX-License-Identifier: Apache-2.0
//
// Where requests come from. The runner pulls them, so that a source holds no queue of its own,
// however far the drive falls behind.
#pragma once

#include <cstdint>
#include <string>

#include "models/host/request.h"

namespace ssdvp::host {

/// When a source starts: `elapsed` and its arrivals count from then.
struct start_after {
    std::uint32_t phase = 0;           // all sources of lower phases have ended
    std::uint32_t first = 0, last = 0; // and those at first..last-1, in the order of runner::add()
};

class source {
public:
    virtual ~source() = default;
    /// The next request, or false at the end. `elapsed`: time since the start of the workload.
    /// Where timed(), arrival is set, relative to that start, and never decreases.
    virtual bool next(sim_time elapsed, request& out) = 0;
    /// Requests have arrival times of their own; otherwise they arrive when there is room.
    [[nodiscard]] virtual bool timed() const = 0;
    /// Requests in flight at most; 0 = as many as the driver takes.
    [[nodiscard]] virtual std::uint32_t queue_depth() const = 0;
    /// Once that many were in flight, the source goes on when no more than this still are.
    [[nodiscard]] virtual std::uint32_t refill_at() const { return UINT32_MAX; }
    /// Its next request waits for the end of all in flight. When next() says false, it is not the
    /// end then.
    [[nodiscard]] virtual bool drains() const { return false; }
    [[nodiscard]] virtual start_after starts_after() const { return {}; }
    /// Empty, or why the source ended before its time.
    [[nodiscard]] virtual std::string error() const { return {}; }
};

} // namespace ssdvp::host
