// SPDX-License-Identifier: Apache-2.0
//
// Which part of a run a timeline shows.
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::platform {

enum class window_kind { requests, time, slowest };

struct timeline_window {
    window_kind kind = window_kind::requests;
    std::uint64_t first = 0;    // requests: number of the first one, by completion
    std::uint64_t last = 10000; // ... and of the one behind the last
    sim_time begin;             // time: since the measured part began
    sim_time end;
    std::uint64_t slowest = 0; // slowest: how many
};

} // namespace ssdvp::platform
