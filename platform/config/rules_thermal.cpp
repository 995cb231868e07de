// SPDX-License-Identifier: Apache-2.0
//
// Rules between the keys of heat.
#include <fmt/format.h>
#include <initializer_list>

#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

struct limit {
    const char* key;
    std::uint32_t celsius; // 0: there is none
};

/// Where a key is given, else where the model is asked for.
const raw_entry* place_of(const raw_tree& raw, const char* key)
{
    const raw_entry* given = entry_of(raw, key);
    return given != nullptr ? given : entry_of(raw, "thermal.model");
}

/// Each below all that follow.
void rising(const raw_tree& raw, std::initializer_list<limit> limits)
{
    const limit* last = nullptr;
    for (const limit& l : limits) {
        if (l.celsius == 0) {
            continue;
        }
        const raw_entry* at = place_of(raw, l.key);
        if (last != nullptr && l.celsius <= last->celsius && at != nullptr) {
            fail(at->at, l.key,
                 fmt::format("{} degrees are not above {}, which is {}", l.celsius, last->key,
                             last->celsius),
                 "let thermal limits rise");
        }
        last = &l;
    }
}

} // namespace

void check_thermal(const raw_tree& raw, const ssd_config& c)
{
    const heat_config& h = c.heat;
    if (c.heat_model == thermal_model::off) {
        return;
    }
    const raw_entry* model = entry_of(raw, "thermal.model");
    if (!c.energy.any() && model != nullptr) {
        fail(model->at, "thermal.model", "nothing draws power, so nothing heats up",
             "give nand.current.*, energy.link.* or energy.core.*, or use thermal.model: off");
    }
    rising(raw, {{"thermal.warning", h.warning}, {"thermal.critical", h.critical}});
    rising(raw, {{"thermal.throttle.light", h.light},
                 {"thermal.throttle.heavy", h.heavy},
                 {"thermal.shutdown", h.shutdown}});
    for (const limit& l :
         {limit{"thermal.throttle.light", h.light}, limit{"thermal.throttle.heavy", h.heavy},
          limit{"thermal.shutdown", h.shutdown}}) {
        const raw_entry* at = place_of(raw, l.key);
        if (l.celsius != 0 && static_cast<double>(l.celsius) - h.hysteresis <= c.thermal.ambient &&
            at != nullptr) {
            fail(at->at, l.key,
                 fmt::format("what begins at {} degrees ends at {}, and the air has {}", l.celsius,
                             static_cast<double>(l.celsius) - h.hysteresis, c.thermal.ambient),
                 "use a higher limit, a smaller thermal.throttle.hysteresis or cooler air");
        }
    }
}

} // namespace ssdvp::platform
