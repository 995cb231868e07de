// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/flash/die/array_time.h"

namespace ssdvp::flash {

/// Plain counters: the difference of two snapshots is what happened between them.
struct lun_stats {
    std::uint64_t reads = 0;    // pages
    std::uint64_t programs = 0; // pages
    std::uint64_t erases = 0;   // blocks
    std::uint64_t suspends = 0;
    sim_time busy; // array at work until now (all planes together), suspend overhead included
    std::array<array_time, array_uses> arrays{}; // index: enum array_use; part of `busy`
};

} // namespace ssdvp::flash
