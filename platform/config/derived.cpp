// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"

#include <algorithm>
#include <cmath>

#include "firmware/flash/reserve.h"
#include "models/regs/boot_params.h"
#include "models/regs/channel_regs.h"
#include "models/regs/nvme_fe_regs.h"

namespace ssdvp::platform {
namespace {

// Sizes of the firmware's structures, or a little more, so that a drive that passes here also
// boots.
constexpr std::uint64_t per_superblock = 48;
constexpr std::uint64_t per_request = 80;     // flash operation and its link
constexpr std::uint64_t per_cache_slot = 112; // beside the data: state, links, hash buckets
constexpr std::uint64_t per_gc_unit = 20;     // beside the data
constexpr std::uint64_t per_command = 72;
constexpr std::uint64_t per_command_unit = 32; // of the largest transfer: waits, arrivals
constexpr std::uint64_t per_group_unit = 24;   // address, spare words of an operation
constexpr std::uint64_t per_out = 24;          // a map page on its way out, beside its copy
constexpr std::uint64_t journal_units = 32;
constexpr std::uint64_t checkpoint_programs_least = 64;
constexpr std::uint64_t table_alignment = 64 * 1024; // tables begin on pages of memory
constexpr std::uint64_t fixed_dram = 256 * 1024;
constexpr std::uint64_t per_channel_ring = 5 * 1024; // beside the entries of operations in flight
constexpr std::uint64_t mover_rings = 64 * 1024;
constexpr std::uint64_t firmware_state = 64 * 1024;

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

/// Page buffers of firmware: host reads that are in the flash at a time.
std::uint64_t reads_in_flight(const ssd_config& c)
{
    return std::clamp<std::uint64_t>(c.nvme.slots, 64, 1024);
}

std::uint64_t planes_of_drive(const ssd_config& c)
{
    return std::uint64_t{c.channels} * c.channel.luns * c.channel.die.geo.planes;
}

/// Of each block: what firmware counts to know when to refresh.
std::uint64_t watched_bytes(const ssd_config& c)
{
    return (c.ftl.refresh.reads != 0 ? 4 : 0) + (c.ftl.refresh.retire != 0 ? 1 : 0);
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

std::uint64_t gc_low_superblocks(const ssd_config& c)
{
    return std::max<std::uint64_t>(2, superblocks(c) * thousandths(c.ftl.gc_threshold) / 1000);
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

std::uint64_t spare_superblocks_needed(const ssd_config& c)
{
    const std::uint64_t low = gc_low_superblocks(c);
    const std::uint64_t high = gc_high_superblocks(c);
    std::uint64_t needed = RESERVE_SUPERBLOCKS + (c.ftl.wear_static_delta != 0 ? 1 : 0);
    // Marks higher than these shares of the spare superblocks would be cut down by the firmware.
    needed = std::max(needed, low > 2 ? 4 * low : 0);
    needed = std::max(needed, high > low + 1 ? 2 * high : 0);
    const double bad = c.channel.die.factory_bad_share;
    const auto lost =
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(superblocks(c)) * bad));
    return needed + lost + (bad > 0.0 ? 1 : 0); // one more: the draw may exceed its mean
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

std::uint64_t map_bytes(const ssd_config& c)
{
    return user_units(c) * map_entry_bytes(c) + unit_addresses(c) / 8;
}

/// What recovery holds beside the map's first level: upper levels, copies on their way out, the
/// replay table, journal and anchor (firmware/ftl/maps.c, firmware/recovery).
std::uint64_t recovery_bytes(const ssd_config& c)
{
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t unit = c.ftl.map_unit;
    const std::uint64_t group = group_units(c);
    const std::uint64_t entries = unit / map_entry_bytes(c);
    const std::uint64_t first = (user_units(c) + entries - 1) / entries;
    std::uint64_t pages = first;
    for (std::uint64_t level = first; level > 1; pages += level) {
        level = (level + entries - 1) / entries;
    }
    const std::uint64_t due =
        std::max(c.ftl.checkpoint_interval / unit / group, checkpoint_programs_least);
    const std::uint64_t replay = 2 * due + 2 * (pages / group) + checkpoint_programs_least;
    const std::uint64_t tables = superblocks(c) * (8 + luns) + 4 * (16 + luns * 4);
    return (pages - first + 1) * unit + pages + 2 * group * (unit + per_out) +
           replay * (1 + group) * 8 + journal_units * unit + tables +
           3 * std::uint64_t{c.channel.die.geo.page_size} + superblocks(c) +
           2 * planes_of_drive(c) + table_alignment;
}

std::uint64_t dram_bytes_needed(const ssd_config& c)
{
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t unit = c.ftl.map_unit;
    const std::uint64_t group = group_units(c);
    const std::uint64_t planes = c.channel.die.geo.planes;
    const std::uint64_t reads = reads_in_flight(c);
    const std::uint64_t copies = c.ftl.gc_copyback ? 2 : 0;
    const std::uint64_t background = luns * (2 * planes + 8 + copies) + 8;
    const std::uint64_t flash = reads * c.channel.die.geo.page_size +
                                (reads + background) * per_request +
                                background * group * per_group_unit;
    const std::uint64_t staged =
        c.cache.policy == cache_policy::none ? 4 * luns * group : 4 * group;
    const std::uint64_t slots = std::max(staged, c.cache.capacity / unit);
    const std::uint64_t collection = std::max(3 * luns * group, (group + 2) * group) + group + 1;
    // Moves that wait for the data mover: at most a whole transfer of every command.
    const std::uint64_t transfer = c.max_transfer / unit + 2;
    const std::uint64_t moves = 1ull << bits_for(c.nvme.slots * transfer);
    return map_bytes(c) + recovery_bytes(c) + superblocks(c) * (per_superblock + luns) + flash +
           slots * (unit + per_cache_slot) + collection * (unit + per_gc_unit) +
           superblocks(c) * planes * luns * watched_bytes(c) + moves * sizeof(fe_move) +
           c.nvme.slots * (per_command + transfer * per_command_unit) + luns * 16 + fixed_dram;
}

std::uint64_t sram_bytes_needed(const ssd_config& c)
{
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t commands = (1ull << bits_for(2ull * c.nvme.slots)) * sizeof(fe_command);
    const std::uint64_t ring_entries = reads_in_flight(c) + luns + c.channel.luns + 4;
    const std::uint64_t rings =
        per_channel_ring + ring_entries * (sizeof(flash_desc) + sizeof(flash_completion));
    return BOOT_FREE_OFFSET + firmware_state + c.channels * rings + luns * 64 + commands +
           mover_rings;
}

} // namespace ssdvp::platform
