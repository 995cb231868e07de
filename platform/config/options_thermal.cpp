// SPDX-License-Identifier: Apache-2.0
//
// Options of heat: the network, and the limits that firmware keeps.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

using namespace units;

namespace {

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

} // namespace

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

} // namespace ssdvp::platform
