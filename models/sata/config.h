// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::sata {

struct link_config {
    std::uint32_t generation = 3;            // 1, 2, 3: 1.5, 3, 6 Gb/s before 8b/10b
    std::uint32_t speed = 100;               // percent of that
    std::uint32_t handshake = 10;            // DW of primitives around a frame
    sim_time latency = sim_time(100 * 1000); // primitive sent -> answer seen, twice in each frame
    double crc_error_rate = 0.0;             // share of frames that arrive damaged
    std::uint64_t seed = 1;
};

} // namespace ssdvp::sata
