// SPDX-License-Identifier: Apache-2.0
//
// Times: JEDEC standards, named above each table, parts of 8 Gbit (LPDDR: 8 Gbit per channel of 16
// bits); DDR3: 4 Gbit. Currents: data sheets; JEDEC only says how they are measured.
#include "models/dram/standards.h"

#include "models/common/time.h"

namespace ssdvp::dram {

namespace {

constexpr std::uint64_t mega = 1000 * 1000;
constexpr double mA = 1e-3;

constexpr figure ns(std::uint64_t hundredths, std::uint32_t clocks = 0)
{
    return {hundredths * 10, clocks};
}
constexpr figure nCK(std::uint32_t clocks)
{
    return {0, clocks};
}

// JESD79-3F, DDR3-1600K (11-11-11), x8, 1 KiB page: speed bins (tables 63 to 68), tRFC (table 61),
// timing parameters by speed bin (tables 68, 69). tRTW: read to write is RL + tCCD + 2 tCK - WL.
// Currents: Micron MT41J512M8, 1600 MT/s, 1.5 V.
constexpr standard_table ddr3 = {
    "ddr3",
    rate(1600 * mega),
    8,
    8,
    1,
    1024,
    8,
    2,
    {ns(1375), ns(1375), ns(1000), ns(1375), ns(3500), ns(4875), ns(600, 4), ns(600, 4), ns(3000),
     nCK(4), nCK(4), ns(1500), ns(750, 4), ns(750, 4), nCK(2), ns(26000), ns(780000)},
    rate(1600 * mega),
    {{{1.5, 55 * mA, 32 * mA, 38 * mA, 157 * mA, 125 * mA, 235 * mA}, {0, 0, 0, 0, 0, 0, 0}}}};

// JESD79-4, DDR4-3200AA (22-22-22), x8, 1 KiB page, 4 groups of 4 banks: speed bins, tRFC1 and
// tREFI by density, timing parameters by speed bin. tWTR is tWTR_L.
// Currents: Micron MT40A1G8, 2400 MT/s, VDD 1.2 V and VPP 2.5 V (IPP0, IPP3N 3 mA).
constexpr standard_table ddr4 = {"ddr4",
                                 rate(3200 * mega),
                                 8,
                                 16,
                                 4,
                                 1024,
                                 8,
                                 2,
                                 {ns(1375), ns(1375), ns(1000), ns(1375), ns(3200), ns(4575),
                                  ns(250, 4), ns(490, 4), ns(2100, 20), nCK(4), ns(500, 5),
                                  ns(1500), ns(750, 4), ns(750, 4), nCK(2), ns(35000), ns(780000)},
                                 rate(2400 * mega),
                                 {{{1.2, 48 * mA, 34 * mA, 43 * mA, 135 * mA, 123 * mA, 250 * mA},
                                   {2.5, 3 * mA, 3 * mA, 3 * mA, 3 * mA, 3 * mA, 3 * mA}}}};

// JESD209-4, LPDDR4-4266, a channel of 16 bits, 2 KiB page: RL 36, WL 18 (set A), core timing,
// refresh of 8 Gbit per channel. tRRD 7.5 ns and tFAW 30 ns are those of 4266 MT/s; slower bins
// have 10 ns and 40 ns. tRP is tRPab, which a refresh asks for. tRTW: the latest tDQSCK, 3.5 ns,
// and tWPRE. Currents: Micron 6 Gbit LPDDR4-3200, VDD1 1.8 V and VDD2 1.1 V.
constexpr standard_table lpddr4 = {
    "lpddr4",
    rate(4266 * mega),
    16,
    8,
    1,
    2048,
    16,
    2,
    {ns(1800, 4),
     {16884, 0},
     {8442, 0},
     ns(2100, 4),
     ns(4200, 3),
     ns(6300),
     ns(750, 4),
     ns(750, 4),
     ns(3000),
     nCK(8),
     nCK(8),
     ns(1800, 6),
     ns(1000, 8),
     ns(750, 8),
     nCK(10),
     ns(28000),
     ns(390400)},
    rate(3200 * mega),
    {{{1.8, 3.5 * mA, 2.0 * mA, 2.25 * mA, 2.25 * mA, 2.25 * mA, 10 * mA},
      {1.1, 45 * mA, 27 * mA, 30 * mA, 275 * mA, 210 * mA, 90 * mA}}}};

// JESD209-5, LPDDR5-6400, a channel of 16 bits, bank group mode (4 x 4 banks, 2 KiB page, bursts of
// 16), WCK:CK 4:1: RL 17, WL 9 (set A), core timing, refresh of 8 Gbit. tRP is tRPab.
// tRTW: the latest tWCK2DQO, 1.6 ns, in whole clocks.
// Currents: an estimate, for no public data sheet has them: the LPDDR4 part's charge per bit from
// VDD2H of 1.05 V.
constexpr standard_table lpddr5 = {
    "lpddr5",
    rate(6400 * mega),
    16,
    16,
    4,
    2048,
    16,
    8,
    {ns(1800, 2), ns(2125), ns(1125), ns(2100, 2), ns(4200, 3), ns(6300), ns(500, 2), ns(500, 2),
     ns(2000), nCK(2), nCK(4), ns(3400, 3), ns(1200, 4), ns(750, 2), nCK(2), ns(21000), ns(390600)},
    rate(6400 * mega),
    {{{1.8, 3.5 * mA, 2.0 * mA, 2.25 * mA, 2.25 * mA, 2.25 * mA, 10 * mA},
      {1.05, 45 * mA, 27 * mA, 30 * mA, 520 * mA, 390 * mA, 90 * mA}}}};

using t = timing_figures;

constexpr std::array<figure_name, figure_count> names = {{
    {"tRCD", &t::tRCD, "ACT until RD or WR"},
    {"tCL", &t::tCL, "RD until its first data; RL of LPDDR"},
    {"tCWL", &t::tCWL, "WR until its first data; WL of LPDDR"},
    {"tRP", &t::tRP, "PRE until ACT or REF"},
    {"tRAS", &t::tRAS, "ACT until PRE"},
    {"tRC", &t::tRC, "ACT until the next ACT of the bank"},
    {"tRRD", &t::tRRD, "ACT until ACT of another bank; of another group, where there are groups"},
    {"tRRD_L", &t::tRRD_L, "ACT until ACT of a bank of the same group"},
    {"tFAW", &t::tFAW, "time that has four ACTs at most"},
    {"tCCD", &t::tCCD, "RD until RD, WR until WR; to another group, where there are groups"},
    {"tCCD_L", &t::tCCD_L, "RD until RD, WR until WR to the same group"},
    {"tWR", &t::tWR, "end of written data until PRE"},
    {"tWTR", &t::tWTR, "end of written data until RD; tWTR_L, used for all banks"},
    {"tRTP", &t::tRTP, "RD until PRE"},
    {"tRTW", &t::tRTW, "end of read data until begin of written data"},
    {"tRFC", &t::tRFC, "REF until the next command; all banks"},
    {"tREFI", &t::tREFI, "REF until REF, on the average"},
}};

} // namespace

const standard_table& table_of(dram_standard standard)
{
    switch (standard) {
    case dram_standard::ddr3:
        return ddr3;
    case dram_standard::lpddr4:
        return lpddr4;
    case dram_standard::lpddr5:
        return lpddr5;
    case dram_standard::ddr4:
        break;
    }
    return ddr4;
}

const std::array<figure_name, figure_count>& figures()
{
    return names;
}

sim_time clock_of(dram_standard standard, rate transfers)
{
    return time_for(table_of(standard).per_clock, transfers);
}

timing_figures timing_of(dram_standard standard, rate transfers)
{
    const standard_table& table = table_of(standard);
    const sim_time tCK = clock_of(standard, transfers);
    timing_figures values;
    for (std::size_t i = 0; i < figure_count; ++i) {
        const figure& f = table.times[i];
        values.*names[i].member = later(sim_time(f.ps), f.clocks * tCK);
    }
    return values;
}

std::uint32_t row_of(dram_standard standard, std::uint32_t width)
{
    const standard_table& table = table_of(standard);
    return table.part_row * width / table.part_width;
}

std::uint32_t burst_of(dram_standard standard, std::uint32_t width)
{
    return table_of(standard).burst * width / 8;
}

std::uint32_t ways_of(dram_standard standard)
{
    return table_of(standard).groups > 1 ? 2 : 1;
}

} // namespace ssdvp::dram
