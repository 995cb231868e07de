// SPDX-License-Identifier: Apache-2.0
//
// Energy of the measured part, from its counts and times and what the parts draw: current x voltage
// x time (docs/energy.md). In integers, so that a sum does not depend on its order.
#pragma once

#include <array>
#include <cstdint>

#include "platform/report/measurement.h"

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

    [[nodiscard]] uint128 nand() const { return array[0] + array[1] + array[2] + bus + nand_idle; }
    [[nodiscard]] uint128 link() const { return link_active + link_idle; }
    [[nodiscard]] uint128 cores() const { return core_active + core_idle; }
    [[nodiscard]] uint128 memory() const { return dram[0] + dram[1] + dram[2] + dram[3] + dram[4]; }
    [[nodiscard]] uint128 sum() const { return nand() + memory() + link() + cores(); }
};

/// Of the measured part.
[[nodiscard]] energy_parts energy_of(const measurement& m);
/// Of what happened between two readings.
[[nodiscard]] energy_parts energy_of(const energy_figures& f, const counters& happened);

/// Where it becomes heat, in the same units.
struct energy_places {
    std::vector<uint128> luns; // by channel, then LUN
    uint128 controller = 0;    // link and cores
    uint128 board = 0;         // DRAM
};
[[nodiscard]] energy_places energy_places_of(const energy_figures& f, const counters& happened);

/// The same total, added up block by block.
[[nodiscard]] uint128 energy_of_blocks(const measurement& m);

[[nodiscard]] double joules(uint128 energy);

} // namespace ssdvp::platform
