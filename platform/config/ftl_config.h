// SPDX-License-Identifier: Apache-2.0
//
// The resolved configuration of the firmware: schemes, buffer, placement, collection.
#pragma once

#include <cstdint>

#include "models/common/time.h"
#include "platform/config/boxed.h"

struct boot_refresh;
struct boot_wear;
struct boot_zones;

namespace ssdvp::platform {

// Shared with the firmware: the enumerators are in choices.h, the defaults in the option tables.
enum class cache_policy : std::uint32_t;
enum class ftl_scheme : std::uint32_t;
enum class gc_policy : std::uint32_t;
enum class map_policy : std::uint32_t;
enum class non_sequential : std::uint32_t;
enum class placement_kind : std::uint32_t;
enum class shallow_policy : std::uint32_t;
enum class slc_policy : std::uint32_t;
enum class superblock_stripe : std::uint32_t;

enum class map_streams { shared, per_level };
enum class log_unit { page, block };
enum class cache_window { fixed, adaptive };
enum class cache_unit { sector, page };
enum class bplru_victim { another, oldest };  // than the block of the unit that comes
enum class bplru_rewrite { continues, ends }; // the order of a block
enum class write_mode { normal, shallow, slc };
enum class page_index { none, ram };
enum class sequential_merge : std::uint32_t;

/// Schemes that map logical blocks, each page at its place or in a log (ftl.<scheme>.*).
struct block_map_config {
    std::uint32_t msbs_spare_pages = 0;       // of a physical block
    page_index msbs_index = page_index::none; // of what lies in spare pages
    bool fmax_switch = false;                 // a replacement block written in place takes over
    page_index fmax_index = page_index::none; // of what lies in replacement blocks
    std::uint32_t lm_moving_blocks = 1;
    bool lm_eager_close = true;        // ... when it is full, else when its place is wanted
    std::uint32_t bast_log_blocks = 0; // each of one logical block
    bool bast_partial_merge = true;    // a log block in order from page 0 on is completed
    bool bast_log_info = false;        // a page programmed when a log block is taken or merged
    std::uint32_t fast_random_log_blocks = 0; // each of any logical blocks
    sequential_merge fast_merge{};
    non_sequential fast_jump{};
    std::uint32_t superblock_blocks = 8;        // logical blocks of a superblock
    std::uint32_t superblock_update_blocks = 4; // that one has at most
    std::uint32_t superblock_pool_blocks = 0;   // ... all of them have
    std::uint32_t kast_log_blocks = 0;          // sequential and random ones
    std::uint32_t kast_associativity = 0;       // logical blocks that one of them has pages of
    std::uint32_t sast_set_blocks = 0;          // logical blocks that share log blocks
    std::uint32_t sast_set_log_blocks = 0;      // ... so many at most
    std::uint32_t sast_log_blocks = 0;          // of all of them
    std::uint64_t last_threshold = 0; // bytes of a write that goes to a sequential log block
    std::uint32_t last_sequential_blocks = 0;
    std::uint32_t last_random_blocks = 0;
    std::uint32_t last_hot_blocks = 0; // of these, to begin with
    std::uint32_t last_hot_window = 0; // random writes within which a hot page comes again
    bool last_adaptive = true;         // hot_blocks follows what dies
};

/// Where a write lands, as in placement_id; a static order is placement_orders + its code
/// (PLACEMENT_ORDER).
constexpr std::uint32_t placement_orders = 0x100;

struct placement_config {
    placement_kind where{};
    std::uint32_t window = 2; // superblocks that a stream may have open
    sim_time threshold;       // that the first page of a multi-plane program waits; 0 = any

    [[nodiscard]] bool is_static() const
    {
        return static_cast<std::uint32_t>(where) >= placement_orders;
    }
    [[nodiscard]] bool is_stripe() const;
    /// A page's address says where it lands.
    [[nodiscard]] bool is_keyed() const;
};

/// Memory of the map, and of what is cached of it; as in boot_map_memory.
enum class map_memory : std::uint32_t { dram, sram, hmb };

/// What the drive asks of the host's memory.
struct hmb_config {
    std::uint64_t preferred = 0; // bytes, HMPRE
    std::uint64_t minimum = 0;   // HMMIN
};

struct cache_config;
struct slc_cache_config;

// Of structs of models/regs/parts those fields that options are of; what parts below them fill in
// is not there.
extern template class boxed<boot_refresh>;
extern template class boxed<boot_wear>;
extern template class boxed<boot_zones>;
extern template class boxed<cache_config>;
extern template class boxed<slc_cache_config>;

struct ftl_config {
    ftl_scheme scheme{};
    double over_provisioning =
        0.07; // spare share of the physical capacity: user = physical * (1 - op)
    std::uint32_t map_unit = 4096; // bytes per map entry
    gc_policy gc{};
    double gc_threshold = 0.05; // start when free superblocks fall below this share
    double gc_stop = 0.08;      // stop at this share
    boxed<boot_wear> wear;
    bool trim = true;
    bool multi_plane = true;
    superblock_stripe stripe{};
    bool gc_copyback = false; // collection moves whole pages inside their LUN
    boxed<boot_refresh> refresh;
    sim_time patrol_interval;    // 0 = no patrol
    std::uint64_t map_cache = 0; // bytes for the cached part of a map that is paged
    double map_share = 0.0;      // of the map that they are to hold; 0 = map_cache says how many
    map_memory memory = map_memory::dram;
    hmb_config hmb;
    double log_set_invalid = 0.0; // share of garbage that is collected at any time; 0 = none
    map_policy log_set_policy{};  // map page that leaves the buffer of log_set
    map_streams log_set_streams = map_streams::shared; // open superblocks of the logs of maps
    std::uint64_t log_set_upper = 0; // bytes for level 2 of the map; 0 = all of it
    map_policy log_set_upper_policy{};
    log_unit log_set_unit = log_unit::page; // what D appends
    std::uint32_t log_set_w_log = 0;        // blocks of the W-log; 0 = there is none
    std::uint32_t log_set_w_threshold = 0;  // neighbouring pages that pass it by; 0 = half a block
    bool dftl_batch = true;                 // all that is dirty of a map page is written with it
    std::uint32_t streams = 0;              // of the host, by directive; 0 = no directives
    std::uint32_t vm_segments = 0;          // of the map in DRAM; 0 = as many as map_cache holds
    block_map_config blocks;
    placement_config place;
    boxed<slc_cache_config> slc;           // parts/slc.h
    std::uint64_t checkpoint_interval = 0; // bytes programmed between checkpoints of the maps
};

} // namespace ssdvp::platform
