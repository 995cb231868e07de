// SPDX-License-Identifier: Apache-2.0
//
// Where a write lands.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

/// The 24 orders as the firmware knows them, in the order of the alphabet.
void append_orders(std::vector<choice_name>& all)
{
    const std::string levels = "CWDP";
    std::string order = "CDPW"; // of the alphabet: the first permutation
    do {
        std::uint32_t code = 0;
        for (unsigned n = 0; n < 4; ++n) {
            code |= static_cast<std::uint32_t>(levels.find(order[n])) << (2 * n);
        }
        all.push_back({order, static_cast<int>(placement_orders + code)});
    } while (std::next_permutation(order.begin(), order.end()));
}

/// Each static order is a word of its own.
value_spec placement_words()
{
    value_spec spec = words_of<placement_kind>();
    std::vector<choice_name> all;
    for (const choice_name& c : spec.choices) {
        if (c.value == static_cast<int>(placement_kind::static_order)) {
            append_orders(all);
        } else {
            all.push_back(c);
        }
    }
    spec.choices = all;
    return spec;
}

/// By address, or in turns: what looks at queues looks at all LUNs alike.
bool knows_chips(const ssd_config& c)
{
    return c.ftl.place.is_keyed() || c.ftl.place.where == placement_kind::round_robin;
}

bool not_striped(const ssd_config& c)
{
    return !c.ftl.place.is_stripe();
}

option window_option()
{
    return acts_when<ssd_config>(
        make_option<ssd_config>(
            {"ftl.placement_window", "2",
             "superblocks that a stream of writes may have open: so far planes may be apart"},
            count_of(1, PLACEMENT_WINDOW_MOST), FIELD(ftl.place.window)),
        [](const ssd_config& c) { return not_striped(c) && !planes_are_apart(c); },
        "ftl.placement is not stripe, and ftl.stripe is not plane",
        "use another ftl.placement, or leave it out");
}

std::vector<option> placement_options()
{
    return {
        kept_when<ssd_config>(
            make_option<ssd_config>({"flash.dies_per_chip", "1",
                                     "LUNs that make a chip: LUN of a channel = chip x dies + die; "
                                     "a divisor of flash.luns_per_channel"},
                                    count_of(1, 16), FIELD(dies_per_chip)),
            knows_chips, "ftl.placement is a static order, channel_rr or round_robin"),
        basic(make_option<ssd_config>(
            {"ftl.placement", "",
             "where a page lands; stripe: LUN after LUN, all planes at once; letters: by its "
             "address, C channel, W chip, D die, P plane, the first varies fastest; "
             "shortest_queue: the LUN with the fewest operations; channel_die: an idle LUN of an "
             "idle channel first; channel_rr: channel by address, then in turns; round_robin: in "
             "turns",
             "ftl.stripe: plane: round_robin; else stripe"},
            placement_words(), FIELD(ftl.place.where))),
        window_option(),
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"ftl.multi_plane_threshold", "0s",
                 "a host program takes k planes only while (k - 1) x (page transfer + nand.tDBSY), "
                 "which its first page waits, is below this; 0s: as many as there are"},
                time_of(0, s), FIELD(ftl.place.threshold)),
            [](const ssd_config& c) { return c.channel.die.geo.planes > 1; },
            "nand.planes is above 1"),
    };
}

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
    if (place.is_keyed() && buffer_has(c, CACHE_BUFFERS) && c.cache->capacity < least) {
        reject("ftl.placement",
               fmt::format("a buffer of {} holds no page of each of {} places",
                           format_size(c.cache->capacity), place_bins(c)),
               fmt::format("use cache.capacity of {} or more, cache.policy: none, or "
                           "ftl.placement: stripe",
                           format_size(least)));
    }
}

} // namespace

bool placement_config::is_stripe() const
{
    return where == placement_kind::stripe;
}

bool placement_config::is_keyed() const
{
    return is_static() || where == placement_kind::channel_rr;
}

std::uint64_t place_lanes(const ssd_config& c)
{
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    return c.ftl.place.is_stripe() ? 0 : luns * c.channel.die.geo.planes;
}

std::uint64_t place_bins(const ssd_config& c)
{
    if (c.ftl.place.where == placement_kind::channel_rr) {
        return c.channels;
    }
    return c.ftl.place.is_static() ? place_lanes(c) : 1;
}

/// The first page waits for the pages of k - 1 other planes to cross the bus.
std::uint32_t planes_most(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const std::uint32_t planes = die.geo.planes;
    if (c.ftl.place.threshold == sim_time()) {
        return planes;
    }
    const sim_time page = time_for(page_on_bus(c), c.channel.bus.transfer_rate);
    const std::uint64_t each = page.ps() + die.timing.tDBSY.ps();
    std::uint32_t k = 1;
    while (k < planes && k * each < c.ftl.place.threshold.ps()) {
        ++k;
    }
    return k;
}

namespace {

void fill_placement(boot_params& p, const ssd_config& c)
{
    const placement_config& place = c.ftl.place;
    const std::uint32_t where = value_of(place.where);
    p.placement.kind = place.is_static() ? value_of(placement_kind::static_order) : where;
    p.placement.order = place.is_static() ? where - placement_orders : 0;
    p.placement.window = place.window;
    p.placement.dies_per_chip = c.dies_per_chip;
    p.placement.planes_most = planes_most(c);
}

} // namespace

const config_part parts::placement = {placement_options, nullptr, check_placement, fill_placement};

} // namespace ssdvp::platform
