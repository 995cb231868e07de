// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/flash/bus/cycle_timing.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

/// Told of each cycle group of a bus.
class group_observer {
public:
    group_observer() = default;
    virtual ~group_observer() = default;
    group_observer(const group_observer&) = delete;
    group_observer& operator=(const group_observer&) = delete;

    /// A group of `bytes` data bytes whose first cycle is at `begin`. `taken`: the LUN did what it
    /// says.
    virtual void group(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
                       const group_times& times, bool taken) = 0;
};

} // namespace ssdvp::flash
