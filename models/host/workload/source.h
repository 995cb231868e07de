// SPDX-License-Identifier: Apache-2.0
//
// Where requests come from. The runner pulls them, so that a source holds no queue of its own,
// however far the drive falls behind.
#pragma once

#include <cstdint>
#include <string>

#include "models/host/request.h"

namespace ssdvp::host {

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
    /// Empty, or why the source ended before its time.
    [[nodiscard]] virtual std::string error() const { return {}; }
};

} // namespace ssdvp::host
