// SPDX-License-Identifier: Apache-2.0
//
// Rules between the keys of heat.
#include <fmt/format.h>
#include <initializer_list>

#include "platform/config/derived.h"
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

/// What a limit begins ends in a drive that has nothing to do, else it would never end.
void above_idle(const raw_tree& raw, const ssd_config& c, std::initializer_list<limit> limits)
{
    const double idle = idle_celsius(c);
    for (const limit& l : limits) {
        const raw_entry* at = place_of(raw, l.key);
        const double end = static_cast<double>(l.celsius) - c.heat.hysteresis;
        if (l.celsius != 0 && end <= idle && at != nullptr) {
            fail(at->at, l.key,
                 fmt::format("what begins at {} degrees ends at {}, and a drive that does nothing "
                             "has {:.1f}: it draws {:.3g} W, and the air has {}",
                             l.celsius, end, idle, idle_watts(c), c.thermal.ambient),
                 "use a higher limit, a smaller thermal.throttle.hysteresis, lower figures of what "
                 "the parts draw idle, smaller resistances or cooler air");
        }
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
    above_idle(raw, c,
               {{"thermal.throttle.light", h.light},
                {"thermal.throttle.heavy", h.heavy},
                {"thermal.shutdown", h.shutdown}});
}

} // namespace ssdvp::platform
