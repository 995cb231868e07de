// SPDX-License-Identifier: Apache-2.0
//
// Read levels by page: what they make of tR and of the error rates, and what no coding has.
#include <catch2/catch.hpp>

#include "models/flash/die/errors/rber.h"
#include "platform/config/derived.h"
#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

namespace config_read_levels_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;
using C = const ssd_config&;

std::vector<std::string> qlc(std::vector<std::string> more)
{
    more.insert(more.begin(), {"nand.cell=qlc", "nand.tR=60us"});
    return more;
}

std::vector<sim_time> reads(const std::vector<std::string>& more)
{
    return part_as_built(accepted(qlc(more))).timing.tR;
}

} // namespace config_read_levels_test

std::vector<ssdvp::platform::test::key_case> ssdvp::platform::test::read_level_cases()
{
    using namespace config_read_levels_test;
    return {
        {"nand.read_levels",
         "[2, 3, 2]",
         [](C c) {
             return c.read_levels == std::vector<double>{2, 3, 2};
         },
         "[0, 3, 4]",
         {"nand.tR_level=10us"}},
        {"nand.tR_level",
         "10us",
         [](C c) { return c.tR_level == 10_us; },
         "10",
         {"nand.read_levels=[1, 2, 4]"}},
    };
}

namespace config_read_levels_test {

TEST_CASE("read levels: a page read takes tR, and tR_level for each of its levels")
{
    CHECK(reads({"nand.read_levels=[1, 2, 4, 8]", "nand.tR_level=10us"}) ==
          std::vector<sim_time>{70_us, 80_us, 100_us, 140_us});
    CHECK(reads({"nand.read_levels=[4, 4, 4, 3]", "nand.tR_level=10us"}) ==
          std::vector<sim_time>{100_us, 100_us, 100_us, 90_us});
    CHECK(reads({"nand.read_levels=[4, 4, 4, 3]", "nand.errors.rber=1e-4"}) ==
          std::vector<sim_time>{60_us});
}

TEST_CASE("read levels: errors go by them, unless a factor is given")
{
    const std::vector<std::string> balanced = {"nand.read_levels=[4, 4, 4, 3]",
                                               "nand.errors.rber=1e-4"};
    const flash::rber_model rate(part_as_built(accepted(qlc(balanced))));
    CHECK(rate.page_type(flash::page_index(4)) == 4.0);
    CHECK(rate.page_type(flash::page_index(7)) == 3.0);
    auto factor = balanced;
    factor.emplace_back("nand.errors.page_factor=2");
    CHECK(flash::rber_model(part_as_built(accepted(qlc(factor)))).page_type(flash::page_index(7)) ==
          2.0);
}

TEST_CASE("read levels: no coding has another number of them")
{
    const auto named = [](const std::string& levels) {
        return refused(qlc({"nand.read_levels=" + levels, "nand.tR_level=10us"}));
    };
    CHECK(named("[4, 4, 4, 3]").empty());
    CHECK_THAT(named("[4, 4, 4, 4]"),
               Contains("16 states have 15 levels") && Contains("4 whole numbers whose sum is 15"));
    CHECK_FALSE(named("[1, 2, 12]").empty());
    CHECK_FALSE(named("[1.5, 2.5, 4, 7]").empty());
    CHECK_THAT(refused(qlc({"nand.tR_level=10us"})), Contains("give nand.read_levels"));
}

} // namespace config_read_levels_test
