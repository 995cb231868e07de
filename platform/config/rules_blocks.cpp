// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: parts that take the pages of a block in any order, and the schemes that need
// them.
#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/rules.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

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
        check_scheme_part(reject, c);
    }
    part_of(c).check(reject, c);
}

} // namespace ssdvp::platform
