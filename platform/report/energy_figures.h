// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a drive draw, for energy.cpp: keys `nand.voltage`, `nand.current.*` and
// `energy.*`. 0 = the part is not counted.
#pragma once

#include <array>
#include <cstdint>

namespace ssdvp::platform {

/// Of a block of the controller, in microwatts.
struct draw {
    std::uint32_t active_uw = 0; // at work
    std::uint32_t idle_uw = 0;   // while it waits

    [[nodiscard]] bool any() const { return active_uw != 0 || idle_uw != 0; }
};

struct energy_figures {
    std::uint32_t voltage_mv = 3300;         // of the LUNs, VCC
    std::array<std::uint32_t, 3> array_ua{}; // a LUN's read, program, erase on one plane
    double extra_plane = 0.5;                // share of it for each further plane
    std::uint32_t bus_ua = 0;                // a channel while cycles are on its bus
    std::uint32_t idle_ua = 0;               // a LUN whose array does nothing
    std::uint32_t io_voltage_mv = 1200;      // of the bus, VCCQ
    std::uint32_t io_ua = 0;                 // its drivers while cycles are on a channel's bus
    draw link;                               // a lane in one direction
    std::uint32_t link_generation = 0;       // of PCI Express, that it is for; 0: that of the link
    std::uint32_t lanes = 0;                 // of the link
    draw core;                               // each
    draw channel;                            // controller and PHY of each
    draw ecc;                                // the engine of each channel
    draw dram_phy;                           // controller and PHY of the DRAM

    [[nodiscard]] bool nand() const
    {
        return array_ua[0] != 0 || array_ua[1] != 0 || array_ua[2] != 0 || bus_ua != 0 ||
               idle_ua != 0 || io_ua != 0;
    }
    [[nodiscard]] bool any() const
    {
        return nand() || link.any() || core.any() || channel.any() || ecc.any() || dram_phy.any();
    }
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
