// SPDX-License-Identifier: Apache-2.0
//
// Keys of word lines in two passes, and what they cannot be combined with.
#include <catch2/catch.hpp>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

namespace config_passes_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;
using C = const ssd_config&;

const std::vector<std::string> part = {
    "nand.two_pass=true",        "nand.cell=qlc",          "nand.planes=2", "nand.slc_mode.tR=30us",
    "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=5ms"};

std::vector<std::string> with(std::vector<std::string> more)
{
    more.insert(more.begin(), part.begin(), part.end());
    return more;
}

std::string refused_with(std::vector<std::string> more)
{
    return refused(with(std::move(more)));
}

} // namespace config_passes_test

std::vector<ssdvp::platform::test::key_case> ssdvp::platform::test::pass_cases()
{
    using namespace config_passes_test;
    return {
        {"nand.two_pass",
         "true",
         [](C c) { return c.channel.die.two_pass; },
         "1",
         {part.begin() + 1, part.end()}},
        {"nand.tPROG_coarse", "3ms", [](C c) { return c.channel.die.timing.tPROG_coarse == 3_ms; },
         "2s", part},
        {"nand.tPROG_fine", "4ms", [](C c) { return c.channel.die.timing.tPROG_fine == 4_ms; },
         "2s", part},
    };
}

namespace config_passes_test {

TEST_CASE("pass keys: firmware is told how many pages a word line has")
{
    CHECK(make_boot_params(accepted({})).geometry.word_line == 0);
    CHECK(make_boot_params(accepted(part)).geometry.word_line == 4);
    CHECK(make_boot_params(accepted(with({"nand.cell=tlc"}))).geometry.word_line == 3);
}

TEST_CASE("pass keys: a third of what the pages took, and two thirds, unless they are given")
{
    const auto times = [](std::vector<std::string> more) {
        const flash::array_timing t = accepted(with(std::move(more))).channel.die.timing;
        return std::make_pair(flash::pass_time(t, 4, false), flash::pass_time(t, 4, true));
    };
    CHECK(times({"nand.tPROG=1500us"}) == std::make_pair(2_ms, 4_ms));
    CHECK(times({"nand.tPROG=[1ms, 2ms, 2ms, 4ms]"}) == std::make_pair(3_ms, 6_ms));
    CHECK(times({"nand.tPROG=1500us", "nand.tPROG_coarse=1ms"}) == std::make_pair(1_ms, 4_ms));
    CHECK(times({"nand.tPROG=1500us", "nand.tPROG_fine=5ms"}) == std::make_pair(2_ms, 5_ms));
}

TEST_CASE("pass keys: what a page costs goes by its passes")
{
    const auto cost = [](std::vector<std::string> more) {
        more.insert(more.end(), {"nand.tR=100us", "cache.policy=rw_cflru"});
        return make_boot_params(accepted(with(std::move(more)))).cache.program_cost;
    };
    CHECK(cost({"nand.tPROG=2ms"}) == 16 * 20);
    CHECK(cost({"nand.tPROG=2ms", "nand.tPROG_coarse=1ms", "nand.tPROG_fine=3ms"}) == 16 * 10);
}

TEST_CASE("pass keys: times of passes that the part has not")
{
    for (const char* key : {"nand.tPROG_coarse", "nand.tPROG_fine"}) {
        CHECK(refused({std::string(key) + "=2ms"}) ==
              std::string("--set ") + key + "=2ms: " + key +
                  ": the part programs a word line in no passes; use nand.two_pass: true");
    }
}

TEST_CASE("pass keys: parts that cannot have two passes")
{
    CHECK(refused_with({}).empty());
    CHECK_THAT(refused_with({"nand.cell=slc"}), Contains("a word line of one page"));
    CHECK_THAT(refused_with({"nand.one_pass=true"}),
               Contains("use nand.one_pass: false, or nand.two_pass: false"));
    CHECK_THAT(refused_with({"nand.page_order=any"}), Contains("use nand.page_order: sequential"));
    CHECK_THAT(refused({"nand.two_pass=true"}),
               Contains("what power-up looks for is in SLC mode") &&
                   Contains("give nand.slc_mode.tR, nand.slc_mode.tPROG and nand.slc_mode.tBERS"));
    CHECK_THAT(refused_with({"nand.pages_per_block=3"}),
               Contains("use nand.pages_per_block of 4 or more"));
}

TEST_CASE("pass keys: who programs single pages is refused")
{
    CHECK_THAT(refused_with({"write.mode=slc"}), Contains("use write.mode: normal"));
    CHECK_THAT(refused_with({"write.mode=shallow", "nand.shallow.tPROG=1ms"}),
               Contains("use write.mode: normal"));
    CHECK_THAT(refused_with({"gc.copyback=true"}), Contains("use gc.copyback: false"));
    CHECK_THAT(refused_with({"ftl.slc_cache.static=64MiB", "ftl.slc_cache.copyback=true",
                             "nand.slc_mode.copyback=true"}),
               Contains("use ftl.slc_cache.copyback: false"));
    CHECK_THAT(refused_with({"ftl.placement=shortest_queue"}), Contains("ftl.placement: stripe"));
    CHECK_THAT(refused_with({"power.states.max_power=[8, 0.05]"}),
               Contains("keeps it awake") && Contains("leave power.states.max_power out"));
    CHECK_THAT(refused_with({"ftl.stripe=block"}), Contains("use ftl.stripe: drive"));
    for (const char* scheme : {"dftl", "vm_map", "log_set"}) {
        CHECK_THAT(refused_with({std::string("ftl.scheme=") + scheme}),
                   Contains(std::string("ftl.scheme ") + scheme) &&
                       Contains("use ftl.scheme: page_map, or nand.two_pass: false"));
    }
}

TEST_CASE("pass keys: the buffer holds four word lines of each LUN, and four write units")
{
    const std::vector<std::string> drive = with(
        {"flash.channels=2", "flash.luns_per_channel=1", "nand.planes=2", "nand.page_size=16KiB"});
    // 2 LUNs x 2 planes x 4 word lines x 4 pages x 16 KiB = 1 MiB, and 4 x 2 x 16 KiB.
    const auto capacity = [&](const char* text) {
        std::vector<std::string> all = drive;
        all.push_back(std::string("cache.capacity=") + text);
        return all;
    };
    CHECK(buffer_for_passes(accepted(drive)) == (1u << 20));
    CHECK(refused(capacity("1152KiB")).empty());
    CHECK_THAT(refused(capacity("1151KiB")), Contains("does not hold 4 word lines of each LUN") &&
                                                 Contains("use 1152KiB or more"));
    CHECK(accepted(drive).cache->capacity == (32u << 20));
    // Of these half of the buffer is on its way at most, or a quarter.
    const auto least = [&](std::vector<std::string> more) {
        more.insert(more.end(), drive.begin(), drive.end());
        more.push_back("cache.capacity=512KiB");
        return refused(more);
    };
    for (const char* policy : {"rw_lru", "rw_cflru", "fab"}) {
        CHECK_THAT(least({std::string("cache.policy=") + policy}), Contains("use 2176KiB or more"));
    }
    CHECK_THAT(least({"cache.policy=bplru"}), Contains("use 4224KiB or more"));
    CHECK_THAT(least({"cache.policy=bplru", "cache.padding=false"}),
               Contains("use 2176KiB or more"));
    // Two partitions with a LUN each have as many word lines, and four write units each.
    CHECK(buffer_for_passes(accepted(with({"cpu.ftl_cores=2", "flash.channels=2"}))) ==
          buffer_for_passes(accepted(with({"flash.channels=2"}))));
    CHECK_THAT(refused_with({"cpu.ftl_cores=2", "flash.channels=2", "flash.luns_per_channel=1",
                             "nand.page_size=16KiB", "cache.capacity=1279KiB"}),
               Contains("and 8 write units") && Contains("use 1280KiB or more"));
    CHECK(accepted(with({"nand.planes=4"})).cache->capacity == (64u << 20)); // 32 LUNs: 32.25 MiB
    CHECK_THAT(refused_with({"cache.policy=none"}), Contains("use a cache.policy that buffers"));
}

TEST_CASE("pass keys: flash requests, of which two passes take more, have numbers of 16 bits")
{
    const auto drive = [](const char* luns) {
        return std::vector<std::string>{
            "nand.two_pass=true",        "nand.slc_mode.tR=25us",   "nand.slc_mode.tPROG=200us",
            "nand.slc_mode.tBERS=3ms",   "flash.channels=64",       "nand.planes=8",
            "nand.blocks_per_plane=100", "dram.capacity=64GiB",     "ftl.over_provisioning=0.3",
            "cache.capacity=2GiB",       "nand.pages_per_block=96", luns};
    };
    CHECK(refused(drive("flash.luns_per_channel=4")).empty());
    CHECK_THAT(refused(drive("flash.luns_per_channel=16")),
               Contains("--set flash.luns_per_channel=16: flash.luns_per_channel: the firmware "
                        "would not start: more flash requests than tags have numbers") &&
                   Contains("use fewer LUNs"));
}

} // namespace config_passes_test
