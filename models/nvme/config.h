// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/data_mode.h"
#include "models/common/time.h"

namespace ssdvp::nvme {

struct front_end_config {
    std::uint32_t queue_pairs = 8;            // I/O queue pairs the hardware holds
    std::uint32_t queue_entries = 1024;       // CAP.MQES + 1
    std::uint32_t vectors = 9;                // MSI-X vectors
    std::uint32_t slots = 512;                // commands in the drive at a time
    std::uint32_t fetch_burst = 8;            // submission entries per fetch
    sim_time decode_latency;                  // entry received -> in the command ring
    sim_time move_latency;                    // mover descriptor -> first DMA
    bool lookup = false;                      // there is a look-up engine, which takes reads ...
    sim_time lookup_time;                     // ... and so long for each look-up
    sim_time ready_limit{10'000'000'000'000}; // CAP.TO, in steps of 500 ms
    /// Data are asked for when the link has brought what was asked for before but for so much.
    sim_time ask_ahead{1'000'000'000'000};
    data_mode data = data_mode::tag;
};

} // namespace ssdvp::nvme
