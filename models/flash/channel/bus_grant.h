// SPDX-License-Identifier: Apache-2.0
//
// What a channel's scheduler grants the bus for, and by which rules.
#pragma once

#include <cstdint>

#include "models/common/time.h"
#include "models/flash/channel/waiting.h"

namespace ssdvp::flash {

enum class bus_phase : std::uint8_t { completion, start, suspend, resume, cache_end };

struct bus_grant {
    waiting_ops::op_id op = waiting_ops::none; // with suspend: the erase or program to suspend
    bus_phase phase = bus_phase::start;
    sim_time ready;           // since when the phase could have used the bus
    std::uint8_t urgency = 0; // 0 = most urgent
    bool follows = false;     // start: within a cache sequence
    bool keeps_open = false;  // start: by 31h or 15h, so that another can follow
};

/// Beside the order: how long urgent operations may pass others, and whether operations share
/// command sequences.
struct schedule_options {
    sim_time age_limit;
    bool join_planes = false;
    bool cache_reads = false;
    bool cache_programs = false;
    bool plane_reads = false;     // requests may be independent
    bool start_when_idle = false; // a start is ready since what it needs is free, not since it came
    std::uint32_t planes = 1;     // of a LUN
};

/// What the channel asks the dies to suspend for a read, and how many reads (0 = all that wait)
/// are served before it resumes.
struct suspend_rules {
    bool erases = false;
    bool programs = false;
    std::uint32_t reads_per_stop = 0;
};

} // namespace ssdvp::flash
