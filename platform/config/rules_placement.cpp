// SPDX-License-Identifier: Apache-2.0
//
// Rules of where a write lands.
#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/rules.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

/// Each plane writes and collects by itself: page_map alone knows how.
void check_planes(const rejection& reject, const ssd_config& c)
{
    if (!planes_are_apart(c)) {
        return;
    }
    if (!scheme_has(c, SCHEME_MAP_IN_DRAM)) {
        reject("ftl.stripe", "a plane of its own collects only what a map in DRAM tells of",
               "use ftl.scheme: page_map, or ftl.stripe: drive");
    }
    if (c.ftl.place.is_stripe()) {
        reject("ftl.placement", "no superblock spans the planes that it would write at once",
               "use another ftl.placement or leave it out, or use ftl.stripe: drive");
    }
}

} // namespace

void check_placement(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const placement_config& place = c.ftl.place;
    if (c.channel.luns % c.dies_per_chip != 0) {
        reject("flash.dies_per_chip",
               fmt::format("{} LUNs of a channel are no whole chips of {} dies", c.channel.luns,
                           c.dies_per_chip),
               "use a divisor of flash.luns_per_channel");
    }
    if (place.threshold != sim_time() && !c.ftl.multi_plane) {
        reject("ftl.multi_plane_threshold", "no program takes more than one plane",
               "use ftl.multi_plane: true, or leave it out");
    }
    check_planes(reject, c);
    if (place.is_stripe()) {
        return;
    }
    if (!planes_are_apart(c) && (maps_blocks(c) || places_pages(c) || superblocks_are_narrow(c))) {
        reject("ftl.placement",
               "only schemes that map pages to superblocks of the drive place them",
               "use ftl.scheme: page_map, dftl, vm_map or log_set with ftl.stripe: drive, "
               "page_map with ftl.stripe: plane, or ftl.placement: stripe");
    }
    const std::uint64_t least =
        place_bins(c) * c.channel.die.geo.page_size; // a page of each can be gathered
    if (place.is_keyed() && buffer_has(c, CACHE_BUFFERS) && c.cache.capacity < least) {
        reject("ftl.placement",
               fmt::format("a buffer of {} holds no page of each of {} places",
                           format_size(c.cache.capacity), place_bins(c)),
               fmt::format("use cache.capacity of {} or more, cache.policy: none, or "
                           "ftl.placement: stripe",
                           format_size(least)));
    }
}

} // namespace ssdvp::platform
