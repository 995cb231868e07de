// SPDX-License-Identifier: Apache-2.0
//
// Every ONFI data interface mode as one row of data: cycle time, transfer rate and the value of
// each named constraint. Sources: ONFI, Timing Modes and Timing Parameters; for SDR and NV-DDR also
// Linux' nand_timings.c.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/time.h"
#include "models/flash/config.h"

namespace ssdvp::flash {

/// Constants of one data interface mode, by their data-sheet names.
struct cycle_times {
    sim_time tWC;   // one command, address or SDR data-in cycle; NV-DDR: tCAD
    sim_time tRC;   // one SDR data-out cycle
    sim_time tCK;   // DDR data cycle (two bytes); 0 = from the transfer rate
    sim_time tWB;   // last cycle -> R/B# low, at most; and what the host waits for it
    sim_time tRR;   // R/B# high -> first data-out cycle
    sim_time tADL;  // address -> first data-in cycle
    sim_time tWHR;  // status command -> status byte
    sim_time tRHW;  // last data-out cycle -> next command cycle
    sim_time tCCS;  // change column -> first data cycle
    sim_time tDBSY; // between the planes of a multi-plane command, unless the die says
    sim_time tFEAT; // features are set
};

/// How cycles are clocked, and so which names constraints have.
enum class bus_family : std::uint8_t { sdr = 1, nv_ddr = 2, nv_ddr2 = 4 }; // nv_ddr2 and later

struct interface_mode {
    data_interface interface;     // sdr0..sdr5 are modes of their own
    unsigned number;              // timing mode; beyond the named modes of NV-DDR3 counted on
    std::uint64_t mega_transfers; // per second and pin; SDR rounded to the nearest
    cycle_times times;
};

constexpr bus_family family_of(data_interface i)
{
    if (i < data_interface::nv_ddr) {
        return bus_family::sdr;
    }
    return i == data_interface::nv_ddr ? bus_family::nv_ddr : bus_family::nv_ddr2;
}

namespace interface_rows {

using literals::operator""_ns;
using literals::operator""_ps;
using literals::operator""_us;

// Constants that the modes of one interface share. SDR 2 and 4 are not printed in 8.3; their
// neighbours agree. NV-DDR command cycles take tCAD (45 ns, slow). NV-DDR2/3 command cycles use
// WE# with tWC, the other constants are the row "NV-DDR2" of 8.3. Of NV-LPDDR4 8.1 prints its
// highest rates only; below them, and in its constants, it is taken to be as NV-DDR3.
constexpr cycle_times sdr0()
{
    return {100_ns, 100_ns, 0_ps, 200_ns, 40_ns, 400_ns, 120_ns, 200_ns, 500_ns, 500_ns, 1_us};
}
constexpr cycle_times sdr(sim_time tRC, sim_time tWC)
{
    return {tWC, tRC, 0_ps, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns, 500_ns, 1_us};
}
constexpr cycle_times ddr(sim_time tCK)
{
    return {45_ns, 0_ps, tCK, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns, 500_ns, 1_us};
}
constexpr cycle_times ddr2(sim_time tCK)
{
    return {25_ns, 0_ps, tCK, 100_ns, 20_ns, 70_ns, 80_ns, 100_ns, 300_ns, 500_ns, 1_us};
}

} // namespace interface_rows

/// ONFI, Timing Modes; slowest first within an interface. A cycle that is no whole number of
/// picoseconds is 0 here: it follows from the rate.
constexpr auto interface_modes = [] {
    using di = data_interface;
    using interface_rows::ddr;
    using interface_rows::ddr2;
    using interface_rows::sdr;
    using interface_rows::sdr0;
    using literals::operator""_ns;
    using literals::operator""_ps;
    return std::array{
        interface_mode{di::sdr0, 0, 10, sdr0()},
        interface_mode{di::sdr1, 1, 20, sdr(50_ns, 45_ns)},
        interface_mode{di::sdr2, 2, 29, sdr(35_ns, 35_ns)},
        interface_mode{di::sdr3, 3, 33, sdr(30_ns, 30_ns)},
        interface_mode{di::sdr4, 4, 40, sdr(25_ns, 25_ns)},
        interface_mode{di::sdr5, 5, 50, sdr(20_ns, 20_ns)},
        interface_mode{di::nv_ddr, 0, 40, ddr(50_ns)},
        interface_mode{di::nv_ddr, 1, 67, ddr(30_ns)},
        interface_mode{di::nv_ddr, 2, 100, ddr(20_ns)},
        interface_mode{di::nv_ddr, 3, 133, ddr(15_ns)},
        interface_mode{di::nv_ddr, 4, 167, ddr(12_ns)},
        interface_mode{di::nv_ddr, 5, 200, ddr(10_ns)},
        interface_mode{di::nv_ddr2, 0, 67, ddr2(30_ns)},
        interface_mode{di::nv_ddr2, 1, 80, ddr2(25_ns)},
        interface_mode{di::nv_ddr2, 2, 133, ddr2(15_ns)},
        interface_mode{di::nv_ddr2, 3, 167, ddr2(12_ns)},
        interface_mode{di::nv_ddr2, 4, 200, ddr2(10_ns)},
        interface_mode{di::nv_ddr2, 5, 267, ddr2(7500_ps)},
        interface_mode{di::nv_ddr2, 6, 333, ddr2(6_ns)},
        interface_mode{di::nv_ddr2, 7, 400, ddr2(5_ns)},
        interface_mode{di::nv_ddr2, 8, 533, ddr2(3750_ps)},
        interface_mode{di::nv_ddr3, 0, 67, ddr2(30_ns)},
        interface_mode{di::nv_ddr3, 1, 80, ddr2(25_ns)},
        interface_mode{di::nv_ddr3, 2, 133, ddr2(15_ns)},
        interface_mode{di::nv_ddr3, 3, 167, ddr2(12_ns)},
        interface_mode{di::nv_ddr3, 4, 200, ddr2(10_ns)},
        interface_mode{di::nv_ddr3, 5, 267, ddr2(7500_ps)},
        interface_mode{di::nv_ddr3, 6, 333, ddr2(6_ns)},
        interface_mode{di::nv_ddr3, 7, 400, ddr2(5_ns)},
        interface_mode{di::nv_ddr3, 8, 533, ddr2(3750_ps)},
        interface_mode{di::nv_ddr3, 9, 667, ddr2(3_ns)},
        interface_mode{di::nv_ddr3, 10, 800, ddr2(2500_ps)},
        interface_mode{di::nv_ddr3, 11, 933, ddr2(0_ps)},
        interface_mode{di::nv_ddr3, 12, 1066, ddr2(0_ps)},
        interface_mode{di::nv_ddr3, 13, 1200, ddr2(0_ps)},
        interface_mode{di::nv_ddr3, 14, 1333, ddr2(0_ps)},
        interface_mode{di::nv_ddr3, 15, 1600, ddr2(1250_ps)},
        interface_mode{di::nv_ddr3, 16, 2400, ddr2(0_ps)},
        interface_mode{di::nv_lpddr4, 0, 67, ddr2(30_ns)},
        interface_mode{di::nv_lpddr4, 1, 80, ddr2(25_ns)},
        interface_mode{di::nv_lpddr4, 2, 133, ddr2(15_ns)},
        interface_mode{di::nv_lpddr4, 3, 167, ddr2(12_ns)},
        interface_mode{di::nv_lpddr4, 4, 200, ddr2(10_ns)},
        interface_mode{di::nv_lpddr4, 5, 267, ddr2(7500_ps)},
        interface_mode{di::nv_lpddr4, 6, 333, ddr2(6_ns)},
        interface_mode{di::nv_lpddr4, 7, 400, ddr2(5_ns)},
        interface_mode{di::nv_lpddr4, 8, 533, ddr2(3750_ps)},
        interface_mode{di::nv_lpddr4, 9, 667, ddr2(3_ns)},
        interface_mode{di::nv_lpddr4, 10, 800, ddr2(2500_ps)},
        interface_mode{di::nv_lpddr4, 11, 933, ddr2(0_ps)},
        interface_mode{di::nv_lpddr4, 12, 1066, ddr2(0_ps)},
        interface_mode{di::nv_lpddr4, 13, 1200, ddr2(0_ps)},
        interface_mode{di::nv_lpddr4, 14, 1333, ddr2(0_ps)},
        interface_mode{di::nv_lpddr4, 15, 1600, ddr2(1250_ps)},
        interface_mode{di::nv_lpddr4, 16, 2400, ddr2(0_ps)},
        interface_mode{di::nv_lpddr4, 17, 2800, ddr2(0_ps)},
        interface_mode{di::nv_lpddr4, 18, 3200, ddr2(625_ps)},
        interface_mode{di::nv_lpddr4, 19, 3600, ddr2(0_ps)},
    };
}();

/// Is `mega_transfers` a name of the mode? "667 MT/s" is a cycle of exactly 3 ns, and 2 / 3 ns is
/// between 666 and 667 MT/s.
constexpr bool names(std::uint64_t mega_transfers, const interface_mode& m)
{
    const std::uint64_t tCK = m.times.tCK.ps();
    constexpr std::uint64_t two_per_us = 2 * 1000 * 1000; // ps
    return mega_transfers == m.mega_transfers ||
           (tCK != 0 &&
            (mega_transfers == two_per_us / tCK || mega_transfers == (two_per_us + tCK - 1) / tCK));
}

/// Transfer rates, 1/s, that an interface may run at. SDR has one per mode, 1 / tRC rounded down.
struct interface_rates {
    std::uint64_t min;
    std::uint64_t max;
    std::uint64_t usual;
};

[[nodiscard]] constexpr interface_rates rates_of(data_interface i)
{
    constexpr std::uint64_t mega = 1000 * 1000;
    interface_rates r{0, 0, 0};
    for (const interface_mode& m : interface_modes) {
        if (m.interface != i) {
            continue;
        }
        if (family_of(i) == bus_family::sdr) {
            const std::uint64_t exact = mega * mega / m.times.tRC.ps();
            return {exact, exact, exact};
        }
        // A mode's name may be its rate rounded down or up.
        const std::uint64_t tCK = m.times.tCK.ps();
        if (r.min == 0) {
            r.min = (tCK != 0 ? 2 * mega / tCK : m.mega_transfers) * mega;
        }
        r.max = (tCK != 0 ? (2 * mega + tCK - 1) / tCK : m.mega_transfers) * mega;
    }
    // What parts of the interface usually run at: 8.4.
    r.usual = i == data_interface::nv_ddr    ? 200 * mega
              : i == data_interface::nv_ddr2 ? 533 * mega
              : i == data_interface::nv_ddr3 ? 667 * mega
                                             : 2400 * mega;
    return r;
}

} // namespace ssdvp::flash
