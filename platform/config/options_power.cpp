// SPDX-License-Identifier: Apache-2.0
//
// Options of power: when it goes, and what happens when it is back.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

value_spec times(std::uint64_t min)
{
    value_spec spec = time_of(min, 1000000 * s);
    spec.kind = value_kind::time_list;
    return spec;
}

bool cut_at(const ssd_config& c)
{
    return !c.power.cut_at.empty();
}
bool cut_every(const ssd_config& c)
{
    return c.power.cut_every != 0;
}
bool cut_random(const ssd_config& c)
{
    return c.power.cut_rate > 0.0;
}
bool shutdown_at(const ssd_config& c)
{
    return !c.power.shutdown_at.empty();
}
bool shutdown_every(const ssd_config& c)
{
    return c.power.shutdown_every != sim_time();
}
bool any_power(const ssd_config& c)
{
    return c.power.any();
}

constexpr const char* has_value = "it has a value";
constexpr const char* power_goes = "power.cut or power.shutdown is given";
constexpr const char* give_power_off = "give power.cut or power.shutdown, or remove it";

} // namespace

std::vector<option> power_options()
{
    return {
        only_when(make_option<ssd_config>(
                      {"power.cut.at", "",
                       "power is cut at these times from the start of the measured part", "never"},
                      times(1), FIELD(power.cut_at), leaves_state),
                  cut_at, has_value),
        only_when(make_option<ssd_config>(
                      {"power.cut.every", "",
                       "power is cut when so many programs and erases have begun since power-up",
                       "never"},
                      count_of(1, UINT64_MAX), FIELD(power.cut_every), leaves_state),
                  cut_every, has_value),
        only_when(make_option<ssd_config>(
                      {"power.cut.random", "",
                       "cuts per simulated second with power, at random from run.seed; not while "
                       "the host reads what power.verify asks for",
                       "never"},
                      real_of(value_kind::number, 0.0, 1e6, true), FIELD(power.cut_rate),
                      leaves_state),
                  cut_random, has_value),
        only_when(make_option<ssd_config>(
                      {"power.shutdown.at", "",
                       "the host shuts the drive down at these times from the start of the "
                       "measured part, switches it off and on again",
                       "never"},
                      times(1), FIELD(power.shutdown_at), leaves_state),
                  shutdown_at, has_value),
        only_when(make_option<ssd_config>(
                      {"power.shutdown.every", "",
                       "the same, whenever it has had power for so long", "never"},
                      time_of(us, 1000000 * s), FIELD(power.shutdown_every), leaves_state),
                  shutdown_every, has_value),
        only_when(make_option<ssd_config>({"power.off_time", "10ms", "how long power stays away"},
                                          time_of(us, 1000 * s), FIELD(power.off_time),
                                          leaves_state),
                  any_power, power_goes, give_power_off),
        only_when(make_option<ssd_config>(
                      {"power.verify", "uncertain",
                       "what the host reads and checks after each power-up: nothing, the sectors "
                       "that may hold one of several versions, or all it ever wrote"},
                      words({{"none", static_cast<int>(power_verify::none)},
                             {"uncertain", static_cast<int>(power_verify::uncertain)},
                             {"all", static_cast<int>(power_verify::all)}}),
                      FIELD(power.verify), leaves_state),
                  any_power, power_goes, give_power_off),
    };
}

} // namespace ssdvp::platform
