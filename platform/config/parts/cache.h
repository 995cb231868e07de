// SPDX-License-Identifier: Apache-2.0
//
// Options of the buffer, as they are resolved.
#pragma once

#include <cstdint>

#include "models/common/time.h"
#include "platform/config/ftl_config.h"

namespace ssdvp::platform {

struct cache_config {
    cache_policy policy{};
    std::uint64_t capacity = 0; // bytes
    double dirty_limit = 0.0;   // share of the capacity; 0 = as the policy does without
    std::uint64_t group = 0;    // bytes of a logical block of fab and bplru
    double window = 0.25;       // rw_cflru: share that is searched for a clean unit
    cache_window window_mode = cache_window::fixed;
    bool padding = true;      // bplru
    bool compensation = true; // bplru
    bplru_victim victim = bplru_victim::another;
    bplru_rewrite rewrite = bplru_rewrite::continues;
    cache_unit granularity = cache_unit::sector;
    sim_time flush_idle;          // 0 = never
    std::uint64_t read_ahead = 0; // bytes; 0 = none
};

} // namespace ssdvp::platform
