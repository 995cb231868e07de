// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::dram {

enum class dram_model { bandwidth, bank };
enum class dram_standard { ddr3, ddr4, lpddr4, lpddr5 };
enum class page_policy { open, closed };
enum class address_mapping { row_bank_column, bank_interleaved };

/// Times of a part, named as in the standards. `_L`: between banks of one group; where there are
/// no groups it is the same as without.
struct timing_figures {
    sim_time tRCD;   // ACT -> RD, WR
    sim_time tCL;    // RD -> first data
    sim_time tCWL;   // WR -> first data
    sim_time tRP;    // PRE -> ACT, REF
    sim_time tRAS;   // ACT -> PRE
    sim_time tRC;    // ACT -> ACT of the same bank
    sim_time tRRD;   // ACT -> ACT of another bank
    sim_time tRRD_L; // ... of the same group
    sim_time tFAW;   // five ACTs take longer than this
    sim_time tCCD;   // RD -> RD, WR -> WR
    sim_time tCCD_L; // ... of the same group
    sim_time tWR;    // end of written data -> PRE
    sim_time tWTR;   // end of written data -> RD, any bank
    sim_time tRTP;   // RD -> PRE
    sim_time tRTW;   // end of read data -> begin of written data
    sim_time tRFC;   // REF -> any command
    sim_time tREFI;  // REF -> REF, on the average
};

struct dram_config {
    std::uint64_t capacity = 0; // bytes
    rate bandwidth;             // bytes per second, peak of the interface
    double efficiency = 1.0;    // model bandwidth: share of the peak that random bursts reach
    sim_time latency;           // model bandwidth: request -> first data, unloaded

    dram_model model = dram_model::bandwidth;
    dram_standard standard = dram_standard::ddr4;
    rate transfers;           // per second
    std::uint32_t width = 32; // bits

    // Model bank.
    std::uint32_t banks = 16;
    std::uint32_t row_size = 4096; // bytes of a bank's row over the whole width
    timing_figures timing;
    page_policy policy = page_policy::open;
    address_mapping mapping = address_mapping::row_bank_column;
    std::uint32_t interleave = 512;  // bytes in a bank before the next one (bank_interleaved)
    std::uint32_t refresh_group = 1; // refreshes done together
    sim_time controller_latency;     // of a request, through controller and PHY

    // On-chip memory that answers to addresses of this window: a map that is not in DRAM.
    std::uint64_t on_chip_begin = 0; // from the beginning of the window
    std::uint64_t on_chip_size = 0;
    sim_time on_chip_latency;
};

} // namespace ssdvp::dram
