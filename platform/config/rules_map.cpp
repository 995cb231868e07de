// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: superblocks, and the map in memory.
#include <algorithm>

#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

void check_superblocks(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    check_placement(raw, c);
    constexpr std::uint64_t pages_max = 0xFFFFFFFF; // one word of firmware's addresses
    if (!superblocks_are_narrow(c)) {
        return;
    }
    if (superblocks(c) * block_pages(c) > pages_max) {
        reject("ftl.stripe",
               fmt::format("{} pages are more than the {} that superblocks of one block can name",
                           superblocks(c) * block_pages(c), pages_max),
               "use ftl.stripe: drive, or fewer blocks");
    }
    if (c.ftl.gc_copyback) {
        reject("gc.copyback",
               planes_are_apart(c)
                   ? "it moves page groups of superblocks of the drive, not pages of single blocks"
                   : "a copyback stays in its plane, superblocks of one block lie in different "
                     "ones",
               "use gc.copyback: false, or ftl.stripe: drive");
    }
}

void complete_map(const raw_tree& raw, ssd_config& c)
{
    const bool given = raw.values.count("ftl.map_cache") != 0;
    if (c.ftl.map_share > 0.0 && map_is_paged(c)) {
        const std::uint64_t bytes = map_cache_for(c, c.ftl.map_share);
        if (given && c.ftl.map_cache != bytes) {
            rejection{raw}("ftl.map_share",
                           fmt::format("it asks for {}B, and {} is given", bytes,
                                       told(raw, c, "ftl.map_cache")),
                           "give one of both");
        }
        c.ftl.map_cache = bytes;
    } else if (!given && map_has_frames(c)) {
        c.ftl.map_cache = std::max(whole_map_bytes(c) / 16, c.ftl_cores * std::uint64_t{65536});
        if (scheme_has(c, SCHEME_CACHES_PAGES)) {
            c.ftl.map_cache = std::max(c.ftl.map_cache, map_cache_least(c));
        }
    } else if (!given && scheme_has(c, SCHEME_HAS_SEGMENTS)) {
        c.ftl.map_cache = std::max(whole_map_bytes(c) / 16, segment_bytes(c));
    }
}

void check_map(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (!map_is_paged(c) && c.ftl.map_cache != 0) {
        reject("ftl.map_cache",
               fmt::format("the whole map of {} lies in DRAM",
                           maps_blocks(c) || places_pages(c) ? "blocks" : "page_map"),
               "use ftl.scheme: dftl, vm_map or log_set, or leave it out");
    }
    if (map_has_frames(c) && c.ftl.map_cache < map_cache_least(c)) {
        reject("ftl.map_cache",
               fmt::format("{} bytes are too few for what maps a write unit", c.ftl.map_cache),
               fmt::format("use {}B or more", map_cache_least(c)));
    }
}

} // namespace ssdvp::platform
