// SPDX-License-Identifier: Apache-2.0
//
// What follows from a scheme of block or hybrid mapping: logical blocks, log blocks, and the image
// of all that which lies in the pages of the map (firmware/blockmap).
#include <cmath>

#include "firmware/flash/reserve.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

bool places_pages(const ssd_config& c)
{
    return scheme_has(c, SCHEME_PLACES);
}

std::uint32_t home_pages(const ssd_config& c)
{
    const std::uint32_t pages = block_pages(c);
    const std::uint32_t spare = part_of(c).spare_pages(c);
    return pages > spare ? pages - spare : 1; // not checked yet
}

std::uint64_t second_blocks(const ssd_config& c)
{
    return part_of(c).needs(c).second;
}

std::uint64_t shared_blocks(const ssd_config& c)
{
    return part_of(c).needs(c).shared;
}

std::uint64_t shared_slots(const ssd_config& c)
{
    const std::uint64_t data = groups_blocks(c) ? logical_blocks(c) : 0;
    return block_slots(c, shared_blocks(c) + data);
}

bool groups_blocks(const ssd_config& c)
{
    return scheme_has(c, SCHEME_GROUPS_BLOCKS);
}

std::uint64_t mapped_blocks(const ssd_config& c)
{
    const std::uint64_t each = groups_blocks(c) ? c.ftl.blocks.superblock_blocks : 1;
    return (logical_blocks(c) + each - 1) / each;
}

std::uint64_t folds(const ssd_config& c)
{
    return BLOCKMAP_FOLDS(std::uint64_t{c.channels} * c.channel.luns);
}

std::uint64_t block_slots(const ssd_config& c, std::uint64_t planned)
{
    return planned != 0 ? planned + BLOCKMAP_SLACK(std::uint64_t{c.channels} * c.channel.luns) : 0;
}

std::uint64_t planned_blocks(const ssd_config& c)
{
    const block_needs needs = part_of(c).needs(c);
    return logical_blocks(c) + needs.second + (needs.either ? 0 : needs.shared) + folds(c);
}

std::uint64_t slot_notes(const ssd_config& c)
{
    return part_of(c).needs(c).slot_notes;
}

double over_provisioning_needed(const ssd_config& c)
{
    const std::uint64_t all = superblocks(c);
    if (!places_pages(c)) {
        const auto needed = static_cast<double>(spare_superblocks_needed(c));
        return std::ceil(1000.0 * needed / static_cast<double>(all) + 0.001) / 1000.0;
    }
    ssd_config larger = c; // what logical blocks need beside their data shrinks with the data
    for (unsigned share = 0; share < 1000; ++share) {
        larger.ftl.over_provisioning = share / 1000.0;
        const std::uint64_t left = physical_units(c) - user_units(larger);
        if (user_units(larger) != 0 &&
            left / superblock_units(c) >= spare_superblocks_needed(larger)) {
            return larger.ftl.over_provisioning;
        }
    }
    return 1.0;
}

std::uint64_t image_pages(const ssd_config& c)
{
    const std::uint64_t pages = block_pages(c);
    const std::uint64_t seconds = block_slots(c, second_blocks(c));
    const std::uint64_t shared = shared_slots(c);
    const auto offsets = [](std::uint64_t n) { return (n + 1) / 2 * 2 * BLOCKMAP_OFFSET_BYTES; };
    const std::uint64_t bytes =
        BLOCKMAP_HEAD_BYTES + superblocks(c) * BLOCKMAP_BLOCK_BYTES(pages) +
        (seconds + shared) * BLOCKMAP_SLOT_BYTES + offsets(seconds * pages) +
        offsets(superblocks(c) * (pages - home_pages(c))) + shared * pages * BLOCKMAP_UNIT_BYTES;
    return (bytes + c.ftl.map_unit - 1) / c.ftl.map_unit;
}

} // namespace ssdvp::platform
