// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/data_mode.h"
#include "models/common/time.h"

namespace ssdvp::sata {

struct front_end_config {
    sim_time decode_latency; // Register FIS received -> in the command ring
    sim_time move_latency;   // mover descriptor -> first DMA
    data_mode data = data_mode::tag;
};

/// Counters since construction; a copy is a snapshot.
struct front_end_stats {
    std::uint64_t commands_fetched = 0; // received and handed to firmware
    std::uint64_t completions = 0;      // that the host was told of
    std::uint64_t moves = 0;
    std::uint64_t bytes_to_host = 0;
    std::uint64_t bytes_from_host = 0;
    std::uint64_t device_interrupts = 0; // raised to the controller's cores
    std::uint64_t stale_moves = 0;       // for slots that a reset emptied
    std::uint64_t set_device_bits = 0;   // frames; a good one may end several commands
    std::uint64_t refused_frames = 0;    // unknown, malformed, or data that nobody asked for
    std::uint64_t ignored_commands = 0;  // came while BSY was set
    std::uint64_t queue_stops = 0;       // errors of queued commands, and breaches of their rules
    std::uint64_t aborted_commands = 0;  // queued ones that such a stop took along
    std::uint64_t resets = 0;            // COMRESET, SRST, power of the link
};

} // namespace ssdvp::sata
