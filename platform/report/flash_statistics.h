// SPDX-License-Identifier: Apache-2.0
//
// What was counted of the flash: operations by purpose, what reads found, arrays and buses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/common/time.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::platform {

struct purpose_statistics {
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
    std::uint64_t bytes_programmed = 0;
};

/// What reads found wrong, and what the decoder made of it.
struct ecc_statistics {
    std::uint64_t corrected_bits = 0;
    std::uint64_t uncorrectable = 0; // pages
    std::uint64_t soft_decodes = 0;  // soft steps
    std::uint64_t retries = 0;       // pages read at a read retry level
};

/// Counted per plane: pages read and programmed, blocks erased. Bytes are those of the data area.
struct flash_statistics {
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
    std::optional<std::uint64_t> suspends;
    std::optional<std::uint64_t> resumes;
    std::optional<std::uint64_t> multi_plane; // operations on more than one plane
    std::optional<std::uint64_t> joined;      // operations in another's multi-plane sequence
    std::optional<std::uint64_t> cached;      // operations by cache read or cache program
    std::optional<std::uint64_t> overlapped;  // reads that began while another plane read
    std::optional<std::uint64_t> snap_reads;  // reads that sensed a part of the page
    std::optional<std::uint64_t> copybacks;
    std::optional<ecc_statistics> ecc; // where the part has bit errors
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_programmed = 0;
    std::array<purpose_statistics, FLASH_PURPOSES> by_purpose{}; // index: enum flash_purpose
};

/// How long an array worked at one kind of operation: as flash::array_time.
struct array_statistics {
    sim_time time;
    sim_time planes; // each operation as often as it had planes
};

struct lun_statistics {
    sim_time busy; // array at work
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
    std::array<array_statistics, 3> arrays{}; // read, program, erase
    /// By operations, from the first command cycle to the last byte on the bus, waits for the bus
    /// and suspends included; mean of the planes.
    sim_time held{};
};

struct channel_statistics {
    sim_time busy;                   // bus
    std::optional<sim_time> polling; // status polls with a period; they may overlap `busy`
    std::vector<lun_statistics> luns;
};

} // namespace ssdvp::platform
