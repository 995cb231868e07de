// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/key_case.h"

#include <catch2/catch.hpp>

#include "platform/config/derived.h"

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
        {"nand.current.io", "90mA", [](C c) { return c.energy.io_ua == 90000; }, "90mW", {}},
        {"nand.io_voltage",
         "1.8V",
         [](C c) { return c.energy.io_voltage_mv == 1800; },
         "1800",
         {"nand.current.io=90mA"}},
        {"energy.link.active",
         "80mW",
         [](C c) { return c.energy.link.active_uw == 80000; },
         "80mA",
         {}},
        {"energy.link.idle", "60mW", [](C c) { return c.energy.link.idle_uw == 60000; }, "60", {}},
        {"energy.link.generation",
         "5",
         [](C c) { return c.energy.link_generation == 5; },
         "7",
         {"energy.link.idle=60mW"}},
        {"energy.core.active",
         "0.2W",
         [](C c) { return c.energy.core.active_uw == 200000; },
         "-1W",
         {}},
        {"energy.core.idle", "15mW", [](C c) { return c.energy.core.idle_uw == 15000; }, "1kW", {}},
        {"energy.channel.active",
         "60mW",
         [](C c) { return c.energy.channel.active_uw == 60000; },
         "60",
         {}},
        {"energy.channel.idle",
         "20mW",
         [](C c) { return c.energy.channel.idle_uw == 20000; },
         "x",
         {}},
        {"energy.ecc.active",
         "30mW",
         [](C c) { return c.energy.ecc.active_uw == 30000; },
         "30A",
         {}},
        {"energy.ecc.idle", "5mW", [](C c) { return c.energy.ecc.idle_uw == 5000; }, "-5mW", {}},
        {"energy.dram_phy.active",
         "0.2W",
         [](C c) { return c.energy.dram_phy.active_uw == 200000; },
         "200W",
         {}},
        {"energy.dram_phy.idle",
         "50mW",
         [](C c) { return c.energy.dram_phy.idle_uw == 50000; },
         "50J",
         {}},
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

TEST_CASE("energy: a lane draws by its transfers, so a bit costs the same at each generation")
{
    const auto lane = [](const std::string& generation, std::vector<std::string> more) {
        more.insert(more.end(), {"energy.link.active=50mW", "energy.link.idle=40mW",
                                 "host.pcie.generation=" + generation});
        return energy_of_drive(load(with_sets(std::move(more)))).link;
    };
    CHECK(lane("4", {"energy.link.generation=4"}).active_uw == 50000);
    CHECK(lane("5", {"energy.link.generation=4"}).active_uw == 100000);
    CHECK(lane("3", {"energy.link.generation=4"}).idle_uw == 20000);
    CHECK(lane("2", {"energy.link.generation=1"}).idle_uw == 80000);
    CHECK(lane("1", {"energy.link.generation=4"}).idle_uw == 6250);
    CHECK(lane("5", {}).active_uw == 50000); // a figure for the link as it is
    CHECK_THAT(error_of(with_sets({"energy.link.generation=4"})),
               Contains("only when energy.link.active or idle is given"));
}

TEST_CASE("energy: a drive without figures has no such keys in its resolved tree")
{
    const std::string plain = resolved_yaml(load({}));
    CHECK(plain.find("current") == std::string::npos);
    CHECK(plain.find("\nenergy:") == std::string::npos);
    CHECK(resolved_yaml(load(with_sets({"nand.current.read=0mA"}))) == plain);
}
