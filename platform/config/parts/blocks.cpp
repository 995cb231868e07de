// SPDX-License-Identifier: Apache-2.0
//
// Schemes that give each page of a logical block its place: their parts of the flash.
#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

std::vector<option> block_options()
{
    return scheme_options(SCHEME_PLACES);
}

/// What a scheme needs that writes the pages of a block in place.
void check_scheme_part(const rejection& reject, const ssd_config& c)
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
}

void check_blocks(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (c.channel.die.order == flash::page_order::any && c.channel.die.one_pass) {
        reject("nand.page_order",
               "a word line that is programmed in one pass loads its pages in order",
               "use nand.page_order: sequential, or nand.one_pass: false");
    }
    if (places_pages(c)) {
        check_scheme_part(reject, c);
    }
    part_of(c).check(reject, c);
}

} // namespace

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

bool groups_blocks(const ssd_config& c)
{
    return scheme_has(c, SCHEME_GROUPS_BLOCKS);
}

const config_part parts::blocks = {block_options, nullptr, check_blocks};

} // namespace ssdvp::platform
