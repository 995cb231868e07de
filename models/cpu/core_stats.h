// SPDX-License-Identifier: Apache-2.0
//
// What a core has done, as native_core tells it.
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::cpu {

struct core_stats {
    std::uint64_t instructions = 0; // as they are charged: ahead of the time that they take
    std::int64_t uncharged = 0;     // 1/256 instruction: told of, not among them; < 0: ahead of it
    std::uint64_t cycles = 0;       // as their time comes, as all that follows
    sim_time busy;
    sim_time stalled;  // of it, waiting for lines of the data cache
    sim_time fetching; // of it, for lines of the instruction cache, and their miss_cycles
    sim_time slowed;   // of it, what would not have been at the full clock
    std::uint64_t interrupts = 0;
};

} // namespace ssdvp::cpu
