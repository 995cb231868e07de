// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::pcie {

/// Counters since construction; a copy is a snapshot. Up is device to host.
struct link_stats {
    std::uint64_t bytes_up = 0; // of TLPs, with all overhead on the wire; DLLPs are apart
    std::uint64_t bytes_down = 0;
    std::uint64_t tlps_up = 0;
    std::uint64_t tlps_down = 0;
    sim_time busy_up; // with TLPs
    sim_time busy_down;
    std::uint64_t dllp_bytes_up = 0;
    std::uint64_t dllp_bytes_down = 0;
    std::uint64_t credit_stalls_up = 0; // TLPs that waited for the receiver's credits ...
    std::uint64_t credit_stalls_down = 0;
    sim_time credit_stall_time_up; // ... and for how long in all
    sim_time credit_stall_time_down;
    std::uint64_t replays_up = 0; // of TLPs that arrived wrong
    std::uint64_t replays_down = 0;
    std::uint64_t tag_stalls = 0; // read requests of the drive that waited for a tag
    sim_time tag_stall_time;
    sim_time tags_out{}; // while any of them waited
};

} // namespace ssdvp::pcie
