// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/cut_setup.h"
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/host_interface.h"
#include "models/regs/choices/map_policy.h"
#include "models/regs/choices/placement.h"
#include "models/regs/choices/shallow_policy.h"
#include "models/regs/choices/slc_policy.h"
#include "models/regs/choices/stripe.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "models/regs/sata_fe_regs.h"
#include "tests/powercut/log_drive.h"
#include "tests/support/named.h"
#include "tests/support/schemes.h"

namespace ssdvp::test {

namespace {

/// So few that entries leave all the time.
constexpr std::uint64_t map_cache_entries = 12;
/// Most of what power-up has to replay fits, not all.
constexpr std::uint64_t window_entries = 300;
/// Superblocks that such a map needs besides.
constexpr std::uint32_t paging_blocks = 5;

/// ... and two more for a level above the first, where that has superblocks of its own.
constexpr std::uint32_t apart_blocks = 2;

/// Blocks for merges of logical blocks, for maps and the anchor.
constexpr std::uint32_t merge_blocks = 60;
/// Blocks for merges, and for the log.
constexpr std::uint32_t hybrid_blocks = 20;

struct scheme_name {
    const char* name;
    std::uint32_t scheme;
    std::uint32_t map_policy = MAP_POLICY_LRU;
    std::uint32_t invalid_permille = 0; // garbage of a superblock that is collected at any time
    std::uint32_t log_blocks = 0;       // of the W-log
    std::uint64_t entries = map_cache_entries;
    std::uint32_t apart = 0;              // 1 = each level of the maps has superblocks of its own
    std::uint32_t upper = 0;              // pages of level 2 in memory; 0 = all of them
    std::uint32_t shallow = SHALLOW_NONE; // which host writes are, with a limit
};

/// Beside the schemes themselves.
constexpr scheme_name variants[] = {
    {"page_map_shallow", FTL_SCHEME_PAGE_MAP, MAP_POLICY_LRU, 0, 0, map_cache_entries, 0, 0,
     SHALLOW_SMALL_REQUESTS},
    {"log_set_shallow", FTL_SCHEME_LOG_SET, MAP_POLICY_LRU, 0, 0, map_cache_entries, 0, 0,
     SHALLOW_PREDICTED},
    {"dftl_kept", FTL_SCHEME_DFTL, MAP_POLICY_LRU, 0, 0, window_entries},
    {"log_set_fifo", FTL_SCHEME_LOG_SET, MAP_POLICY_FIFO, 600},
    {"log_set_apart", FTL_SCHEME_LOG_SET, MAP_POLICY_LRU, 0, 0, map_cache_entries, 1},
    {"log_set_upper", FTL_SCHEME_LOG_SET, MAP_POLICY_LRU, 0, 0, map_cache_entries, 0, 2},
    {"log_set_apart_upper", FTL_SCHEME_LOG_SET, MAP_POLICY_FIFO, 600, 0, map_cache_entries, 1, 2},
    {"log_set_block", FTL_SCHEME_LOG_SET_BLOCK},
    {"log_set_hybrid", FTL_SCHEME_LOG_SET_BLOCK, MAP_POLICY_LRU, 0, 4}};

/// Log blocks of hybrid mapping: few enough that every kind of merge comes soon.
std::uint32_t log_blocks_of(std::uint32_t scheme)
{
    switch (scheme) {
    case FTL_SCHEME_BAST:
    case FTL_SCHEME_FAST:
        return 4;
    case FTL_SCHEME_SUPERBLOCK:
        return 3;
    case FTL_SCHEME_KAST:
    case FTL_SCHEME_SAST:
        return 6;
    case FTL_SCHEME_LAST:
        return 5;
    default:
        return 0;
    }
}

std::vector<scheme_name> all_schemes()
{
    std::vector<scheme_name> all;
    for (const ftl_scheme& s : ftl_schemes) {
        all.push_back({s.name, s.scheme});
        all.back().log_blocks = log_blocks_of(s.scheme);
    }
    all.insert(all.end(), std::begin(variants), std::end(variants));
    return all;
}

scheme_name scheme_of(const std::string& name)
{
    return find_name(all_schemes(), name);
}

/// A limit that a drive reaches in a few hundred operations, and again and again.
void use_shallow(boot_params& p, std::uint32_t policy)
{
    p.flash.host_program_mode = FLASH_MODE_SHALLOW;
    p.retention.limit_ns = 60000;
    p.retention.margin_ns = 20000;
    p.retention.policy = policy;
    p.retention.small = p.ftl.map_unit;
    p.retention.rewrite = 1;
    p.retention.regions = 16;
    p.retention.threshold = 300;
}

/// Block and hybrid mapping: every option on, and as many blocks more as the scheme fills.
void use_placed(ram_config& c)
{
    boot_params& p = c.params;
    const std::uint32_t blocks =
        p.geometry.channels * p.geometry.luns_per_channel * p.geometry.planes;
    const bool group = p.ftl.scheme == FTL_SCHEME_SUPERBLOCK;
    use_own_options(c);
    p.map.placed.moving_blocks = p.ftl.scheme == FTL_SCHEME_LM ? 2 : 0;
    p.map.placed.partial_merge = p.map.log_blocks != 0 && !group ? 1 : 0;
    p.map.placed.log_info = p.ftl.scheme == FTL_SCHEME_BAST ? 1 : 0;
    p.map.placed.associativity =
        p.ftl.scheme == FTL_SCHEME_KAST || p.ftl.scheme == FTL_SCHEME_SAST ? 3 : 0;
    if (p.ftl.scheme == FTL_SCHEME_LAST) {
        p.map.placed.hot_blocks = 2;
        p.map.placed.hot_window = 2 * p.geometry.pages_per_block;
    }
    const auto lblocks = static_cast<std::uint32_t>(
        p.ftl.user_units / (p.geometry.pages_per_block - p.map.placed.spare_pages) + 1);
    p.geometry.blocks_per_plane = placed_blocks(p, lblocks, merge_blocks) / blocks + 2;
}

/// 2 channels of one LUN: 24 superblocks of 32 units of 2 KiB, 15 of them for the user.
void two_luns(boot_params& p)
{
    p.geometry.channels = 2;
    p.geometry.luns_per_channel = 1;
    p.geometry.planes = 1;
    p.geometry.blocks_per_plane = 24;
    p.geometry.pages_per_block = 8;
    p.geometry.page_size = 4096;
    p.geometry.oob_size = 32; // header and two units, 8 bytes each
    p.ftl.map_unit = 2048;
    p.ftl.user_units = 15 * 32;
    p.cache.capacity = 16 * 2048;
    p.host.mdts = 16384;
}

/// One sector per page, as the preset `tiny`: 64 blocks of 4 pages, 40 of them for the user.
void tiny(boot_params& p)
{
    p.geometry.channels = p.geometry.luns_per_channel = p.geometry.planes = 1;
    p.geometry.blocks_per_plane = 64;
    p.geometry.pages_per_block = 4;
    p.geometry.page_size = p.ftl.map_unit = 512;
    p.geometry.oob_size = 16;
    p.ftl.user_units = 160;
    p.cache.capacity = 4096;
    p.host.mdts = 4096;
}

/// 2 x 2 LUNs of 2 planes: 20 superblocks of 64 units of 2 KiB, 12 of them for the user.
void planes(boot_params& p)
{
    two_luns(p);
    p.geometry.luns_per_channel = p.geometry.planes = 2;
    p.geometry.blocks_per_plane = 20;
    p.geometry.pages_per_block = 4;
    p.ftl.user_units = 12 * 64;
    p.cache.capacity = 48 * 2048;
}

void one_plane_at_a_time(boot_params& p)
{
    planes(p);
    p.ftl.multi_plane = 0;
}

/// A part of this kind where a superblock is one block: 120 of them, of 8 units, 96 for the user.
void narrow(boot_params& p)
{
    planes(p);
    p.geometry.blocks_per_plane = 15;
    p.ftl.stripe = STRIPE_BLOCK;
}

/// ... and each plane keeps house for itself: of its 22 blocks 12 are the user's.
void apart(boot_params& p)
{
    planes(p);
    p.geometry.blocks_per_plane = 22;
    p.ftl.stripe = STRIPE_PLANE;
    p.placement.kind = PLACEMENT_STATIC;
    p.placement.order = PLACEMENT_ORDER(0, 1, 2, 3);
    p.placement.window = p.placement.dies_per_chip = 1;
}

void copyback(boot_params& p)
{
    planes(p);
    p.gc.copyback = 1;
    p.ftl.map_unit = 4096; // a page is a unit: it is valid throughout, or not worth copying
    p.ftl.user_units = 12 * 32;
    p.cache.capacity = 24 * 4096;
}

/// Units go to the plane that their address says; the others to the shortest queue.
void placed(boot_params& p)
{
    planes(p);
    p.placement.kind = PLACEMENT_STATIC;
    p.placement.order = PLACEMENT_ORDER(0, 3, 1, 2);
    p.placement.window = 2;
    p.placement.dies_per_chip = 1;
    p.geometry.blocks_per_plane += 3; // a stream each of the host, collection, wear levelling
}

void queues(boot_params& p)
{
    placed(p);
    p.placement.kind = PLACEMENT_SHORTEST_QUEUE;
    p.placement.window = 3;
    p.geometry.blocks_per_plane += 3;
}

void no_cache(boot_params& p)
{
    planes(p);
    p.cache.policy = CACHE_POLICY_NONE;
}

/// What was written stays in the buffer, and what was read comes in.
void kept(boot_params& p)
{
    planes(p);
    p.cache.policy = CACHE_POLICY_RW_LRU;
}

void all_bytes(boot_params& p)
{
    two_luns(p);
    p.host.data_mode = 2;
}

/// Bytes of the map in memory: as few as the firmware takes, or nearly.
std::uint64_t map_cache_of(const boot_params& p, std::uint64_t entries)
{
    if (p.ftl.scheme == FTL_SCHEME_LOG_SET) {
        return std::uint64_t{p.geometry.page_size} *
               p.geometry.planes; // pages of M1 as a write unit has units
    }
    return entries * BOOT_MAP_CACHE_ENTRY;
}

/// A sector per unit: 16 map pages of 128 units, more than dftl has frames for.
void paged(boot_params& p)
{
    two_luns(p);
    p.geometry.blocks_per_plane = 28;
    p.geometry.page_size = 2048;
    p.ftl.map_unit = 512;
    p.geometry.oob_size = 40;
    p.geometry.pages_per_block = 16;
    p.ftl.user_units = 16 * 128;
    p.cache.capacity = 24 * 512;
}

/// Three segments of a map, of which one is in memory. Blocks of 3 pages of two units: 768 entries.
void segments(boot_params& p)
{
    two_luns(p);
    p.geometry.pages_per_block = 3;
    p.geometry.page_size = 1024;
    p.ftl.map_unit = 512;
    p.geometry.oob_size = 24;
    p.ftl.user_units = 3 * 768;
    p.geometry.blocks_per_plane = 192 + 16;
    p.cache.capacity = 16 * 512;
}

/// Superblocks of a block, 8 pages of a unit; 40 of them for the user.
void blocks(boot_params& p)
{
    tiny(p);
    p.geometry.channels = 2;
    p.geometry.planes = 2;
    p.ftl.stripe = STRIPE_BLOCK;
    p.geometry.blocks_per_plane = 14;
    p.geometry.pages_per_block = 8;
    p.geometry.page_size = p.ftl.map_unit = 1024;
    p.ftl.user_units = 315; // the last logical block is short
    p.cache.capacity = 20 * 1024;
    p.host.mdts = 8192;
}

/// Three levels of a map: 320 pages of 128 units, 3 of these, the top.
void deep(boot_params& p)
{
    paged(p);
    p.geometry.pages_per_block = 32;
    p.ftl.user_units = 320 * 128 - 50; // the last page is short
    p.geometry.blocks_per_plane = 160 + 14;
}

struct geometry_name {
    const char* name;
    void (*fill)(boot_params&);
};

constexpr geometry_name geometries[] = {{"tiny", tiny},         {"small", two_luns},
                                        {"planes", planes},     {"single", one_plane_at_a_time},
                                        {"copyback", copyback}, {"nocache", no_cache},
                                        {"kept", kept},         {"full", all_bytes},
                                        {"paged", paged}};

/// Of one scheme only.
constexpr geometry_name own_geometries[] = {{"segments", segments},
                                            {"blocks", blocks},
                                            {"narrow", narrow},
                                            {"deep", deep},
                                            {"apart", apart}};

/// Of schemes that map pages.
constexpr geometry_name placed_geometries[] = {{"placed", placed}, {"queues", queues}};

} // namespace

std::vector<std::string> cut_geometries(const std::string& scheme)
{
    if (scheme != reference_scheme && is_placed(scheme_of(scheme).scheme)) {
        return {"tiny", "blocks", "blocks+sata"};
    }
    if (scheme == "log_set_block" || scheme == "log_set_hybrid") {
        return {"tiny", "blocks", "blocks+sata"};
    }
    std::vector<std::string> all = list_of(geometries);
    if (scheme != reference_scheme) { // which knows no superblocks
        all.emplace_back(own_geometries[2].name);
        for (const geometry_name& g : placed_geometries) {
            all.emplace_back(g.name);
        }
        all.emplace_back("planes+sata");
    }
    if (scheme == "vm_map") {
        all.emplace_back(own_geometries[0].name);
    }
    if (scheme == "log_set_apart" || scheme == "log_set_upper" || scheme == "log_set_apart_upper") {
        all.emplace_back(own_geometries[3].name);
    }
    return all;
}

std::vector<std::string> cut_schemes()
{
    return list_of(all_schemes());
}

namespace {

struct policy_name {
    const char* name;
    cache_policy_id policy;
    std::uint32_t dirty_permille;
};

/// Policies of the buffer: "planes+bplru" is the geometry `planes` with that one, "planes+sata" has
/// the other host interface, "planes+resets" a host that resets the drive, in shutdowns above all,
/// "planes+hmb" one that lends it memory, which is not always as the drive left it,
/// "planes+format" one that formats it, "planes+passes" a part of two passes,
/// "planes+slc" a static SLC cache, "planes+dynamic" a dynamic one, "planes+slc+full" one with
/// another policy.
constexpr policy_name policies[] = {{"limit", CACHE_POLICY_WO_LRU, 500},
                                    {"exact", CACHE_POLICY_RW_LRU, 1000},
                                    {"cflru", CACHE_POLICY_RW_CFLRU, 0},
                                    {"fab", CACHE_POLICY_FAB, 600},
                                    {"bplru", CACHE_POLICY_BPLRU, 0}};

/// Every option on.
void use_policy(boot_params& p, const policy_name& of)
{
    const bool keeps = of.policy != CACHE_POLICY_WO_LRU && of.policy != CACHE_POLICY_BPLRU;
    p.cache.policy = of.policy;
    p.cache.dirty_permille = of.dirty_permille;
    p.cache.group_units = (p.geometry.pages_per_block - p.map.placed.spare_pages) *
                          (p.geometry.page_size / p.ftl.map_unit);
    p.cache.window_permille = 500;
    p.cache.window_adapts = 1;
    p.cache.program_cost = 64;
    p.cache.padding = of.policy == CACHE_POLICY_BPLRU ? 1 : 0;
    p.cache.compensation = p.cache.padding;
    p.cache.whole_units = of.policy == CACHE_POLICY_FAB ? 1 : 0;
    p.cache.idle_ns = 100000;
    p.cache.ahead_units = keeps ? 8 : 0;
}

cut_setup plain_setup_of(const std::string& scheme, const std::string& geometry)
{
    cut_setup s;
    s.config = tiny_drive();
    s.config.quiet = true;
    boot_params& p = s.config.params;
    p.sram_size = 512u << 10;
    p.map.checkpoint_units = 1; // as often as firmware can
    p.wear.static_delta = 2;
    p.flash.retry_levels = 3;
    p.refresh.reads = 120;
    p.refresh.level = 3;
    p.refresh.patrol_us = 1000;
    if (geometry == own_geometries[0].name) {
        segments(p);
    } else if (geometry == own_geometries[1].name) {
        blocks(p);
    } else if (geometry == own_geometries[2].name) {
        narrow(p);
    } else if (geometry == own_geometries[3].name) {
        deep(p);
    } else if (geometry == own_geometries[4].name) {
        apart(p);
    } else {
        const bool own =
            geometry == placed_geometries[0].name || geometry == placed_geometries[1].name;
        (own ? find_name(placed_geometries, geometry) : find_name(geometries, geometry)).fill(p);
    }
    if (scheme == reference_scheme) {
        use_log_firmware(s.config, log_flaw::NONE);
    } else {
        const scheme_name of = scheme_of(scheme);
        p.ftl.scheme = of.scheme;
        p.map.policy = of.map_policy;
        p.gc.invalid_permille = of.invalid_permille;
        p.map.log_blocks = of.log_blocks;
        p.map.cache = map_cache_of(p, of.entries);
        p.map.batch = 1;
        p.map.segments = 1;
        p.map.apart = of.apart;
        p.map.upper_cache = std::uint64_t{of.upper} * p.ftl.map_unit;
        p.map.upper_policy = of.map_policy;
        p.geometry.blocks_per_plane +=
            of.apart != 0 ? apart_blocks * (geometry == "deep" ? 2 : 1) : 0;
        p.geometry.blocks_per_plane += p.ftl.scheme == FTL_SCHEME_PAGE_MAP        ? 0
                                       : p.ftl.scheme == FTL_SCHEME_LOG_SET_BLOCK ? hybrid_blocks
                                       : p.ftl.stripe == STRIPE_BLOCK             ? 1
                                                                                  : paging_blocks;
        if (is_placed(p.ftl.scheme)) {
            use_placed(s.config);
        }
        if (of.shallow != SHALLOW_NONE) {
            use_shallow(p, of.shallow);
        }
    }
    return s;
}

/// An SLC cache in blocks of TLC, which is folded beside the host's writes, and a few operations
/// after its last command: so many superblocks more, which copyback folds where it can, or 0 = any
/// that are free, in turns.
void use_slc_cache(boot_params& p, std::uint32_t fixed)
{
    p.slc.fixed = fixed;
    p.slc.dynamic = fixed == 0 ? p.geometry.blocks_per_plane : 0;
    p.slc.pages = std::max<std::uint32_t>(p.geometry.pages_per_block / 3, 1);
    p.slc.policy = SLC_POLICY_WATERMARK;
    p.slc.goal_permille = 1000;
    p.slc.low_permille = 500;
    p.slc.drain_permille = 700;
    p.slc.taper_permille = 700;
    p.slc.idle_ns = 3000;
    p.slc.reclaim_permille = 100;
    p.slc.close_ns = 9000;
    p.slc.copyback = fixed != 0 ? 1 : 0;
    p.geometry.blocks_per_plane += fixed == 0 ? 8 : fixed + 1;
}

#define SSDVP_SLC_NAME(ID, id, ...) {#id, SLC_POLICY_##ID},
constexpr std::pair<std::string_view, std::uint32_t> slc_policies[] = {
    SLC_POLICIES(SSDVP_SLC_NAME)};
#undef SSDVP_SLC_NAME

/// The policy of that name, of a drive that has an SLC cache; null = none.
const std::uint32_t* slc_policy_named(const boot_params& p, std::string_view name)
{
    for (const auto& [word, policy] : slc_policies) {
        if (word == name && p.slc.pages != 0) {
            return &policy;
        }
    }
    return nullptr;
}

/// Half of DRAM's window is on the chip, for the map; the host lends some pages, for fewer map
/// pages than there are. Of a segment it has to hold all that is on a flash page.
void use_host_memory(ram_config& c)
{
    constexpr std::uint64_t few = 6, most_of_segments = 16;
    boot_params& p = c.params;
    p.map.memory = BOOT_MAP_HMB;
    p.map.bank = p.dram_size / 2 & ~std::uint64_t{4095};
    p.map.preferred = (p.ftl.scheme == FTL_SCHEME_VM_MAP ? most_of_segments : few) * p.ftl.map_unit;
    c.host_memory = 5 * 4096 + std::max<std::uint32_t>(4096, p.ftl.map_unit);
    c.damage_every = 50;
}

/// A part that programs its word lines of two pages in two passes. Word lines that a flush fills up
/// take room: a third of the drive is the user's.
void use_passes(boot_params& p)
{
    p.geometry.word_line = 2;
    p.geometry.pages_per_block *= 4;
    p.ftl.user_units *= 2;
    p.cache.capacity *= 4;
    p.slc.pages = p.slc.pages == 0 ? 0 : p.geometry.pages_per_block / p.geometry.word_line;
    p.slc.copyback = 0;
}

} // namespace

cut_setup setup_of(const std::string& scheme, const std::string& geometry)
{
    auto plus = geometry.find('+');
    cut_setup s = plain_setup_of(scheme, geometry.substr(0, plus));
    s.geometry = geometry;
    while (plus != std::string::npos) {
        const auto next = geometry.find('+', plus + 1);
        const std::string part = geometry.substr(plus + 1, next - plus - 1);
        if (part == "resets") {
            s.resets = true;
        } else if (part == "format") {
            s.formats = true;
        } else if (part == "passes") {
            use_passes(s.config.params);
        } else if (part == "slc" || part == "dynamic") {
            use_slc_cache(s.config.params, part == "dynamic" ? 0 : 3);
        } else if (part == "hmb") {
            use_host_memory(s.config);
        } else if (const auto* policy = slc_policy_named(s.config.params, part)) {
            s.config.params.slc.policy = *policy;
        } else if (part != "sata") {
            use_policy(s.config.params, find_name(policies, part));
        } else if (scheme == reference_scheme) {
            throw std::invalid_argument("the reference firmware has no SATA; there is: page_map");
        } else {
            s.config.params.host.interface = HOST_INTERFACE_SATA;
            s.config.slots = SFE_SLOTS_RESET;
        }
        plus = next;
    }
    return s;
}

std::string cannot_be(const std::string& scheme, const std::string& geometry)
{
    const boot_params p = setup_of(scheme, geometry).config.params;
    const bool maps_blocks = is_placed(p.ftl.scheme) || p.ftl.scheme == FTL_SCHEME_LOG_SET_BLOCK;
    if (scheme == reference_scheme || !maps_blocks) {
        return "";
    }
    if (p.geometry.page_size != p.ftl.map_unit) {
        return "it maps blocks, which takes pages of one map unit; here they have " +
               std::to_string(p.geometry.page_size / p.ftl.map_unit);
    }
    if (p.ftl.stripe == STRIPE_BLOCK) {
        return p.gc.copyback != 0 ? "it maps blocks one by one, and copyback stays in a plane" : "";
    }
    const std::uint32_t blocks =
        p.geometry.channels * p.geometry.luns_per_channel * p.geometry.planes;
    return blocks == 1 ? ""
                       : "it maps blocks one by one; here a superblock has " +
                             std::to_string(blocks) + " of them";
}

std::uint64_t scramble(std::uint64_t x)
{
    x += 0x9E3779B97F4A7C15u; // splitmix64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

} // namespace ssdvp::test
