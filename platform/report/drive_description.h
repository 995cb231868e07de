// SPDX-License-Identifier: Apache-2.0
//
// What the drive is and what is asked of it, as far as a report depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ssdvp::platform {

/// What the flash is made of; 0 where there is none.
struct drive_geometry {
    std::uint32_t channels = 0;
    std::uint32_t luns_per_channel = 0;
    std::uint32_t planes = 0;
    std::uint32_t blocks_per_plane = 0;
    std::uint32_t pages_per_block = 0; // as they are used: fewer in SLC mode
    std::uint32_t page_bytes = 0;
    std::uint32_t oob_bytes = 0;
    std::uint64_t physical_bytes = 0;
    std::uint64_t capacity_bytes = 0; // for the host
    std::uint64_t superblock_bytes = 0;
    std::uint32_t superblock_blocks = 1; // one in each plane of it
};

/// How the drive was filled, in no simulated time.
struct precondition_figures {
    std::string method; // "units", "counts"
    std::uint64_t filled_bytes = 0;
    std::uint64_t overwritten_bytes = 0;
    std::uint64_t programmed_bytes = 0; // of the flash, collection included
    std::optional<bool> steady;         // where precondition.until asks for it
    /// Of those overwritten the last ones, as the load writes. Empty: it did not settle.
    std::optional<std::uint64_t> settled_bytes;
};

/// A drive of 1/n of the blocks, and how far off what it tells was measured to be, as shares.
struct reduced_figures {
    std::uint32_t to = 1;
    double iops_error = 0.0;
    double write_amplification_error = 0.0;
};

/// How much a load writes before collection finds what the load left itself, and nothing older.
struct load_memory {
    std::uint64_t needed = 0;  // bytes; 0: nobody knows, or the state is its own from the start
    std::uint64_t written = 0; // of them, by preconditioning
    /// Of a state that settled before: its write amplification while so many bytes of the host's
    /// came to the flash for each. Empty: nobody looked.
    std::vector<double> levels;
    std::uint64_t level_bytes = 0;
    std::uint64_t turn = 0; // bytes: what the load writes to, and the spare space; 0: no streams
};

/// What the workload asks of the drive.
struct load_description {
    double rate = 0.0;          // of open loops, requests per second
    std::uint32_t depth = 0;    // of closed loops, requests in flight; 0: none is
    bool timed = false;         // a trace gives the times; depth is how far it may fall behind
    double failed_limit = 0.01; // share of the requests that may fail
};

/// What the drive is, as far as a report depends on it.
struct drive_description {
    std::string scheme;              // ftl.scheme
    std::string cache_policy;        // empty or "none": no cache section
    bool reads_ahead = false;        // the buffer reads ahead of streams
    std::uint32_t map_unit = 0;      // bytes
    bool map_is_paged = false;       // the scheme looks its map up in flash: ftl.map exists
    double map_share = 1.0;          // of the map that memory has room for
    bool places = false;             // addresses say where units go: ftl.strayed_units exists
    bool merges = false;             // the scheme merges: ftl.merges exists
    bool health = false;             // errors can happen, or firmware looks for them: ftl.health
    std::uint32_t retry_levels = 0;  // of the part
    std::uint64_t refresh_reads = 0; // of a block, until its data are moved; 0: never
    bool zoned = false;              // ftl.zones exists
    drive_geometry geometry;
    std::optional<reduced_figures> reduced; // it stands for a larger one
    load_description load;
    load_memory memory;
    std::vector<double> state_watts; // power.states.max_power; empty: nothing limits the power
    double submit_ns = 0.0;          // host.driver.submit_latency
    std::uint32_t tags = 0;          // host.pcie.tags
    std::uint32_t slots = 0;         // host.nvme.slots
    std::optional<precondition_figures> precondition; // empty: it was not filled
    bool retention = false;       // shallow pages are tracked: ftl.retention exists
    bool predicts = false;        // ... and their lifetimes predicted
    bool slc_cache = false;       // ftl.slc_cache exists
    bool host_buffer = false;     // ftl.hmb exists
    double retention_speed = 1.0; // retention per simulated time
    std::uint32_t purposes = ~0u; // bit p: this drive can do flash_purpose p
    std::vector<std::pair<std::string, std::string>>
        rows; // "flash", "8 channels x 4 LUNs": for people
};

} // namespace ssdvp::platform
