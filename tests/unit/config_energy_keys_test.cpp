// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/key_case.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> energy_cases()
{
    const std::vector<std::string> reads = {"nand.current.read=20mA"};
    return {
        {"nand.voltage", "1.8V", [](C c) { return c.energy.voltage_mv == 1800; }, "1.8", reads},
        {"nand.current.read", "20mA", [](C c) { return c.energy.array_ua[0] == 20000; }, "20", {}},
        {"nand.current.program",
         "21.5mA",
         [](C c) { return c.energy.array_ua[1] == 21500; },
         "2A",
         {}},
        {"nand.current.erase", "22mA", [](C c) { return c.energy.array_ua[2] == 22000; }, "x", {}},
        {"nand.current.extra_plane", "40%", [](C c) { return c.energy.extra_plane == 0.4; }, "1.5",
         reads},
        {"nand.current.bus", "5mA", [](C c) { return c.energy.bus_ua == 5000; }, "5mW", {}},
        {"nand.current.idle", "10uA", [](C c) { return c.energy.idle_ua == 10; }, "0.5uA", {}},
        {"energy.link.active",
         "80mW",
         [](C c) { return c.energy.link_active_uw == 80000; },
         "80mA",
         {}},
        {"energy.link.idle", "60mW", [](C c) { return c.energy.link_idle_uw == 60000; }, "60", {}},
        {"energy.core.active",
         "0.2W",
         [](C c) { return c.energy.core_active_uw == 200000; },
         "-1W",
         {}},
        {"energy.core.idle", "15mW", [](C c) { return c.energy.core_idle_uw == 15000; }, "1kW", {}},
    };
}

} // namespace ssdvp::platform::test

using namespace ssdvp::platform;
using namespace ssdvp::platform::test;

TEST_CASE("energy: figures that nothing uses are refused with a remedy")
{
    CHECK_THAT(error_of(with_sets({"nand.voltage=3V"})),
               Contains("only when a nand.current is given") && Contains("or remove it"));
    CHECK_THAT(error_of(with_sets({"nand.current.extra_plane=0.3", "nand.current.bus=5mA"})),
               Contains("only when nand.current.read, program or erase is given") &&
                   Contains("nand.current.read, program"));
    CHECK(error_of(with_sets({"nand.voltage=3V", "nand.current.idle=10uA"})).empty());
}

TEST_CASE("energy: a drive without figures has no such keys in its resolved tree")
{
    const std::string plain = resolved_yaml(load({}));
    CHECK(plain.find("current") == std::string::npos);
    CHECK(plain.find("\nenergy:") == std::string::npos);
    CHECK(resolved_yaml(load(with_sets({"nand.current.read=0mA"}))) == plain);
}
