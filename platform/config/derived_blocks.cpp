// SPDX-License-Identifier: Apache-2.0
//
// What follows from a scheme of block or hybrid mapping: logical blocks, log blocks, and the image
// of all that which lies in the pages of the map (firmware/blockmap).
#include <cmath>

#include "firmware/flash/reserve.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

bool places_pages(const ssd_config& c)
{
    return scheme_has(c, SCHEME_PLACES);
}

std::uint32_t home_pages(const ssd_config& c)
{
    const std::uint32_t pages = block_pages(c);
    const std::uint32_t spare =
        c.ftl.scheme == ftl_scheme::msbs ? c.ftl.blocks.msbs_spare_pages : 0;
    return pages > spare ? pages - spare : 1; // not checked yet
}

std::uint64_t second_blocks(const ssd_config& c)
{
    switch (c.ftl.scheme) {
    case ftl_scheme::fmax:
        return logical_blocks(c);
    case ftl_scheme::lm:
        return c.ftl.blocks.lm_moving_blocks;
    case ftl_scheme::bast:
        return c.ftl.blocks.bast_log_blocks;
    case ftl_scheme::fast:
        return 1; // the sequential one
    case ftl_scheme::kast:
        return c.ftl.blocks.kast_log_blocks;
    case ftl_scheme::last:
        return c.ftl.blocks.last_sequential_blocks;
    default:
        return 0;
    }
}

std::uint64_t shared_blocks(const ssd_config& c)
{
    const block_map_config& b = c.ftl.blocks;
    switch (c.ftl.scheme) {
    case ftl_scheme::fast:
        return b.fast_random_log_blocks;
    case ftl_scheme::kast:
        return b.kast_log_blocks;
    case ftl_scheme::last:
        return b.last_random_blocks;
    case ftl_scheme::superblock:
        return b.superblock_pool_blocks;
    default:
        return 0;
    }
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
    const bool either = c.ftl.scheme == ftl_scheme::kast; // a log block is a second or a shared one
    return logical_blocks(c) + second_blocks(c) + (either ? 0 : shared_blocks(c)) + folds(c);
}

std::uint64_t slot_notes(const ssd_config& c)
{
    return c.ftl.scheme == ftl_scheme::kast   ? 1 + c.ftl.blocks.kast_associativity
           : c.ftl.scheme == ftl_scheme::last ? block_pages(c)
                                              : 0;
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
