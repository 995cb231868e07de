// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"

#include <algorithm>
#include <cmath>

#include "models/regs/boot_params.h"
#include "models/regs/sata_fe_regs.h"
#include "platform/config/choices.h"
#include "platform/config/partition.h"

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
    return c.ftl.stripe != superblock_stripe::drive;
}

bool planes_are_apart(const ssd_config& c)
{
    return c.ftl.stripe == superblock_stripe::plane;
}

std::uint64_t superblock_luns(const ssd_config& c)
{
    return superblocks_are_narrow(c) ? 1 : std::uint64_t{c.channels} * c.channel.luns / c.ftl_cores;
}

std::uint64_t superblock_planes(const ssd_config& c)
{
    return superblocks_are_narrow(c) ? 1 : c.channel.die.geo.planes;
}

std::uint64_t superblocks(const ssd_config& c)
{
    return c.channel.die.geo.blocks_per_plane *
           (superblocks_are_narrow(c) ? planes_of_drive(c) : c.ftl_cores);
}

std::uint64_t superblock_units(const ssd_config& c)
{
    return superblock_luns(c) * block_pages(c) * group_units(c);
}

std::uint64_t physical_units(const ssd_config& c)
{
    return (superblocks(c) - slc_superblocks(c)) * superblock_units(c);
}

std::uint64_t user_units(const ssd_config& c)
{
    const double share = 1.0 - c.ftl.over_provisioning;
    const std::uint64_t physical = physical_units(c) / c.ftl_cores;
    const auto units =
        static_cast<std::uint64_t>(std::floor(static_cast<double>(physical) * share));
    return is_divided(c) ? units / stripe_units(c) * stripe_units(c) * c.ftl_cores : units;
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
    const std::uint64_t of_a_core = superblocks(c) / c.ftl_cores;
    const double blocks = static_cast<double>(of_a_core) * per_superblock;
    const double most = blocks * share + 4.0 * std::sqrt(blocks * share * (1.0 - share));
    return c.ftl_cores *
           static_cast<std::uint64_t>(std::ceil(std::min(most, blocks) / per_superblock));
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
    return (superblocks(c) / c.ftl_cores * block_pages(c)) << low;
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

std::uint64_t logical_blocks(const ssd_config& c)
{
    const std::uint64_t pages = home_pages(c);
    return (user_units(c) + pages - 1) / pages;
}

bool map_has_frames(const ssd_config& c)
{
    return scheme_has(c, SCHEME_HAS_FRAMES);
}

std::uint64_t map_cache_least(const ssd_config& c)
{
    // A write unit waits until what maps all of its units is in memory: a page for each of them.
    // One more is for reads.
    if (scheme_has(c, SCHEME_CACHES_PAGES)) {
        return c.ftl_cores * (group_units(c) + 1) * c.ftl.map_unit;
    }
    // ... and for one of collection's
    return c.ftl_cores * 2 * group_units(c) * BOOT_MAP_CACHE_ENTRY;
}

std::uint64_t segment_bytes(const ssd_config& c)
{
    return std::uint64_t{block_pages(c)} * c.channel.die.geo.page_size;
}

std::uint32_t lun_programs(const ssd_config& c)
{
    const flash::channel_config& channel = c.channel;
    const std::uint32_t width =
        channel.join_planes && !c.ftl.multi_plane && !superblocks_are_narrow(c)
            ? channel.die.geo.planes
            : 1;
    const std::uint32_t at_once = width > 1 ? 2 : 1;
    if (channel.die.one_pass) { // of a word line only the last page makes the array work
        return width * std::max(at_once, static_cast<std::uint32_t>(channel.die.cell));
    }
    return width * (channel.use_cache ? 4 : at_once);
}

} // namespace ssdvp::platform
