// SPDX-License-Identifier: Apache-2.0
//
// What follows from a scheme of block mapping: its logical blocks.
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

bool groups_blocks(const ssd_config& c)
{
    return scheme_has(c, SCHEME_GROUPS_BLOCKS);
}

} // namespace ssdvp::platform
