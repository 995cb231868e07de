// SPDX-License-Identifier: Apache-2.0
//
// The buffer: what follows from its policy and capacity.
#include <algorithm>
#include <cmath>

#include "platform/config/choices.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

bool buffer_has(const ssd_config& c, std::uint32_t flags)
{
    return (flags_of(c.cache.policy) & flags) == flags;
}

bool buffer_keeps(const ssd_config& c)
{
    return buffer_has(c, CACHE_KEEPS_READS);
}

bool groups_buffer(const ssd_config& c)
{
    return buffer_has(c, CACHE_GROUPS);
}

std::uint64_t write_units_buffered(const ssd_config& c)
{
    return std::uint64_t{4} * c.ftl_cores;
}

std::uint64_t buffer_bytes_needed(const ssd_config& c)
{
    return write_units_buffered(c) * write_unit_bytes(c) + buffer_for_passes(c);
}

std::uint32_t buffer_dirty_permille(const ssd_config& c)
{
    return static_cast<std::uint32_t>(std::lround(c.cache.dirty_limit * 1000.0));
}

bool buffer_is_staged(const ssd_config& c)
{
    return groups_buffer(c) || buffer_has(c, CACHE_PREFERS_CLEAN) ||
           (c.cache.policy == cache_policy::rw_lru && buffer_dirty_permille(c) != 0);
}

std::uint64_t buffer_group_units(const ssd_config& c)
{
    const std::uint64_t page_units = c.channel.die.geo.page_size / c.ftl.map_unit;
    const std::uint64_t pages = places_pages(c) ? home_pages(c) : block_pages(c);
    return std::max<std::uint64_t>(pages * page_units, 1);
}

/// firmware/cache/wo_lru.c and staged.c
std::uint64_t buffer_slots(const ssd_config& c)
{
    const std::uint64_t group = std::max<std::uint64_t>(group_units(c), 1);
    if (!buffer_has(c, CACHE_BUFFERS)) {
        return 4 * (planes_are_apart(c) ? place_lanes(c) : superblock_luns(c)) * group;
    }
    const std::uint64_t slots = std::max(4 * group, c.cache.capacity / c.ftl.map_unit);
    const std::uint64_t permille = buffer_dirty_permille(c);
    if (permille == 0) {
        return slots;
    }
    const std::uint64_t unit =
        c.ftl.multi_plane ? group : c.channel.die.geo.page_size / c.ftl.map_unit;
    const std::uint64_t luns =
        planes_are_apart(c) ? place_lanes(c) : std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t held =
        pages_between_passes(c) * (c.ftl.multi_plane ? 1 : superblock_planes(c));
    const std::uint64_t programs = std::max<std::uint64_t>(lun_programs(c), held);
    std::uint64_t spare = std::min(luns * std::max(unit * programs, group), slots / 2);
    if (buffer_is_staged(c)) {
        const bool pads = buffer_has(c, CACHE_PADS) && c.cache.padding;
        spare = std::max(std::min((pads ? 4 : 2) * spare, slots / 2), 2 * group);
    }
    const std::uint64_t dirty = std::max<std::uint64_t>(slots * permille / 1000, 1);
    return std::max((buffer_keeps(c) ? slots : dirty) + spare, slots);
}

} // namespace ssdvp::platform
