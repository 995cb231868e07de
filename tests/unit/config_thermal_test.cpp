// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/key_case.h"

#include <catch2/catch.hpp>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "tests/unit/refusals.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> thermal_cases()
{
    const std::vector<std::string> power = {"energy.core.active=1W"};
    const std::vector<std::string> rc = {"energy.core.active=1W", "thermal.model=rc"};
    return {
        {"thermal.model", "rc", [](C c) { return c.heat_model == thermal_model::rc; }, "fem",
         power},
        {"thermal.ambient", "15.5", [](C c) { return c.thermal.ambient == 15.5; }, "-1", rc},
        {"thermal.start", "40", [](C c) { return c.thermal.start == 40.0; }, "201", rc},
        {"thermal.die.resistance", "12.5", [](C c) { return c.thermal.die.resistance == 12.5; },
         "0", rc},
        {"thermal.die.capacity", "0.2", [](C c) { return c.thermal.die.capacity == 0.2; }, "0", rc},
        {"thermal.controller.resistance", "3",
         [](C c) { return c.thermal.controller.resistance == 3.0; }, "-1", rc},
        {"thermal.controller.capacity", "2",
         [](C c) { return c.thermal.controller.capacity == 2.0; }, "0", rc},
        {"thermal.case.resistance", "2", [](C c) { return c.thermal.chassis.resistance == 2.0; },
         "0", rc},
        {"thermal.case.capacity", "30", [](C c) { return c.thermal.chassis.capacity == 30.0; }, "0",
         rc},
        {"thermal.speed", "100", [](C c) { return c.thermal_speed == 100.0; }, "0", rc},
        {"thermal.step", "1ms", [](C c) { return c.thermal.step == sim_time(1000000000); }, "0s",
         rc},
        {"thermal.warning", "65", [](C c) { return c.heat.warning == 65; }, "65.5", rc},
        {"thermal.critical", "90", [](C c) { return c.heat.critical == 90; }, "201", rc},
        {"thermal.throttle.light", "60", [](C c) { return c.heat.light == 60; }, "x", rc},
        {"thermal.throttle.heavy", "79", [](C c) { return c.heat.heavy == 79; }, "-1", rc},
        {"thermal.throttle.hysteresis", "2.5", [](C c) { return c.heat.hysteresis == 2.5; }, "51",
         rc},
        {"thermal.throttle.light_programs", "75%",
         [](C c) { return c.heat.light_programs == 0.75; }, "1.5", rc},
        {"thermal.throttle.heavy_programs", "0.25",
         [](C c) { return c.heat.heavy_programs == 0.25; }, "2", rc},
        {"thermal.throttle.clock_divider", "8", [](C c) { return c.heat.clock_divider == 8; }, "3",
         rc},
        {"thermal.shutdown", "95", [](C c) { return c.heat.shutdown == 95; }, "300", rc},
    };
}

} // namespace ssdvp::platform::test

namespace config_thermal_test {

using namespace ssdvp::platform;
using namespace ssdvp::platform::test;

namespace {

std::vector<std::string> hot(std::vector<std::string> sets)
{
    sets.insert(sets.begin(), {"energy.core.active=1W", "thermal.model=rc"});
    return sets;
}

} // namespace

TEST_CASE("thermal: off, a drive has no such keys and its firmware is told nothing")
{
    const ssd_config plain = load({});
    CHECK_FALSE(plain.thermal.on);
    CHECK(resolved_yaml(plain).find("thermal") == std::string::npos);
    CHECK(make_boot_params(plain).thermal.on == 0);
    CHECK(resolved_yaml(accepted({"thermal.model=off"})) == resolved_yaml(plain));
    CHECK_THAT(refused({"thermal.ambient=30"}), Contains("only when thermal.model is rc"));
}

TEST_CASE("thermal: contradictory limits are refused by name")
{
    CHECK_THAT(refused(hot({"thermal.throttle.light=78"})),
               Contains("thermal.throttle.heavy") && Contains("78") &&
                   Contains("let thermal limits rise"));
    CHECK_THAT(refused(hot({"thermal.shutdown=78"})),
               Contains("thermal.shutdown") && Contains("not above thermal.throttle.heavy"));
    CHECK_THAT(refused(hot({"thermal.critical=70"})),
               Contains("thermal.critical") && Contains("not above thermal.warning"));
    CHECK_THAT(refused(hot({"thermal.ambient=74"})),
               Contains("thermal.throttle.light") && Contains("ends at 74"));
    CHECK_THAT(refused({"thermal.model=rc"}), Contains("nothing draws power"));
    // At the edge they are taken, and a limit that there is not contradicts nothing.
    CHECK(accepted(hot({"thermal.throttle.light=77"})).heat.light == 77);
    CHECK(accepted(hot({"thermal.ambient=73.9", "thermal.case.resistance=0.001"})).thermal.start ==
          73.9);
    CHECK(accepted(hot({"thermal.throttle.heavy=0", "thermal.shutdown=76"})).heat.shutdown == 76);
}

TEST_CASE("thermal: what a drive that does nothing reaches is no limit")
{
    // 2 W over 4 K/W of the controller, and next to nothing over the case.
    const auto idle = [](const std::string& limit) {
        return hot({"energy.core.idle=2W", "thermal.case.resistance=0.001",
                    "thermal.throttle.light=0", "thermal.throttle.heavy=0", limit});
    };
    CHECK_THAT(refused(idle("thermal.shutdown=34")),
               Contains("begins at 34 degrees ends at 33") && Contains("has 33.0") &&
                   Contains("lower figures of what the parts draw idle"));
    CHECK(accepted(idle("thermal.shutdown=35")).heat.shutdown == 35);
    CHECK_THAT(refused(idle("thermal.throttle.light=34")), Contains("thermal.throttle.light"));
    CHECK_THAT(refused(idle("thermal.throttle.heavy=34")), Contains("thermal.throttle.heavy"));
}

TEST_CASE("thermal: nor is what a drive asleep reaches, in the state that draws the most")
{
    // Awake it draws next to nothing, asleep 2 W in one state and half a watt in the other.
    const auto asleep = [](const std::string& limit) {
        return hot({"energy.core.idle=1mW", "thermal.case.resistance=0.001",
                    "thermal.throttle.light=0", "thermal.throttle.heavy=0", limit,
                    "power.states.max_power=[8, 2, 0.5]"});
    };
    CHECK_THAT(refused(asleep("thermal.shutdown=34")), Contains("it draws 2 W"));
    CHECK(accepted(asleep("thermal.shutdown=40")).heat.shutdown == 40);
}

TEST_CASE("thermal: firmware is told limits in kelvin, hosts' zero at 273")
{
    const boot_thermal t =
        make_boot_params(accepted(hot({"thermal.throttle.heavy=0", "thermal.shutdown=90",
                                       "thermal.throttle.hysteresis=0.5", "thermal.step=2ms"})))
            .thermal;
    CHECK(t.on == 1);
    CHECK(t.step_us == 2000);
    CHECK(t.warning == 343);
    CHECK(t.critical == 353);
    CHECK(t.light == 34800);
    CHECK(t.heavy == 0);
    CHECK(t.shutdown == 36300);
    CHECK(t.hysteresis == 50);
    CHECK(t.light_programs == 500);
    CHECK(t.heavy_programs == 125);
    CHECK(t.clock_exponent == 2);
}

TEST_CASE("thermal: speed divides the capacities, and the start is the air's temperature")
{
    const ssd_config c = accepted(hot({"thermal.speed=10", "thermal.ambient=31"}));
    CHECK(c.thermal.start == 31.0);
    CHECK(thermal_of_drive(c).chassis.capacity == Approx(1.2));
    CHECK(thermal_of_drive(c).controller.capacity == Approx(0.15));
    CHECK(thermal_of_drive(c).die.capacity == Approx(0.01));
    CHECK(thermal_of_drive(c).die.resistance == 20.0);
}

} // namespace config_thermal_test
