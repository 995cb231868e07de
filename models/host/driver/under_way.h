// SPDX-License-Identifier: Apache-2.0
//
// What the NVMe driver keeps of requests and commands under way.
#pragma once

#include <cstdint>

#include "models/common/time.h"
#include "models/host/driver/drive.h"
#include "models/host/request.h"

namespace ssdvp::host {

/// What a client asked for.
struct driver_request {
    request_result result;
    request_client* client = nullptr;
    std::uint64_t cookie = 0;
    unsigned char* data = nullptr;
    std::uint32_t issued = 0;    // sectors handed to the drive
    std::uint32_t in_flight = 0; // commands
    std::uint32_t queue = 0;     // of its group, where its next command goes
    std::uint8_t group = 0;
    bool all_issued = false;
    bool started = false;
    bool live = false;  // submitted, not completed
    bool fresh = false; // zones: the reset of the zone that it goes to next has been sent
};

/// A command of it, in its slot.
struct driver_command {
    std::uint32_t request = 0;
    std::uint32_t offset = 0; // sectors, from the start of the request
    std::uint32_t sectors = 0;
    sim_time opened;
    bool reset = false; // of a zone, before the request's data
    bool prp_list_built = false;
};

} // namespace ssdvp::host
