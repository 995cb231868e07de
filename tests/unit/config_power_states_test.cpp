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

std::vector<key_case> power_state_cases()
{
    const std::vector<std::string> figures = {"energy.core.active=1W"};
    const std::vector<std::string> two = {"energy.core.active=1W",
                                          "power.states.max_power=[4,0.1]"};
    return {
        {"power.states.max_power", "[8, 0.05]",
         [](C c) {
             return c.states.max_power == std::vector<double>{8.0, 0.05};
         },
         "0", figures},
        {"power.states.operational", "1", [](C c) { return c.states.operational == 1; }, "9", two},
        {"power.states.idle", "0.02",
         [](C c) { return c.states.idle == std::vector<double>{0.02}; }, "x", two},
        {"power.states.entry", "[0us, 2ms]",
         [](C c) { return c.states.entry.back() == sim_time(2000000000); }, "-1us", two},
        {"power.states.exit", "8ms",
         [](C c) { return c.states.exit.front() == sim_time(8000000000); }, "2h", two},
        {"power.states.step", "500us", [](C c) { return c.states.step == sim_time(500000000); },
         "0s", two},
        {"host.driver.power_state", "1", [](C c) { return c.driver.power_state == 1; }, "8", two},
        {"host.driver.apst", "100ms",
         [](C c) { return c.driver.apst.front() == sim_time(100000000000); }, "10us", two},
    };
}

} // namespace ssdvp::platform::test

namespace config_power_states_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;

namespace {

std::vector<std::string> states(std::vector<std::string> sets)
{
    const std::vector<std::string> first = {"energy.core.active=1W", "energy.core.idle=100mW",
                                            "power.states.max_power=[8,4,0.05,0.005]",
                                            "power.states.operational=2"};
    sets.insert(sets.begin(), first.begin(), first.end());
    return sets;
}

} // namespace

TEST_CASE("power states: a drive without has no such keys, and its firmware is told nothing")
{
    const ssd_config plain = load({});
    CHECK(make_boot_params(plain).power.count == 0);
    CHECK(resolved_yaml(plain).find("states") == std::string::npos);
    CHECK_THAT(refused({"power.states.exit=1ms"}), Contains("power.states.max_power is given"));
    CHECK_THAT(refused({"power.states.max_power=8"}), Contains("nothing draws power"));
    CHECK_THAT(refused(states({"host.interface=sata"})), Contains("host.interface is nvme"));
}

TEST_CASE("power states: firmware is told figures of 100 uW and microseconds")
{
    const boot_params p = make_boot_params(accepted(
        states({"power.states.idle=[0.04,0.0031]", "power.states.entry=[0us,10us,2ms,10ms]",
                "power.states.exit=40ms", "power.states.step=2ms"})));
    CHECK(p.power.count == 4);
    CHECK(p.power.operational == 2);
    CHECK(p.power.step_us == 2000);
    CHECK(p.power.state[0].max_power == 80000);
    CHECK(p.power.state[1].idle == 0);
    CHECK(p.power.state[2].max_power == 500);
    CHECK(p.power.state[2].idle == 400);
    CHECK(p.power.state[3].idle == 31);
    CHECK(p.power.state[1].entry_us == 10);
    CHECK(p.power.state[3].entry_us == 10000);
    CHECK(p.power.state[0].exit_us == 40000);
    CHECK(p.thermal.on == 0);
    CHECK(p.thermal.heavy_programs == 125); // throttling without heat
    CHECK(accepted(states({})).states.idle == std::vector<double>{0.05, 0.005});
}

TEST_CASE("power states: contradictions are refused by name")
{
    CHECK_THAT(refused(states({"power.states.max_power=[8,9,0.05,0.005]"})),
               Contains("power.states.max_power") && Contains("state 1 takes 9 W"));
    CHECK_THAT(refused(states({"power.states.operational=5"})),
               Contains("power.states.operational") && Contains("there are 4"));
    CHECK_THAT(refused(states({"power.states.idle=0.01"})),
               Contains("power.states.idle") && Contains("2 states are non-operational"));
    CHECK_THAT(refused(states({"power.states.idle=[0.01,0.006]"})),
               Contains("more than the 0.005 W"));
    CHECK_THAT(refused(states({"power.states.entry=[1us,2us]"})),
               Contains("power.states.entry") && Contains("2 values for 4 states"));
    CHECK_THAT(refused(states({"power.states.exit=1500ns"})), Contains("multiple of 1us"));
    CHECK_THAT(refused(states({"power.states.max_power=[8,0.1,0.05,0.005]"})),
               Contains("does nothing draws 0.34 W") && Contains("state 1"));
    CHECK_THAT(refused(states({"host.driver.power_state=4"})),
               Contains("host.driver.power_state") && Contains("4 power states"));
    CHECK_THAT(refused(states({"host.driver.apst=[1ms,2ms,3ms]"})),
               Contains("host.driver.apst") && Contains("2 states are non-operational"));
    CHECK_THAT(refused(states({"host.driver.apst=1500us"})), Contains("multiple of 1ms"));
    CHECK_THAT(refused({"host.driver.apst=1ms"}), Contains("0 states are non-operational"));
}

} // namespace config_power_states_test
