// SPDX-License-Identifier: Apache-2.0
//
// Rules of how the drive is filled before the run.
#include "platform/config/derived.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

/// From so many units on a drive is worth it: less takes the firmware a few seconds.
constexpr std::uint64_t counted_units_least = std::uint64_t{1} << 22;

} // namespace

const char* counts_obstacle(const ssd_config& c)
{
    if (!scheme_has(c, SCHEME_MAP_IN_DRAM)) {
        return "only ftl.scheme: page_map can deal units to their places at the end";
    }
    if (superblocks_are_narrow(c) || !c.ftl.place.is_stripe()) {
        return "units lie anywhere only with ftl.stripe: drive and ftl.placement: stripe";
    }
    if (tracks_retention(c)) {
        return "pages with a retention limit are followed one by one";
    }
    return c.zones.size != 0 ? "zones are written in order" : nullptr;
}

/// Written fewer than once, most units still lie in order, which counts do not know of.
bool preconditions_by_counts(const ssd_config& c)
{
    const precondition_config& p = c.precondition;
    if (p.method != precondition_method::automatic) {
        return p.method == precondition_method::counts && p.fill > 0.0 && p.overwrite > 0.0;
    }
    return p.fill > 0.0 && p.overwrite >= 1.0 && counts_obstacle(c) == nullptr &&
           user_units(c) >= counted_units_least;
}

void check_precondition(const raw_tree& raw, const ssd_config& c)
{
    const char* obstacle = counts_obstacle(c);
    if (c.precondition.method == precondition_method::counts && obstacle != nullptr) {
        const rejection reject{raw};
        reject("precondition.method", obstacle, "use precondition.method: auto or units");
    }
}

} // namespace ssdvp::platform
