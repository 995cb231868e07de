// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::dram {

/// Counts since the start. A run: the bursts of a transfer that lie in one row.
struct dram_stats {
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    sim_time busy{}; // data bus occupied

    std::uint64_t bursts_read = 0;
    std::uint64_t bursts_written = 0;
    std::uint64_t accesses = 0;
    // Model bank; 0 with the other.
    std::uint64_t row_hits = 0;      // runs that found their row open
    std::uint64_t row_misses = 0;    // ... all rows closed
    std::uint64_t row_conflicts = 0; // ... another row open
    std::uint64_t activates = 0;     // ACT commands
    std::uint64_t refreshes = 0;     // REF commands
    sim_time open{};                 // time with a row open in any bank
    bool banks = false;              // the model is `bank`
};

} // namespace ssdvp::dram
