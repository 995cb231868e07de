// SPDX-License-Identifier: Apache-2.0
//
// Keys of a part's snap reads, and what they cannot be combined with.
#include <catch2/catch.hpp>

#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

namespace config_snap_read_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;
using C = const ssd_config&;

std::string refused_with(std::vector<std::string> more)
{
    more.insert(more.begin(), "nand.snap_read.tR=51us");
    return refused(more);
}

} // namespace config_snap_read_test

std::vector<ssdvp::platform::test::key_case> ssdvp::platform::test::snap_read_cases()
{
    using namespace config_snap_read_test;
    return {
        {"nand.snap_read.tR",
         "[20us, 30us, 40us]",
         [](C c) {
             return c.channel.die.timing.tRSNAP == std::vector<sim_time>{20_us, 30_us, 40_us};
         },
         "20",
         {}},
        {"nand.snap_read.size",
         "8KiB",
         [](C c) { return c.channel.die.snap_bytes == 8192; },
         "3KiB",
         {"nand.snap_read.tR=51us"}},
    };
}

namespace config_snap_read_test {

TEST_CASE("snap read keys: a quarter of the page, unless another size is given")
{
    CHECK_FALSE(flash::has_snap_read(accepted({}).channel.die));
    CHECK(flash::has_snap_read(accepted({"nand.snap_read.tR=51us"}).channel.die));
    CHECK(accepted({"nand.snap_read.tR=51us"}).channel.die.snap_bytes == 4096);
    CHECK(accepted({"nand.snap_read.tR=51us", "nand.page_size=8KiB"}).channel.die.snap_bytes ==
          2048);
    CHECK(accepted({"nand.snap_read.tR=51us", "nand.snap_read.size=2KiB"}).channel.die.snap_bytes ==
          2048);
}

TEST_CASE("snap read keys: the policy's preset is for a part of the data sheet's times")
{
    config_sources s;
    s.files = {"device/small", "policy/snap-read"};
    const ssd_config c = load(s);
    CHECK(c.channel.die.timing.tRSNAP == std::vector<sim_time>{51_us});
    CHECK(c.channel.die.snap_bytes == 4096);
}

TEST_CASE("snap read keys: a time that is none, or gains nothing, is refused at its edge")
{
    CHECK(refused({"nand.tR=51us", "nand.snap_read.tR=50us"}).empty());
    CHECK(refused({"nand.tR=51us", "nand.snap_read.tR=51us"}) ==
          "--set nand.snap_read.tR=51us: nand.snap_read.tR: a snap read takes some time, and less "
          "than a read of its page (nand.tR); use a time below nand.tR, or 0s for a part without "
          "snap reads");
    CHECK_FALSE(refused({"nand.tR=[50us, 60us, 70us]", "nand.snap_read.tR=55us"}).empty());
    CHECK(refused({"nand.tR=[60us, 70us, 80us]", "nand.snap_read.tR=55us"}).empty());
    CHECK_FALSE(refused({"nand.snap_read.tR=[20us, 0s, 20us]"}).empty());
    CHECK_THAT(refused({"nand.snap_read.tR=[20us, 30us]"}), Contains("write one time, or 3"));
}

TEST_CASE("snap read keys: what is sensed is a part of the page, in whole code words")
{
    CHECK(refused_with({"nand.snap_read.size=8KiB"}).empty());
    CHECK_THAT(refused_with({"nand.snap_read.size=16KiB"}),
               Contains("a snap read of 16KiB is no part of a page: nand.page_size 16KiB"));
    CHECK(refused_with({"nand.snap_read.size=1KiB"}).empty());
    CHECK_THAT(refused_with({"nand.snap_read.size=512B"}),
               Contains("senses no whole code word: flash.ecc.codeword 1KiB"));
    CHECK(refused_with({"nand.snap_read.size=512B", "flash.ecc.kind=none"}).empty());
}

} // namespace config_snap_read_test
