// SPDX-License-Identifier: Apache-2.0
//
// Options of the SLC cache, as they are resolved.
#pragma once

#include <cstdint>

#include "models/common/time.h"
#include "platform/config/ftl_config.h"

namespace ssdvp::platform {

/// A cache of superblocks in SLC mode, which the host's writes go to first.
struct slc_cache_config {
    std::uint64_t fixed = 0;   // bytes of data that those take which are in it for good
    std::uint64_t dynamic = 0; // ... that those take which are while there is room
    slc_policy policy{};
    sim_time idle;               // without a command, after which the drive is idle
    double goal = 1.0;           // share of it that idle time makes free
    double low = 0.25;           // ... below which it is drained beside writes
    double drain = 0.5;          // bytes then per byte written
    double taper = 0.5;          // free share of it below which it takes less of what is written
    sim_time close;              // ... after which what is open of it is folded too; 0 = never
    bool copyback = false;       // whole pages leave it inside their LUN
    double reclaim = 0.1;        // share of garbage from which idle time makes room for it
    std::uint32_t endurance = 0; // P/E cycles in SLC mode
};

} // namespace ssdvp::platform
