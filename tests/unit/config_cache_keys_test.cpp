// SPDX-License-Identifier: Apache-2.0
//
// Keys and rules of the buffer.
#include <catch2/catch.hpp>

#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

using Catch::Contains;

namespace ssdvp::platform::test {

using namespace ssdvp::literals;
using C = const ssd_config&;

namespace {

std::string policy(const char* name)
{
    return std::string("cache.policy=") + name;
}

} // namespace

std::vector<key_case> cache_cases()
{
    return {
        {"cache.window",
         "0.5",
         [](C c) { return c.cache->window == 0.5; },
         "1.5",
         {policy("rw_cflru")}},
        {"cache.window_mode",
         "adaptive",
         [](C c) { return c.cache->window_mode == cache_window::adaptive; },
         "dynamic",
         {policy("rw_cflru")}},
        {"cache.group",
         "256KiB",
         [](C c) { return c.cache->group == 262144; },
         "100B",
         {policy("fab")}},
        {"cache.padding",
         "false",
         [](C c) { return !c.cache->padding; },
         "none",
         {policy("bplru")}},
        {"cache.compensation",
         "false",
         [](C c) { return !c.cache->compensation; },
         "2",
         {policy("bplru")}},
        {"cache.bplru.victim",
         "oldest",
         [](C c) { return c.cache->victim == bplru_victim::oldest; },
         "youngest",
         {policy("bplru")}},
        {"cache.bplru.rewrite",
         "ends",
         [](C c) { return c.cache->rewrite == bplru_rewrite::ends; },
         "false",
         {policy("bplru")}},
        {"cache.dirty_limit", "0.75", [](C c) { return c.cache->dirty_limit == 0.75; }, "1.1", {}},
        {"cache.flush_idle", "5ms", [](C c) { return c.cache->flush_idle == 5_ms; }, "5", {}},
        {"cache.granularity",
         "page",
         [](C c) { return c.cache->granularity == cache_unit::page; },
         "block",
         {}},
        {"cache.read_ahead",
         "128KiB",
         [](C c) { return c.cache->read_ahead == 131072; },
         "1000B",
         {policy("rw_lru")}},
    };
}

TEST_CASE("buffer: an option without effect is refused, with what would use it")
{
    CHECK_THAT(refused({"cache.window=0.5"}), Contains("only when cache.policy is rw_cflru"));
    CHECK_THAT(refused({"cache.window_mode=adaptive", policy("fab")}), Contains("is rw_cflru"));
    CHECK_THAT(refused({"cache.group=1MiB"}), Contains("only when cache.policy is fab or bplru"));
    CHECK_THAT(refused({"cache.padding=false", policy("fab")}), Contains("policy is bplru"));
    CHECK_THAT(refused({"cache.compensation=false"}), Contains("policy is bplru"));
    CHECK_THAT(refused({"cache.bplru.victim=oldest"}), Contains("policy is bplru"));
    CHECK_THAT(refused({"cache.bplru.rewrite=ends"}), Contains("policy is bplru"));
    CHECK_THAT(refused({"cache.read_ahead=64KiB"}), Contains("rw_lru, rw_cflru or fab"));
    CHECK_THAT(refused({"cache.read_ahead=64KiB", policy("bplru")}),
               Contains("is rw_lru, rw_cflru or fab"));
    for (const char* set :
         {"cache.dirty_limit=0.5", "cache.flush_idle=1ms", "cache.granularity=page"}) {
        CHECK_THAT(refused({set, policy("none")}), Contains("cache.policy is not none"));
    }
}

TEST_CASE("buffer: groups and reading ahead are whole units, shares are thousandths")
{
    CHECK_THAT(refused({policy("fab"), "cache.group=6KiB"}), Contains("use a multiple of 4096B"));
    CHECK_THAT(refused({policy("fab"), "cache.group=1GiB", "ftl.map_unit=512B"}),
               Contains("units in a group, 1048576 at most; use 536870912B or less"));
    CHECK_THAT(refused({policy("rw_lru"), "cache.read_ahead=2KiB"}),
               Contains("use a multiple of 4096B"));
    CHECK_THAT(refused({policy("rw_lru"), "cache.read_ahead=1MiB", "cache.capacity=1MiB"}),
               Contains("more than half of cache.capacity; use 524288B or less"));
    CHECK_THAT(refused({"cache.capacity=600GiB", "dram.capacity=900GiB"}),
               Contains("134217727 at most; use 255GiB or less, or a larger ftl.map_unit"));
    CHECK_THAT(refused({"cache.dirty_limit=0.0004"}), Contains("use 0.001 or more, or 0"));
    CHECK(buffer_dirty_permille(accepted({"cache.dirty_limit=0.001"})) == 1);
}

TEST_CASE("buffer: a group is what the scheme maps as a block, else an erase block")
{
    const ssd_config page = accepted({policy("fab")});
    CHECK(page.cache->group ==
          std::uint64_t{page.channel.die.geo.pages_per_block} * page.channel.die.geo.page_size);
    const ssd_config spare = accepted({policy("bplru"), "ftl.scheme=msbs", "nand.page_order=any",
                                       "ftl.over_provisioning=0.6", "ftl.msbs.spare_pages=44"});
    CHECK(spare.cache->group == std::uint64_t{100} * spare.channel.die.geo.page_size);
}

TEST_CASE("buffer: with a limit of dirty units what is on its way has slots besides")
{
    const auto slots = [](std::vector<std::string> sets) {
        sets.insert(sets.end(),
                    {"cache.capacity=32MiB", "flash.channels=4", "flash.luns_per_channel=2",
                     "nand.planes=2", "nand.page_size=16KiB"});
        return buffer_slots(accepted(std::move(sets)));
    };
    // 8192 units; 8 LUNs program 8 units each.
    CHECK(slots({}) == 8192);
    CHECK(slots({"cache.dirty_limit=0.5"}) == 8192);
    CHECK(slots({"cache.dirty_limit=1"}) == 8192 + 64);
    CHECK(slots({policy("rw_lru"), "cache.dirty_limit=0.5"}) == 8192 + 128);
    CHECK(slots({policy("bplru"), "cache.dirty_limit=0.5"}) == 8192);
    CHECK(slots({policy("fab")}) == 8192);
}

} // namespace ssdvp::platform::test
