// SPDX-License-Identifier: Apache-2.0
//
// What follows from ftl.placement.
#include <algorithm>

#include "platform/config/choices.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

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

} // namespace ssdvp::platform
