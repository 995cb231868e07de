// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/key_case.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> timing_cases()
{
    return {
        {"cpu.timing.issue_width",
         "1.5",
         [](C c) { return c.cpu.timing.issue_width == 1.5; },
         "0",
         {}},
        {"cpu.timing.alu", "1.25", [](C c) { return c.cpu.timing.alu == 1.25; }, "0.5", {}},
        {"cpu.timing.multiply", "4", [](C c) { return c.cpu.timing.multiply == 4; }, "0.5", {}},
        {"cpu.timing.divide", "20", [](C c) { return c.cpu.timing.divide == 20; }, "0.5", {}},
        {"cpu.timing.load", "7", [](C c) { return c.cpu.timing.load == 7; }, "0.5", {}},
        {"cpu.timing.store", "2", [](C c) { return c.cpu.timing.store == 2; }, "0.5", {}},
        {"cpu.timing.branch", "3", [](C c) { return c.cpu.timing.branch == 3; }, "0.5", {}},
        {"cpu.timing.call", "5", [](C c) { return c.cpu.timing.call == 5; }, "0.5", {}},
        {"cpu.timing.system", "9", [](C c) { return c.cpu.timing.system == 9; }, "0.5", {}},
        {"cpu.timing.taken", "2.5", [](C c) { return c.cpu.timing.taken == 2.5; }, "-1", {}},
    };
}

} // namespace ssdvp::platform::test

using namespace ssdvp::platform;
using namespace ssdvp::platform::test;

TEST_CASE("timing: a core brings its cycles along, and each can be set apart")
{
    const ssd_config plain = load({});
    CHECK(plain.cpu.core == "cortex-r82");
    CHECK(plain.cpu.timing.issue_width == 2);
    const ssd_config set = load(with_sets({"cpu.core=rv32", "cpu.timing.load=4"}));
    CHECK(set.cpu.timing.issue_width == 1);
    CHECK(set.cpu.timing.divide == 17);
    CHECK(set.cpu.timing.load == 4);
}

TEST_CASE("timing: a core without a table is refused, what a level does not use is not shown")
{
    CHECK_THAT(error_of(with_sets({"cpu.core=cortex-r8"})), Contains("cortex-r82"));
    const std::string flat = resolved_yaml(load(with_sets({"cpu.core=flat"})));
    CHECK(flat.find("issue_width") == std::string::npos);
    CHECK(flat.find("instructions_per_call") != std::string::npos);
    const std::string full = resolved_yaml(load({}));
    CHECK(full.find("issue_width") != std::string::npos);
    CHECK(full.find("instructions_per_call") == std::string::npos);
}
