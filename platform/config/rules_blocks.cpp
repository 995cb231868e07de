// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: parts that take the pages of a block in any order, and the schemes that need
// them.
#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

/// Pages of a superblock (firmware/ftl/superblock.c).
constexpr std::uint32_t pages_most = 65535;

/// What a scheme needs that writes the pages of a block in place.
void check_part(const rejection& reject, const ssd_config& c)
{
    const std::uint32_t page = c.channel.die.geo.page_size;
    if (!groups_blocks(c) && c.channel.die.order != flash::page_order::any) {
        reject("ftl.scheme", "it programs the pages of a block in the order in which they come",
               "use a part with nand.page_order: any, or another scheme");
    }
    if (!superblocks_are_narrow(c)) {
        reject("ftl.stripe", "a logical block is mapped to one block of the part",
               "use ftl.stripe: block, or leave it out");
    }
    if (c.ftl.map_unit != page) {
        reject("ftl.map_unit", fmt::format("the units of a logical block are pages of {}B", page),
               fmt::format("use {}B, or leave it out", page));
    }
    if (c.ftl.scheme == ftl_scheme::msbs && c.ftl.blocks.msbs_spare_pages >= block_pages(c)) {
        reject("ftl.msbs.spare_pages",
               fmt::format("{} of {} pages leave none for a logical block",
                           c.ftl.blocks.msbs_spare_pages, block_pages(c)),
               fmt::format("use {} or less", block_pages(c) - 1));
    }
    if (groups_blocks(c) && c.ftl.blocks.superblock_blocks > pages_most / block_pages(c)) {
        reject("ftl.superblock.blocks",
               fmt::format("{} blocks of {} pages are more than {} pages",
                           c.ftl.blocks.superblock_blocks, block_pages(c), pages_most),
               fmt::format("use {} or less", pages_most / block_pages(c)));
    }
}

/// Parts of the log, and what one log block may take.
void check_localities(const rejection& reject, const ssd_config& c)
{
    const block_map_config& b = c.ftl.blocks;
    if (c.ftl.scheme == ftl_scheme::kast && b.kast_associativity > block_pages(c)) {
        reject("ftl.kast.associativity", fmt::format("a log block has {} pages", block_pages(c)),
               fmt::format("use {} or less", block_pages(c)));
    }
    if (c.ftl.scheme == ftl_scheme::last && b.last_hot_blocks >= b.last_random_blocks) {
        reject("ftl.last.hot_log_blocks",
               fmt::format("of {} random log blocks one at least is for cold pages",
                           b.last_random_blocks),
               fmt::format("use {} or less, or more ftl.last.random_log_blocks",
                           b.last_random_blocks - 1));
    }
}

} // namespace

void check_blocks(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (c.channel.die.order == flash::page_order::any && c.channel.die.one_pass) {
        reject("nand.page_order",
               "a word line that is programmed in one pass loads its pages in order",
               "use nand.page_order: sequential, or nand.one_pass: false");
    }
    if (places_pages(c)) {
        check_part(reject, c);
        check_localities(reject, c);
    }
}

} // namespace ssdvp::platform
