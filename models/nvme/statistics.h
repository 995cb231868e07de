// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ssdvp::nvme {

/// Counters since construction; a copy is a snapshot.
struct front_end_stats {
    std::uint64_t commands_fetched = 0;
    std::uint64_t completions = 0;
    std::uint64_t moves = 0;
    std::uint64_t bytes_to_host = 0;
    std::uint64_t bytes_from_host = 0;
    std::uint64_t host_interrupts = 0;   // MSI-X messages
    std::uint64_t device_interrupts = 0; // raised to the controller's cores
    std::uint64_t invalid_doorbells = 0;
    std::uint64_t fatal_states = 0;   // CSTS.CFS became 1 for what the host did
    std::uint64_t stale_moves = 0;    // for slots that a controller reset emptied
    std::uint64_t lookups = 0;        // of the engine, which then reads the flash
    std::uint64_t lookups_missed = 0; // ... that left the command to firmware
    std::uint64_t lookup_sectors = 0; // that it read for the host
};

} // namespace ssdvp::nvme
