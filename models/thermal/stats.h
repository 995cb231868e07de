// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::thermal {

inline constexpr std::size_t levels = 4; // of register LEVEL

struct thermal_stats {
    // Degrees Celsius, now and at most since power-on.
    double composite = 0.0;
    double controller = 0.0;
    double nand = 0.0; // hottest die
    double chassis = 0.0;
    double composite_max = 0.0;
    double controller_max = 0.0;
    double nand_max = 0.0;
    // Joules since power-on.
    double taken = 0.0;
    double stored = 0.0;
    double given_off = 0.0;
    unsigned level = 0;
    std::array<sim_time, levels> time{}; // at each level
    std::array<std::uint64_t, levels> entries{};
};

} // namespace ssdvp::thermal
