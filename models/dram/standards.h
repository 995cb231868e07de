// SPDX-License-Identifier: Apache-2.0
//
// The DRAM standards as tables: organisation and times of JEDEC, currents of a data sheet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/dram/config.h"

namespace ssdvp::dram {

constexpr std::size_t figure_count = 17;

/// A time as standards give it: the longer of a time and a number of clocks.
struct figure {
    std::uint64_t ps;
    std::uint32_t clocks;
};

/// Currents of one part from one supply, in A.
struct supply {
    double volts;
    double IDD0, IDD2N, IDD3N, IDD4R, IDD4W, IDD5B;
};

struct standard_table {
    const char* name;
    rate transfers;
    std::uint32_t part_width; // bits
    std::uint32_t banks;
    std::uint32_t groups;                   // of banks; 1 = none
    std::uint32_t part_row;                 // bytes of a bank's row in one part
    std::uint32_t burst;                    // transfers
    std::uint32_t per_clock;                // transfers per clock of the commands
    std::array<figure, figure_count> times; // in the order of figures()
    rate currents_at;                       // transfers per second at which IDD4 was measured
    std::array<supply, 2> supplies;
};

[[nodiscard]] const standard_table& table_of(dram_standard standard);

struct figure_name {
    const char* name;
    sim_time timing_figures::*member;
    const char* about;
};
[[nodiscard]] const std::array<figure_name, figure_count>& figures();

/// Period of the command clock, rounded up to a picosecond.
[[nodiscard]] sim_time clock_of(dram_standard standard, rate transfers);
/// Times of the standard at `transfers` per second.
[[nodiscard]] timing_figures timing_of(dram_standard standard, rate transfers);
/// Bytes of a bank's row over `width` bits.
[[nodiscard]] std::uint32_t row_of(dram_standard standard, std::uint32_t width);
/// Bytes of a burst over `width` bits.
[[nodiscard]] std::uint32_t burst_of(dram_standard standard, std::uint32_t width);
/// Banks that are opened together so that bursts can take turns between two groups.
[[nodiscard]] std::uint32_t ways_of(dram_standard standard);

} // namespace ssdvp::dram
