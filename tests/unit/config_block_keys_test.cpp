// SPDX-License-Identifier: Apache-2.0
//
// Keys and rules of the schemes that map logical blocks, and of the parts that they need.
#include <catch2/catch.hpp>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

using Catch::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

namespace {

std::vector<std::string> scheme(const std::string& name, std::vector<std::string> more = {})
{
    std::vector<std::string> sets = {"ftl.scheme=" + name, "nand.page_order=any",
                                     "ftl.over_provisioning=0.6"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

std::vector<key_case> block_cases()
{
    return {
        {"ftl.msbs.spare_pages", "24", [](C c) { return c.ftl.blocks.msbs_spare_pages == 24; }, "0",
         scheme("msbs")},
        {"ftl.msbs.spare_index", "ram",
         [](C c) { return c.ftl.blocks.msbs_index == page_index::ram; }, "flash", scheme("msbs")},
        {"ftl.fmax.switch", "true", [](C c) { return c.ftl.blocks.fmax_switch; }, "2",
         scheme("fmax")},
        {"ftl.fmax.replacement_index", "ram",
         [](C c) { return c.ftl.blocks.fmax_index == page_index::ram; }, "true", scheme("fmax")},
        {"ftl.lm.moving_blocks", "5", [](C c) { return c.ftl.blocks.lm_moving_blocks == 5; }, "0",
         scheme("lm")},
        {"ftl.lm.eager_close", "false", [](C c) { return !c.ftl.blocks.lm_eager_close; }, "late",
         scheme("lm")},
        {"ftl.bast.log_blocks", "7", [](C c) { return c.ftl.blocks.bast_log_blocks == 7; }, "0",
         scheme("bast")},
        {"ftl.bast.partial_merge", "false", [](C c) { return !c.ftl.blocks.bast_partial_merge; },
         "full", scheme("bast")},
        {"ftl.bast.log_info_writes", "true", [](C c) { return c.ftl.blocks.bast_log_info; }, "3",
         scheme("bast")},
        {"ftl.fast.random_log_blocks", "6",
         [](C c) { return c.ftl.blocks.fast_random_log_blocks == 6; }, "0", scheme("fast")},
        {"ftl.fast.sequential_merge", "full",
         [](C c) { return c.ftl.blocks.fast_merge == sequential_merge::full; }, "switch",
         scheme("fast")},
        {"ftl.fast.non_sequential", "to_random",
         [](C c) { return c.ftl.blocks.fast_jump == non_sequential::to_random; }, "newsw",
         scheme("fast")},
        {"ftl.superblock.blocks", "4", [](C c) { return c.ftl.blocks.superblock_blocks == 4; }, "0",
         scheme("superblock")},
        {"ftl.superblock.update_blocks", "2",
         [](C c) { return c.ftl.blocks.superblock_update_blocks == 2; }, "0", scheme("superblock")},
        {"ftl.superblock.pool_blocks", "9",
         [](C c) { return c.ftl.blocks.superblock_pool_blocks == 9; }, "0", scheme("superblock")},
        {"ftl.kast.log_blocks", "7", [](C c) { return c.ftl.blocks.kast_log_blocks == 7; }, "0",
         scheme("kast")},
        {"ftl.kast.associativity", "3", [](C c) { return c.ftl.blocks.kast_associativity == 3; },
         "0", scheme("kast")},
        {"ftl.last.sequential_threshold", "8KiB",
         [](C c) { return c.ftl.blocks.last_threshold == 8192; }, "16", scheme("last")},
        {"ftl.last.sequential_log_blocks", "5",
         [](C c) { return c.ftl.blocks.last_sequential_blocks == 5; }, "0", scheme("last")},
        {"ftl.last.random_log_blocks", "9",
         [](C c) { return c.ftl.blocks.last_random_blocks == 9; }, "1", scheme("last")},
        {"ftl.last.hot_log_blocks", "2", [](C c) { return c.ftl.blocks.last_hot_blocks == 2; }, "0",
         scheme("last", {"ftl.last.random_log_blocks=9"})},
        {"ftl.last.hot_window", "100", [](C c) { return c.ftl.blocks.last_hot_window == 100; }, "0",
         scheme("last")},
        {"ftl.last.adaptive", "false", [](C c) { return !c.ftl.blocks.last_adaptive; }, "fixed",
         scheme("last")},
        {"ftl.sast.set_blocks", "8", [](C c) { return c.ftl.blocks.sast_set_blocks == 8; }, "0",
         scheme("sast")},
        {"ftl.sast.set_log_blocks", "3", [](C c) { return c.ftl.blocks.sast_set_log_blocks == 3; },
         "0", scheme("sast")},
        {"ftl.sast.log_blocks", "7", [](C c) { return c.ftl.blocks.sast_log_blocks == 7; }, "0",
         scheme("sast")},
        {"nand.page_order",
         "any",
         [](C c) { return c.channel.die.order == flash::page_order::any; },
         "random",
         {}},
    };
}

TEST_CASE("block schemes: superblocks of one block and units of a page follow from the scheme")
{
    for (const char* name : {"msbs", "fmax", "lm", "bast", "fast", "kast", "last", "sast"}) {
        INFO(name);
        const ssd_config c = accepted(scheme(name));
        CHECK(places_pages(c));
        CHECK(c.ftl.stripe == superblock_stripe::block);
        CHECK(c.ftl.map_unit == c.channel.die.geo.page_size);
        CHECK_FALSE(map_is_paged(c));
        CHECK_THAT(refused(scheme(name, {"ftl.stripe=drive"})), Contains("use ftl.stripe: block"));
        CHECK_THAT(refused(scheme(name, {"ftl.map_unit=4KiB"})), Contains("use 16384B"));
        CHECK_THAT(refused(scheme(name, {"ftl.map_cache=1MiB"})),
                   Contains("the whole map of blocks lies in DRAM"));
        CHECK_THAT(refused({std::string("ftl.scheme=") + name, "ftl.over_provisioning=0.6"}),
                   Contains("use a part with nand.page_order: any"));
    }
}

TEST_CASE("block schemes: superblock does with pages in order, and counts those of one")
{
    const ssd_config c = accepted({"ftl.scheme=superblock", "ftl.over_provisioning=0.6"});
    CHECK(c.ftl.stripe == superblock_stripe::block);
    CHECK(c.ftl.blocks.superblock_pool_blocks == logical_blocks(c) * 3 / 100);
    CHECK_THAT(refused(scheme("superblock", {"ftl.stripe=drive"})),
               Contains("use ftl.stripe: block"));
    CHECK_THAT(refused(scheme("superblock", {"ftl.superblock.blocks=456"})),
               Contains("456 blocks of 144 pages are more than 65535 pages; use 455 or less"));
    CHECK(accepted(scheme("superblock", {"ftl.superblock.blocks=455"}))
              .ftl.blocks.superblock_blocks == 455);
    CHECK_THAT(refused({"ftl.superblock.pool_blocks=4"}), Contains("use ftl.scheme: superblock"));
}

TEST_CASE("block schemes: an option of one is none of another")
{
    CHECK_THAT(refused(scheme("bast", {"ftl.fast.random_log_blocks=4"})),
               Contains("--set ftl.fast.random_log_blocks=4: ftl.fast.random_log_blocks: has no "
                        "effect: it is used "
                        "only when ftl.scheme is fast; use ftl.scheme: fast, or leave it out"));
    CHECK_THAT(refused({"ftl.lm.eager_close=true"}), Contains("use ftl.scheme: lm"));
    CHECK_THAT(refused(scheme("fmax", {"ftl.msbs.spare_index=none"})),
               Contains("use ftl.scheme: msbs"));
}

TEST_CASE("block schemes: computed sizes of logs and spare areas")
{
    const ssd_config c = accepted(scheme("bast"));
    CHECK(c.ftl.blocks.bast_log_blocks == logical_blocks(c) * 3 / 100);
    const ssd_config shared = accepted(scheme("fast"));
    CHECK(shared.ftl.blocks.fast_random_log_blocks == logical_blocks(shared) * 3 / 100 - 1);
    const ssd_config half = accepted(scheme("msbs"));
    CHECK(half.ftl.blocks.msbs_spare_pages == 72); // of 144
    CHECK(home_pages(half) == 72);
    CHECK(logical_blocks(half) == (user_units(half) + 71) / 72);
    const ssd_config few = accepted(scheme("msbs", {"ftl.msbs.spare_pages=44"}));
    CHECK(home_pages(few) == 100);
    CHECK_THAT(refused(scheme("msbs", {"ftl.msbs.spare_pages=144"})),
               Contains("144 of 144 pages leave none for a logical block; use 143 or less"));
}

TEST_CASE("kast and last: parts of the log")
{
    const ssd_config c = accepted(scheme("last", {"ftl.last.random_log_blocks=6"}));
    CHECK(c.ftl.blocks.last_hot_blocks == 3);
    CHECK(c.ftl.blocks.last_hot_window == 3 * c.channel.die.geo.pages_per_block);
    CHECK(c.ftl.blocks.last_sequential_blocks == logical_blocks(c) * 3 / 100 / 4);
    const ssd_config either = accepted(scheme("kast"));
    CHECK(either.ftl.blocks.kast_log_blocks == logical_blocks(either) * 3 / 100);
    CHECK_THAT(
        refused(scheme("last", {"ftl.last.random_log_blocks=6", "ftl.last.hot_log_blocks=6"})),
        Contains("use 5 or less, or more ftl.last.random_log_blocks"));
    CHECK_THAT(refused(scheme("kast", {"ftl.kast.associativity=145"})),
               Contains("use 144 or less"));
    CHECK_THAT(refused(scheme("fast", {"ftl.kast.associativity=2"})),
               Contains("use ftl.scheme: kast"));
}

TEST_CASE("sast: log blocks of a set, of all sets")
{
    const ssd_config c = accepted(scheme("sast"));
    CHECK(c.ftl.blocks.sast_set_blocks == 4);
    CHECK(c.ftl.blocks.sast_set_log_blocks == 2);
    CHECK(c.ftl.blocks.sast_log_blocks == logical_blocks(c) * 3 / 100);
    CHECK(accepted(scheme("sast", {"ftl.sast.log_blocks=1"})).ftl.blocks.sast_set_log_blocks == 1);
    CHECK(accepted(scheme("sast", {"ftl.sast.log_blocks=3", "ftl.sast.set_log_blocks=3"}))
              .ftl.blocks.sast_set_log_blocks == 3);
    CHECK_THAT(refused(scheme("sast", {"ftl.sast.log_blocks=3", "ftl.sast.set_log_blocks=4"})),
               Contains("all sets have 3 log blocks; use 3 or less"));
    CHECK_THAT(refused(scheme("kast", {"ftl.sast.set_blocks=2"})),
               Contains("use ftl.scheme: sast"));
}

} // namespace ssdvp::platform::test
