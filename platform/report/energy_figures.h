// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a drive draw, for energy.cpp: keys `nand.voltage`, `nand.current.*` and
// `energy.*`. 0 = the part is not counted.
#pragma once

#include <array>
#include <cstdint>

namespace ssdvp::platform {

struct energy_figures {
    std::uint32_t voltage_mv = 3300;         // of the LUNs, VCC
    std::array<std::uint32_t, 3> array_ua{}; // a LUN's read, program, erase on one plane
    double extra_plane = 0.5;                // share of it for each further plane
    std::uint32_t bus_ua = 0;                // a channel while cycles are on its bus
    std::uint32_t idle_ua = 0;               // a LUN whose array does nothing
    std::uint32_t link_active_uw = 0;        // a lane in one direction while packets cross
    std::uint32_t link_idle_uw = 0;          // ... while none does
    std::uint32_t core_active_uw = 0;        // a core that works
    std::uint32_t core_idle_uw = 0;          // ... that waits
    std::uint32_t lanes = 0;                 // of the link

    [[nodiscard]] bool nand() const
    {
        return array_ua[0] != 0 || array_ua[1] != 0 || array_ua[2] != 0 || bus_ua != 0 ||
               idle_ua != 0;
    }
    [[nodiscard]] bool link() const { return link_active_uw != 0 || link_idle_uw != 0; }
    [[nodiscard]] bool cores() const { return core_active_uw != 0 || core_idle_uw != 0; }
    [[nodiscard]] bool any() const { return nand() || link() || cores(); }
};

/// What the DRAM parts took from their supplies, in joules.
struct dram_joules {
    double activate = 0.0;
    double read = 0.0;
    double write = 0.0;
    double refresh = 0.0;
    double background = 0.0;
};

} // namespace ssdvp::platform
