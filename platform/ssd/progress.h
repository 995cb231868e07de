// SPDX-License-Identifier: Apache-2.0
//
// Whether a drive gets anywhere: counters that grow with what it does.
#pragma once

#include <cstdint>

namespace ssdvp::platform {

struct drive_progress {
    std::uint64_t lasting = 0; // commands fetched and completed, pages programmed, blocks erased;
                               // time asleep, or too hot to work
    std::uint64_t passing = 0; // pages read, data moved: firmware may do it again and again
    std::uint64_t in_vain = 0; // operations that failed, misuse of the hardware
};

} // namespace ssdvp::platform
