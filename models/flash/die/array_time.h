// SPDX-License-Identifier: Apache-2.0
//
// How long the array of a LUN worked at what, for its energy: an operation on several planes draws
// more than one plane does, but not as many times as it has planes, so both times are kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::flash {

enum class array_use : std::uint8_t { read, program, erase, other }; // other: reset, features, ...
constexpr std::size_t array_uses = 4;

struct array_time {
    sim_time time;   // operations on any number of planes
    sim_time planes; // the same, each as often as it had planes

    /// `mask`: planes at work.
    void add(sim_time t, std::uint32_t mask)
    {
        time += t;
        planes += static_cast<std::uint64_t>(__builtin_popcount(mask)) * t;
    }
    void take_back(sim_time t, std::uint32_t mask)
    {
        const sim_time all = static_cast<std::uint64_t>(__builtin_popcount(mask)) * t;
        time = time - earlier(time, t);
        planes = planes - earlier(planes, all);
    }
};

} // namespace ssdvp::flash
