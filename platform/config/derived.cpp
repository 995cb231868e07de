// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firmware/flash/reserve.h"
#include "models/regs/boot_params.h"

namespace ssdvp::platform {
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

} // namespace

std::uint32_t block_pages(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return c.write == write_mode::slc ? flash::slc_pages(die) : die.geo.pages_per_block;
}

std::uint64_t superblocks(const ssd_config& c)
{
    return c.channel.die.geo.blocks_per_plane;
}

std::uint64_t superblock_units(const ssd_config& c)
{
    const auto& geo = c.channel.die.geo;
    return planes_of_drive(c) * block_pages(c) * (geo.page_size / c.ftl.map_unit);
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

std::uint64_t physical_bytes(const ssd_config& c)
{
    return physical_units(c) * c.ftl.map_unit;
}

namespace {

/// Units in the blocks of the anchor and of vm_map's segments, which belong to no superblock.
std::uint64_t hidden_units(const ssd_config& c)
{
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t blocks =
        reserve_anchor(luns, c.channel.die.geo.planes, anchor_span(c)) + map_blocks(c);
    return blocks * (superblock_units(c) / planes_of_drive(c));
}

std::uint64_t in_superblocks(const ssd_config& c, std::uint64_t units)
{
    const std::uint64_t whole = std::max<std::uint64_t>(superblock_units(c), 1); // not checked yet
    return (units + whole - 1) / whole;
}

/// The host leaves so many free superblocks to maps: a whole checkpoint and the journal fit.
std::uint64_t map_reserve(const ssd_config& c)
{
    return in_superblocks(c, map_units(c) + journal_units(c)) +
           (map_has_frames(c) ? RESERVE_PAGING : 0);
}

/// Collection starts before the host has to leave what is left to collection and maps.
std::uint64_t gc_low_least(const ssd_config& c)
{
    return RESERVE_FREE + map_reserve(c) + 1;
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
    const bool errs = c.channel.die.errors.rber > 0.0;
    return errs ? std::max<std::uint32_t>(1, c.channel.ecc.correctable / 4) : 0;
}

std::uint64_t bad_superblocks(const ssd_config& c)
{
    const double share = c.channel.die.factory_bad_share;
    if (share <= 0.0) {
        return 0;
    }
    // The draw exceeds its mean by four standard deviations once in 30,000 drives.
    const auto per_superblock = static_cast<double>(planes_of_drive(c));
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
    return map_reserve(c) + in_superblocks(c, map_units(c) + journal_units(c) + hidden_units(c)) +
           (map_has_frames(c) ? RESERVE_GARBAGE + RESERVE_MAP_STREAM : 0);
}

std::uint64_t open_superblocks(const ssd_config& c)
{
    return RESERVE_SUPERBLOCKS + (c.ftl.wear_static_delta != 0 ? 1 : 0);
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
    const std::uint64_t hidden = in_superblocks(c, hidden_units(c));
    needed = std::max(needed, low > gc_low_least(c) ? 4 * low + hidden : 0);
    needed = std::max(needed, high > low + 1 ? 2 * high + hidden : 0);
    return needed + bad;
}

std::uint64_t write_unit_bytes(const ssd_config& c)
{
    const auto& geo = c.channel.die.geo;
    return std::uint64_t{geo.page_size} * (c.ftl.multi_plane ? geo.planes : 1);
}

std::uint64_t group_units(const ssd_config& c)
{
    const auto& geo = c.channel.die.geo;
    return std::uint64_t{geo.page_size / c.ftl.map_unit} * geo.planes;
}

std::uint64_t unit_addresses(const ssd_config& c)
{
    const auto& geo = c.channel.die.geo;
    const unsigned low = bits_for(std::uint64_t{c.channels} * c.channel.luns) +
                         bits_for(geo.planes) + bits_for(geo.page_size / c.ftl.map_unit);
    return (std::uint64_t{geo.blocks_per_plane} * block_pages(c)) << low;
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
    return c.ftl.scheme != ftl_scheme::page_map;
}

bool map_has_frames(const ssd_config& c)
{
    return c.ftl.scheme == ftl_scheme::dftl || c.ftl.scheme == ftl_scheme::log_set;
}

std::uint64_t map_cache_least(const ssd_config& c)
{
    // A write unit waits until what maps all of its units is in memory: a page for each of them.
    if (c.ftl.scheme == ftl_scheme::log_set) {
        return group_units(c) * c.ftl.map_unit;
    }
    return 2 * group_units(c) * BOOT_MAP_CACHE_ENTRY; // ... and for one of collection's
}

std::uint64_t map_frames(const ssd_config& c)
{
    const std::uint64_t unit = c.ftl.map_unit;
    if (c.ftl.scheme == ftl_scheme::log_set) {
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
    } else if (c.ftl.scheme == ftl_scheme::vm_map) {
        entries = segments_in_dram(c) * segment_bytes(c);
    }
    return entries + unit_addresses(c) / 8;
}

std::vector<std::uint64_t> map_level_units(const ssd_config& c)
{
    const std::uint64_t entries = c.ftl.map_unit / map_entry_bytes(c);
    std::vector<std::uint64_t> levels = {(user_units(c) + entries - 1) / entries};
    while (levels.back() > 1 && c.ftl.scheme != ftl_scheme::vm_map) {
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
    return c.ftl.scheme == ftl_scheme::vm_map ? (bytes + segment - 1) / segment : 0;
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
    if (c.ftl.scheme == ftl_scheme::vm_map) {
        return 0;
    }
    const std::vector<std::uint64_t> levels = map_level_units(c);
    return std::accumulate(levels.begin(), levels.end(), std::uint64_t{0});
}

std::uint64_t anchor_pages(const ssd_config& c)
{
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t tables =
        superblocks(c) * (ANCHOR_SUPERBLOCK_BYTES + luns) +
        ANCHOR_STREAMS * (ANCHOR_STREAM_BYTES + luns * ANCHOR_POINTER_BYTES);
    const std::uint64_t aligned =
        (tables + SEGMENT_NUMBER_BYTES - 1) / SEGMENT_NUMBER_BYTES * SEGMENT_NUMBER_BYTES +
        map_segments(c) * SEGMENT_NUMBER_BYTES + map_blocks(c) * MAP_BLOCK_BYTES;
    const std::uint64_t page = c.channel.die.geo.page_size;
    return (aligned + page - 1) / page + 2; // one of the journal, one of the record
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
        channel.join_planes && !c.ftl.multi_plane ? channel.die.geo.planes : 1;
    return width * (channel.use_cache && !channel.die.one_pass ? 4 : width > 1 ? 2 : 1);
}

} // namespace ssdvp::platform
