// SPDX-License-Identifier: Apache-2.0
//
// Energy by what draws it, and by where it becomes heat. In integers, so that a sum does not depend
// on its order.
#pragma once

#include <array>
#include <vector>

#include "models/common/histogram.h"

namespace ssdvp::platform {

/// In units of 1e-27 J: 1 uA x 1 mV x 1 ps, in millionths because a share has so many digits.
struct energy_parts {
    std::array<uint128, 3> array{}; // read, program, erase
    uint128 bus = 0;
    uint128 nand_idle = 0;
    uint128 link_active = 0;
    uint128 link_idle = 0;
    uint128 core_active = 0;
    uint128 core_idle = 0;
    std::array<uint128, 5> dram{}; // activate, read, write, refresh, background
    uint128 asleep = 0;            // in non-operational power states, in place of all of these

    [[nodiscard]] uint128 nand() const { return array[0] + array[1] + array[2] + bus + nand_idle; }
    [[nodiscard]] uint128 link() const { return link_active + link_idle; }
    [[nodiscard]] uint128 cores() const { return core_active + core_idle; }
    [[nodiscard]] uint128 memory() const { return dram[0] + dram[1] + dram[2] + dram[3] + dram[4]; }
    [[nodiscard]] uint128 sum() const { return nand() + memory() + link() + cores() + asleep; }
};

/// Where it becomes heat, in the same units.
struct energy_places {
    std::vector<uint128> luns; // by channel, then LUN
    uint128 controller = 0;    // link and cores, and what a drive asleep draws
    uint128 board = 0;         // DRAM
};

} // namespace ssdvp::platform
