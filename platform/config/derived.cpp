// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firmware/flash/reserve.h"
#include "models/regs/boot_params.h"
#include "models/regs/sata_fe_regs.h"
#include "platform/config/choices.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

unsigned bits_for(std::uint64_t values)
{
    unsigned bits = 0;
    while ((1ull << bits) < values) {
        ++bits;
    }
    return bits;
}

std::uint64_t thousandths(double share)
{
    return static_cast<std::uint64_t>(std::lround(share * 1000.0));
}

std::uint64_t planes_of_drive(const ssd_config& c)
{
    return std::uint64_t{c.channels} * c.channel.luns * c.channel.die.geo.planes;
}

std::uint64_t units_per_page(const ssd_config& c)
{
    return c.channel.die.geo.page_size / c.ftl.map_unit;
}

} // namespace

bool is_sata(const ssd_config& c)
{
    return c.driver.interface == host::interface_kind::sata;
}

std::uint32_t front_end_slots(const ssd_config& c)
{
    return is_sata(c) ? SFE_SLOTS_RESET : c.nvme.slots;
}

/// After a power cut firmware looks at every block; a slow core takes so long for one.
sim_time ready_limit(const ssd_config& c)
{
    constexpr sim_time look = 20_us;
    return 10_s + planes_of_drive(c) * c.channel.die.geo.blocks_per_plane * look;
}

std::uint32_t block_pages(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return c.write == write_mode::slc ? flash::slc_pages(die) : die.geo.pages_per_block;
}

bool superblocks_are_narrow(const ssd_config& c)
{
    return c.ftl.stripe == superblock_stripe::block;
}

std::uint64_t superblock_luns(const ssd_config& c)
{
    return superblocks_are_narrow(c) ? 1 : std::uint64_t{c.channels} * c.channel.luns;
}

std::uint64_t superblock_planes(const ssd_config& c)
{
    return superblocks_are_narrow(c) ? 1 : c.channel.die.geo.planes;
}

std::uint64_t superblocks(const ssd_config& c)
{
    return c.channel.die.geo.blocks_per_plane *
           (superblocks_are_narrow(c) ? planes_of_drive(c) : 1);
}

std::uint64_t superblock_units(const ssd_config& c)
{
    return superblock_luns(c) * block_pages(c) * group_units(c);
}

std::uint64_t physical_units(const ssd_config& c)
{
    return superblocks(c) * superblock_units(c);
}

std::uint64_t user_units(const ssd_config& c)
{
    const double share = 1.0 - c.ftl.over_provisioning;
    return static_cast<std::uint64_t>(std::floor(static_cast<double>(physical_units(c)) * share));
}

std::uint64_t logical_bytes(const ssd_config& c)
{
    return user_units(c) * c.ftl.map_unit;
}

std::uint64_t host_bytes(const ssd_config& c)
{
    return logical_bytes(c) / (c.driver.metadata.bytes != 0 ? 2 : 1);
}

std::uint64_t physical_bytes(const ssd_config& c)
{
    return physical_units(c) * c.ftl.map_unit;
}

namespace {

/// Units in the blocks of the anchor and of vm_map's segments, which belong to no superblock.
std::uint64_t hidden_units(const ssd_config& c)
{
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t blocks = reserve_anchor(luns, c.channel.die.geo.planes, anchor_span(c),
                                                superblocks_are_narrow(c) ? 1 : 0) +
                                 map_blocks(c);
    return blocks * block_pages(c) * units_per_page(c);
}

std::uint64_t in_superblocks(const ssd_config& c, std::uint64_t units)
{
    const std::uint64_t whole = std::max<std::uint64_t>(superblock_units(c), 1); // not checked yet
    return (units + whole - 1) / whole;
}

/// Units that logical blocks, log and merges fill beside the user's.
std::uint64_t hybrid_units(const ssd_config& c)
{
    if (places_pages(c)) {
        return planned_blocks(c) * block_pages(c) - user_units(c);
    }
    const std::uint64_t blocks = logical_blocks(c) + log_slots(c) + merges(c);
    return maps_blocks(c) ? blocks * block_pages(c) - user_units(c) : 0;
}

/// Units of maps and journal that want room beside the user's.
std::uint64_t overhead_units(const ssd_config& c)
{
    return map_units(c) + journal_units(c) +
           reserve_padding(map_units(c) != 0 ? map_level_units(c).size() : 0, journal_units(c),
                           units_per_page(c), superblocks_are_narrow(c) ? 1 : 0);
}

/// The host leaves so many free superblocks to maps: a whole checkpoint and the journal fit.
std::uint64_t map_reserve(const ssd_config& c)
{
    const int narrow = superblocks_are_narrow(c) ? 1 : 0;
    const std::uint64_t more = map_streams_of(c) - RESERVE_MAP_STREAM; // each may open another one
    return in_superblocks(c, overhead_units(c)) +
           (map_has_frames(c) ? reserve_paging(units_per_page(c), narrow) : 0) + more +
           (more != 0 && upper_frames(c) != 0 ? RESERVE_FREE : 0); // and wait for level 2
}

/// What is rewritten in time (firmware/gc/rewrite.c) must find room without waiting for an erase.
std::uint64_t rewrite_reserve(const ssd_config& c)
{
    return tracks_retention(c) ? RESERVE_REFRESH + 1 : 0;
}

/// Collection starts before the host has to leave what is left to collection and maps.
std::uint64_t gc_low_least(const ssd_config& c)
{
    return RESERVE_FREE + map_reserve(c) + 1 + rewrite_reserve(c) + place_window(c);
}

} // namespace

std::uint64_t gc_low_superblocks(const ssd_config& c)
{
    return std::max(gc_low_least(c), superblocks(c) * thousandths(c.ftl.gc_threshold) / 1000);
}

std::uint64_t gc_high_superblocks(const ssd_config& c)
{
    return std::max(gc_low_superblocks(c) + 1, superblocks(c) * thousandths(c.ftl.gc_stop) / 1000);
}

std::uint32_t copyback_bits(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const bool errs = die.errors.rber > 0.0 || die.shallow_retention != sim_time();
    return errs ? std::max<std::uint32_t>(1, c.channel.ecc.correctable / 4) : 0;
}

std::uint64_t bad_superblocks(const ssd_config& c)
{
    const double share = c.channel.die.factory_bad_share;
    if (share <= 0.0) {
        return 0;
    }
    // The draw exceeds its mean by four standard deviations once in 30,000 drives.
    const auto per_superblock = static_cast<double>(superblock_luns(c) * superblock_planes(c));
    const double blocks = static_cast<double>(superblocks(c)) * per_superblock;
    const double most = blocks * share + 4.0 * std::sqrt(blocks * share * (1.0 - share));
    return static_cast<std::uint64_t>(std::ceil(std::min(most, blocks) / per_superblock));
}

std::uint64_t journal_units(const ssd_config& c)
{
    const std::uint64_t most = JOURNAL_BYTES / c.ftl.map_unit;
    return std::clamp<std::uint64_t>(std::min(superblock_units(c) / 2, most), JOURNAL_UNITS_LEAST,
                                     JOURNAL_UNITS);
}

std::uint64_t overhead_superblocks(const ssd_config& c)
{
    return map_reserve(c) +
           in_superblocks(c, overhead_units(c) + hybrid_units(c) + hidden_units(c)) +
           (map_has_frames(c) ? RESERVE_GARBAGE + map_streams_of(c) : 0);
}

std::uint64_t open_superblocks(const ssd_config& c)
{
    const std::uint64_t levels = c.ftl.wear_static_delta != 0 ? 1 : 0;
    return RESERVE_SUPERBLOCKS + levels + (2 + levels) * place_window(c) + rewrite_reserve(c) +
           c.ftl.streams;
}

std::uint64_t spare_superblocks_needed(const ssd_config& c)
{
    const std::uint64_t low = gc_low_superblocks(c);
    const std::uint64_t high = gc_high_superblocks(c);
    const std::uint64_t bad = bad_superblocks(c);
    // Firmware gives maps a stream of their own where there is room for it with one block in so
    // many bad; with more of them it must still be there.
    const bool many = bad * RESERVE_BAD_SHARE > superblocks(c);
    std::uint64_t needed =
        open_superblocks(c) + overhead_superblocks(c) + (many ? RESERVE_MAP_STREAM : 0);
    // Marks higher than these shares of the spare superblocks would be cut down by the firmware.
    const std::uint64_t hidden = in_superblocks(c, hidden_units(c) + hybrid_units(c));
    needed = std::max(needed, low > gc_low_least(c) ? 4 * low + hidden : 0);
    needed = std::max(needed, high > low + 1 ? 2 * high + hidden : 0);
    return needed + bad;
}

std::uint64_t write_unit_bytes(const ssd_config& c)
{
    return c.channel.die.geo.page_size * (c.ftl.multi_plane ? superblock_planes(c) : 1);
}

std::uint64_t group_units(const ssd_config& c)
{
    return units_per_page(c) * superblock_planes(c);
}

std::uint64_t unit_addresses(const ssd_config& c)
{
    const unsigned low =
        bits_for(superblock_luns(c)) + bits_for(superblock_planes(c)) + bits_for(units_per_page(c));
    return (superblocks(c) * block_pages(c)) << low;
}

std::uint64_t map_entry_bytes(const ssd_config& c)
{
    constexpr std::uint64_t narrow = 0x7FFFFFFF; // 31 bits for an address plus one, and a mark
    return unit_addresses(c) <= narrow ? 4 : 8;
}

std::uint64_t whole_map_bytes(const ssd_config& c)
{
    return user_units(c) * map_entry_bytes(c);
}

bool map_is_paged(const ssd_config& c)
{
    return scheme_has(c, SCHEME_PAGES_MAP);
}

bool scheme_has(const ssd_config& c, std::uint32_t flags)
{
    return (flags_of(firmware_scheme(c)) & flags) == flags;
}

ftl_scheme firmware_scheme(const ssd_config& c)
{
    return maps_blocks(c) ? ftl_scheme::log_set_block : c.ftl.scheme;
}

bool maps_blocks(const ssd_config& c)
{
    return c.ftl.scheme == ftl_scheme::log_set && c.ftl.log_set_unit == log_unit::block;
}

std::uint64_t log_slots(const ssd_config& c)
{
    return HYBRID_LOG_SLOTS(std::uint64_t{c.ftl.log_set_w_log});
}

std::uint64_t logical_blocks(const ssd_config& c)
{
    const std::uint64_t pages = home_pages(c);
    return (user_units(c) + pages - 1) / pages;
}

std::uint64_t merges(const ssd_config& c)
{
    return HYBRID_MERGES(std::uint64_t{c.channels} * c.channel.luns);
}

bool map_has_frames(const ssd_config& c)
{
    return scheme_has(c, SCHEME_HAS_FRAMES);
}

std::uint64_t upper_frames(const ssd_config& c)
{
    if (c.ftl.log_set_upper == 0 || !scheme_has(c, SCHEME_CACHES_PAGES)) {
        return 0;
    }
    const std::vector<std::uint64_t> levels = map_level_units(c);
    const std::uint64_t frames = c.ftl.log_set_upper / c.ftl.map_unit;
    return levels.size() <= 2 || frames >= levels[1] ? 0 : frames;
}

std::uint64_t map_streams_of(const ssd_config& c)
{
    const bool apart = c.ftl.log_set_streams == map_streams::per_level;
    return apart && scheme_has(c, SCHEME_CACHES_PAGES) ? map_level_units(c).size()
                                                       : RESERVE_MAP_STREAM;
}

std::uint64_t write_streams(const ssd_config& c)
{
    return ANCHOR_STREAMS + map_streams_of(c) - RESERVE_MAP_STREAM;
}

std::uint64_t map_cache_least(const ssd_config& c)
{
    // A write unit waits until what maps all of its units is in memory: a page for each of them.
    // One more is for reads.
    if (scheme_has(c, SCHEME_CACHES_PAGES)) {
        return (group_units(c) + 1) * c.ftl.map_unit;
    }
    return 2 * group_units(c) * BOOT_MAP_CACHE_ENTRY; // ... and for one of collection's
}

std::uint64_t map_frames(const ssd_config& c)
{
    const std::uint64_t unit = c.ftl.map_unit;
    if (scheme_has(c, SCHEME_CACHES_PAGES)) {
        return c.ftl.map_cache / unit;
    }
    const std::uint64_t few = std::clamp<std::uint64_t>(c.ftl.map_cache / 8 / unit, 8, 32);
    return few + (c.ftl.map_cache + unit - 1) / unit;
}

std::uint64_t map_bytes(const ssd_config& c)
{
    std::uint64_t entries = whole_map_bytes(c);
    if (map_has_frames(c)) {
        entries = map_frames(c) * c.ftl.map_unit;
    } else if (scheme_has(c, SCHEME_HAS_SEGMENTS)) {
        entries = segments_in_dram(c) * segment_bytes(c);
    } else if (maps_blocks(c)) {
        entries = logical_blocks(c) * map_entry_bytes(c);
    } else if (places_pages(c)) {
        entries = mapped_blocks(c) * logical_block_bytes;
        entries += groups_blocks(c) ? user_units(c) * 4 : 0;
    }
    return entries + unit_addresses(c) / 8;
}

std::vector<std::uint64_t> map_level_units(const ssd_config& c)
{
    const std::uint64_t entries = c.ftl.map_unit / map_entry_bytes(c);
    const std::uint64_t mapped = maps_blocks(c) ? logical_blocks(c) : user_units(c);
    // Two images of block mapping take turns.
    std::vector<std::uint64_t> levels = {places_pages(c) ? 2 * image_pages(c)
                                                         : (mapped + entries - 1) / entries};
    while (levels.back() > 1 && !scheme_has(c, SCHEME_HAS_SEGMENTS)) {
        levels.push_back((levels.back() + entries - 1) / entries);
    }
    return levels;
}

std::uint64_t segment_bytes(const ssd_config& c)
{
    return std::uint64_t{block_pages(c)} * c.channel.die.geo.page_size;
}

std::uint64_t map_segments(const ssd_config& c)
{
    const std::uint64_t bytes = map_level_units(c).front() * c.ftl.map_unit;
    const std::uint64_t segment = std::max<std::uint64_t>(segment_bytes(c), 1); // not checked yet
    return scheme_has(c, SCHEME_HAS_SEGMENTS) ? (bytes + segment - 1) / segment : 0;
}

std::uint64_t segments_in_dram(const ssd_config& c)
{
    const std::uint64_t segment = std::max<std::uint64_t>(segment_bytes(c), 1);
    const std::uint64_t held = c.ftl.map_cache / segment;
    return std::min(c.ftl.vm_segments != 0 ? c.ftl.vm_segments : held, map_segments(c));
}

std::uint64_t map_blocks(const ssd_config& c)
{
    const std::uint64_t segments = map_segments(c);
    return segments != 0 ? MAP_BLOCKS(segments) : 0;
}

std::uint64_t map_units(const ssd_config& c)
{
    if (scheme_has(c, SCHEME_HAS_SEGMENTS)) {
        return 0;
    }
    const std::vector<std::uint64_t> levels = map_level_units(c);
    return std::accumulate(levels.begin(), levels.end(), std::uint64_t{0});
}

std::uint64_t anchor_pages(const ssd_config& c)
{
    const std::uint64_t luns = superblock_luns(c);
    const std::uint64_t tables =
        superblocks(c) * (ANCHOR_SUPERBLOCK_BYTES + luns) +
        write_streams(c) * (ANCHOR_STREAM_BYTES + luns * ANCHOR_POINTER_BYTES) +
        place_superblocks(c) * (ANCHOR_LANES_BYTES + place_lanes(c) * ANCHOR_LANE_BYTES);
    const std::uint64_t aligned =
        (tables + SEGMENT_NUMBER_BYTES - 1) / SEGMENT_NUMBER_BYTES * SEGMENT_NUMBER_BYTES +
        map_segments(c) * SEGMENT_NUMBER_BYTES + map_blocks(c) * MAP_BLOCK_BYTES;
    const std::uint64_t table = maps_blocks(c)    ? HYBRID_TABLE_BYTES(log_slots(c), block_pages(c))
                                : places_pages(c) ? BLOCKMAP_TABLE_BYTES
                                : tracks_retention(c)
                                    ? superblocks(c) * std::uint64_t{RETENTION_TABLE_BYTES}
                                    : 0;
    const std::uint64_t log = table != 0 ? table + 7 : 0; // aligned to 8
    const std::uint64_t page = c.channel.die.geo.page_size;
    return (aligned + log / 8 * 8 + page - 1) / page + 2; // one of the journal, one of the record
}

std::uint64_t anchor_span(const ssd_config& c)
{
    const std::uint64_t pages = std::max(block_pages(c), 1u);
    return (anchor_pages(c) + pages - 1) / pages;
}

std::uint32_t lun_programs(const ssd_config& c)
{
    const flash::channel_config& channel = c.channel;
    const std::uint32_t width =
        channel.join_planes && !c.ftl.multi_plane && !superblocks_are_narrow(c)
            ? channel.die.geo.planes
            : 1;
    return width * (channel.use_cache && !channel.die.one_pass ? 4 : width > 1 ? 2 : 1);
}

} // namespace ssdvp::platform
