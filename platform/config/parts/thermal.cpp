// SPDX-License-Identifier: Apache-2.0
//
// Heat: how the drive heats up, and what firmware does about it.
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

value_spec celsius()
{
    return real_of(value_kind::number, 0.0, 200.0);
}

/// NVMe tells limits in whole kelvins.
value_spec degrees()
{
    return count_of(0, 200);
}

value_spec above_zero(double high)
{
    return real_of(value_kind::number, 0.0, high, true);
}

bool heats(const ssd_config& c)
{
    return c.heat_model != thermal_model::off;
}

option with_model(option o)
{
    return only_when(std::move(o), heats, "thermal.model is rc",
                     "use thermal.model: rc, or remove it");
}

template <class Access>
option of_model(const option_text& text, const value_spec& spec, Access field)
{
    return with_model(make_option<ssd_config>(text, spec, field));
}

/// Throttling is also what keeps a power state within its power.
template <class Access>
option of_throttle(const option_text& text, const value_spec& spec, Access field)
{
    return only_when(
        make_option<ssd_config>(text, spec, field),
        [](const ssd_config& c) { return heats(c) || c.states.any(); },
        "thermal.model is rc or power.states.max_power is given",
        "use thermal.model: rc or power.states.max_power, or remove it");
}

std::vector<option> network_options()
{
    return {
        of_model({"thermal.ambient", "25", "degrees Celsius of the air around the drive"},
                 celsius(), FIELD(thermal.ambient)),
        of_model(
            {"thermal.start", "", "degrees Celsius of all parts at power-on", "thermal.ambient"},
            celsius(), FIELD(thermal.start)),
        of_model({"thermal.die.resistance", "20", "K/W of each die to the case"}, above_zero(1e6),
                 FIELD(thermal.die.resistance)),
        of_model({"thermal.die.capacity", "0.1", "J/K of each die with its share of the package"},
                 above_zero(1e6), FIELD(thermal.die.capacity)),
        of_model({"thermal.controller.resistance", "4", "K/W of the controller to the case"},
                 above_zero(1e6), FIELD(thermal.controller.resistance)),
        of_model({"thermal.controller.capacity", "1.5", "J/K of the controller"}, above_zero(1e6),
                 FIELD(thermal.controller.capacity)),
        of_model({"thermal.case.resistance", "8", "K/W of case and board to the air"},
                 above_zero(1e6), FIELD(thermal.chassis.resistance)),
        of_model({"thermal.case.capacity", "12", "J/K of case and board"}, above_zero(1e6),
                 FIELD(thermal.chassis.capacity)),
        of_model({"thermal.speed", "1",
                  "heat runs so much faster than in the drive: all capacities are divided by it"},
                 above_zero(1e9), FIELD(thermal_speed)),
        of_model({"thermal.step", "10ms",
                  "from one conversion of the sensors to the next, and from one look of firmware "
                  "to the next while the drive works"},
                 time_of(us, 10 * s), FIELD(thermal.step)),
    };
}

std::vector<option> limit_options()
{
    return {
        of_model({"thermal.warning", "70", "WCTEMP, degrees Celsius"}, degrees(),
                 FIELD(heat.warning)),
        of_model({"thermal.critical", "80", "CCTEMP, degrees Celsius"}, degrees(),
                 FIELD(heat.critical)),
        of_model({"thermal.throttle.light", "75",
                  "degrees Celsius from which firmware programs fewer dies at a time (the default "
                  "of TMT1); 0: never"},
                 degrees(), FIELD(heat.light)),
        of_model({"thermal.throttle.heavy", "78",
                  "degrees Celsius from which it programs fewer still, at a lower clock of its "
                  "cores (the default of TMT2); 0: never"},
                 degrees(), FIELD(heat.heavy)),
        of_model({"thermal.throttle.hysteresis", "1",
                  "kelvin below a threshold until which what began there goes on"},
                 real_of(value_kind::number, 0.0, 50.0), FIELD(heat.hysteresis)),
        of_throttle({"thermal.throttle.light_programs", "0.5",
                     "share of the programs of the host at a time that light throttling leaves"},
                    real_of(value_kind::fraction, 0.0, 1.0), FIELD(heat.light_programs)),
        of_throttle({"thermal.throttle.heavy_programs", "0.125", "the same of heavy throttling"},
                    real_of(value_kind::fraction, 0.0, 1.0), FIELD(heat.heavy_programs)),
        of_throttle({"thermal.throttle.clock_divider", "4",
                     "cores run at cpu.clock / so much under heavy throttling"},
                    count_out_of(powers_of_two(1, 128)), FIELD(heat.clock_divider)),
        of_model({"thermal.shutdown", "0",
                  "degrees Celsius from which the drive takes no commands until it is below every "
                  "threshold again; 0: never"},
                 degrees(), FIELD(heat.shutdown)),
    };
}

std::vector<option> thermal_options()
{
    // Off is as if there were no such key.
    std::vector<option> table = {only_when(
        make_option<ssd_config>(
            {"thermal.model", "off",
             "how parts heat up: not at all, or as heat capacities and resistances"},
            words({{"off", number(thermal_model::off)}, {"rc", number(thermal_model::rc)}}),
            FIELD(heat_model)),
        heats, "it is rc")};
    append(table, network_options());
    append(table, limit_options());
    return table;
}

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

} // namespace

thermal::thermal_config thermal_of_drive(const ssd_config& c)
{
    thermal::thermal_config t = c.thermal;
    for (thermal::part_config* part : {&t.die, &t.controller, &t.chassis}) {
        part->capacity /= c.thermal_speed;
    }
    return t;
}

namespace {

void complete_thermal(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (!is_given(raw, "thermal.start")) {
        c.thermal.start = c.thermal.ambient;
    }
    c.thermal.on = c.heat_model == thermal_model::rc;
}

/// Degrees Celsius in kelvins as hosts count them, or in hundredths.
std::uint32_t kelvin(std::uint32_t celsius)
{
    return celsius + 273;
}
std::uint32_t centikelvin(std::uint32_t celsius)
{
    return celsius == 0 ? 0 : kelvin(celsius) * 100;
}

void fill_thermal(boot_params& p, const ssd_config& c)
{
    const heat_config& h = c.heat;
    boot_thermal& t = p.thermal;
    if (!c.thermal.on && !c.states.any()) {
        return;
    }
    t.light_programs = permille(h.light_programs);
    t.heavy_programs = permille(h.heavy_programs);
    t.clock_exponent = exponent_of(h.clock_divider);
    if (!c.thermal.on) { // power states throttle, and nothing else
        return;
    }
    t.on = 1;
    t.step_us = static_cast<std::uint32_t>(c.thermal.step.ps() / 1000000);
    t.warning = kelvin(h.warning);
    t.critical = kelvin(h.critical);
    t.light = centikelvin(h.light);
    t.heavy = centikelvin(h.heavy);
    t.shutdown = centikelvin(h.shutdown);
    t.hysteresis = static_cast<std::uint32_t>(std::lround(h.hysteresis * 100.0));
}

} // namespace

const config_part parts::thermal = {thermal_options, complete_thermal, check_thermal, fill_thermal};

} // namespace ssdvp::platform
