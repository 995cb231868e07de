// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::dram {

struct dram_config {
    std::uint64_t capacity = 0; // bytes
    rate bandwidth;             // bytes per second, peak of the interface
    double efficiency = 1.0;    // share of the peak that random bursts reach
    sim_time latency;           // request -> first data, unloaded
};

} // namespace ssdvp::dram
