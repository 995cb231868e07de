// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/unit/key_case.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using namespace ssdvp::literals;
using C = const ssd_config&;

std::vector<key_case> watchdog_cases()
{
    return {
        {"cpu.watchdog", "2ms", [](C c) { return c.watchdog.progress == 2_ms; }, "2", {}},
        {"cpu.hang_limit", "3s", [](C c) { return c.watchdog.hang == 3_s; }, "3", {}},
        {"host.nvme.reset_at",
         "[1ms, 2ms]",
         [](C c) { return c.reset_at.size() == 2 && c.reset_at.back() == 2_ms; },
         "[1, 2]",
         {}},
    };
}

TEST_CASE("watchdogs: on by default, 0s turns one off")
{
    const ssd_config c = load_text("name: x");
    CHECK(c.watchdog.progress == 5_s);
    CHECK(c.watchdog.hang == 60_s);
    CHECK(load_text("cpu: {watchdog: 0s}").watchdog.progress == sim_time());
    CHECK(load_text("cpu: {hang_limit: 0s}").watchdog.hang == sim_time());
}

TEST_CASE("resets: none by default, and a resolved configuration says them only when there are")
{
    CHECK(load_text("name: x").reset_at.empty());
    CHECK(resolved_yaml(load_text("name: x")).find("reset_at") == std::string::npos);
    const std::string yaml = resolved_yaml(load_text("host: {nvme: {reset_at: 3ms}}"));
    CHECK_THAT(yaml, Contains("reset_at: [3ms]") || Contains("reset_at: 3ms"));
    CHECK_THAT(error_of_text("host: {nvme: {reset_at: [3ms, 3ms]}}"),
               Contains("host.nvme.reset_at") && Contains("in order"));
}

} // namespace ssdvp::platform::test
