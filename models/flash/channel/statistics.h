// SPDX-License-Identifier: Apache-2.0
//
// Counters of a channel. Plain numbers: the platform subtracts two snapshots.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/time.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

struct purpose_counts {
    std::uint64_t reads = 0;    // pages: each plane of a multi-plane operation counts
    std::uint64_t programs = 0; // pages
    std::uint64_t erases = 0;   // blocks
    std::uint64_t bytes_programmed = 0;
};

struct channel_stats {
    sim_time busy;    // cycles on the bus
    sim_time polling; // cycles of status polls with a period; they may overlap `busy`
    std::array<purpose_counts, FLASH_PURPOSES> by_purpose{};
    std::uint64_t bytes_read = 0; // of data, out-of-band bytes and parity excluded
    std::uint64_t bytes_programmed = 0;
    std::uint64_t multi_plane = 0; // operations on more than one plane
    std::uint64_t joined = 0;      // operations that joined another's multi-plane sequence
    std::uint64_t cached = 0;     // operations that followed another by cache read or cache program
    std::uint64_t overlapped = 0; // reads that began while another plane of their LUN read
    std::uint64_t snap_reads = 0; // reads for which the array sensed a part of the page
    std::uint64_t copybacks = 0;  // pages, also in `reads` and `programs`
    std::uint64_t suspends = 0;
    std::uint64_t resumes = 0;
    std::uint64_t corrected_bits = 0;
    std::uint64_t uncorrectable = 0; // pages
    std::uint64_t soft_decodes = 0;  // soft steps of the decoder
    std::uint64_t retries = 0;       // pages read at a read retry level
    // Operations that have ended, by what came of them:
    std::uint64_t stored = 0; // the cells are others
    std::uint64_t looked = 0; // reads, of the registers too
    std::uint64_t failed = 0; // uncorrectable, failed or refused
    /// Longest time a host read waited for one program, erase or copy-back read on its LUN: a
    /// maximum, not a counter.
    sim_time worst_blocking;
};

} // namespace ssdvp::flash
