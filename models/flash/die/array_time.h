// SPDX-License-Identifier: Apache-2.0
//
// How long the array of a LUN worked at what, for its energy: an operation on several planes draws
// more than one plane does, but not as many times as it has planes, so both times are kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/time.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

enum class array_use : std::uint8_t { read, program, erase, other }; // other: reset, features, ...
constexpr std::size_t array_uses = 4;

struct array_time {
    sim_time time;   // operations on any number of planes
    sim_time planes; // the same, each as often as it had planes

    void add(sim_time t, plane_set at_work)
    {
        time += t;
        planes += std::uint64_t{at_work.size()} * t;
    }
    void take_back(sim_time t, plane_set at_work)
    {
        const sim_time all = std::uint64_t{at_work.size()} * t;
        time = time - earlier(time, t);
        planes = planes - earlier(planes, all);
    }
};

} // namespace ssdvp::flash
