// SPDX-License-Identifier: Apache-2.0
//
// Options of where a write lands: chips and dies by name, static orders, dynamic choices.
#include <algorithm>
#include <string>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

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

} // namespace

std::vector<option> placement_options()
{
    return {
        kept_when<ssd_config>(
            make_option<ssd_config>({"flash.dies_per_chip", "1",
                                     "LUNs that make a chip: LUN of a channel = chip x dies + die; "
                                     "a divisor of flash.luns_per_channel"},
                                    count_of(1, 16), FIELD(dies_per_chip)),
            knows_chips, "ftl.placement is a static order, channel_rr or round_robin"),
        make_option<ssd_config>(
            {"ftl.placement", "",
             "where a page lands; stripe: LUN after LUN, all planes at once; letters: by its "
             "address, C channel, W chip, D die, P plane, the first varies fastest; "
             "shortest_queue: the LUN with the fewest operations; channel_die: an idle LUN of an "
             "idle channel first; channel_rr: channel by address, then in turns; round_robin: in "
             "turns",
             "ftl.stripe: plane: round_robin; else stripe"},
            placement_words(), FIELD(ftl.place.where)),
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

} // namespace ssdvp::platform
