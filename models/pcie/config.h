// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::pcie {

struct link_config {
    std::uint32_t generation = 4;         // 1..6
    std::uint32_t lanes = 4;              // 1, 2, 4, 8, 16
    std::uint32_t max_payload_size = 256; // bytes: 128, 256, 512
    std::uint32_t max_read_request_size = 512;
    std::uint32_t read_completion_boundary = 64;
    sim_time propagation;  // last symbol sent -> TLP acted on, each direction
    sim_time host_latency; // MRd received by the root complex -> first completion starts
};

} // namespace ssdvp::pcie
