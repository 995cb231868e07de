// SPDX-License-Identifier: Apache-2.0
//
// kast and last: worked examples on one LUN, blocks of 4 pages, a sector a page, a drive that is
// empty; what each option does; the bound of kast.
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/blockmap_bench.h"

namespace ssdvp::test::localities_test {
namespace {

ram_config kast_of(std::uint32_t associativity, std::uint32_t log_blocks)
{
    ram_config c = by_hand_of(FTL_SCHEME_KAST);
    c.params.map.placed.associativity = associativity;
    c.params.map.log_blocks = log_blocks;
    return c;
}

/// Writes of 2 sectors are long ones; pages are hot when they come again within 5 random ones.
ram_config last_of(std::uint32_t random_blocks, std::uint32_t window = 5)
{
    ram_config c = by_hand_of(FTL_SCHEME_LAST);
    c.params.map.log_blocks = random_blocks;
    c.params.map.placed.stream_bytes = 2 * 512;
    c.params.map.placed.hot_window = window;
    return c;
}

struct write { // a command
    std::uint64_t unit;
    std::uint32_t units;
};

/// Units one by one, then commands.
cost cost_of(const ram_config& c, const unit_list& units, const std::vector<write>& then)
{
    drive d(c);
    d.create_queues();
    write_units(d, units);
    for (const write& w : then) {
        REQUIRE(d.start_write(w.unit, w.units));
        d.idle();
    }
    all_right(d);
    return cost_of(d);
}

} // namespace

TEST_CASE("kast: a log block has pages of K logical blocks at most")
{
    const unit_list three = up_to(11, {1, 5, 9});
    CHECK(cost_of(kast_of(2, 1), three) == cost{8, 23, 3}); // 8 of them the merge's
    CHECK(cost_of(kast_of(2, 2), three) == cost{0, 15, 0});
    CHECK(cost_of(kast_of(3, 1), three) == cost{0, 15, 0});
    CHECK(cost_of(kast_of(1, 1), three) == cost{8, 23, 4}); // as bast: two merges of one each
    CHECK(cost_of(kast_of(4, 1), up_to(15, {1, 5, 9, 13, 2})) == cost{16, 37, 5}); // as fast
    CHECK(cost_of(kast_of(2, 2), up_to(15, {1, 5, 9, 13, 2, 6, 10, 14})) == cost{0, 24, 0});
}

TEST_CASE("kast: sequential log blocks, one for each logical block that has a stream")
{
    CHECK(cost_of(kast_of(2, 1), up_to(3, {0, 1, 2, 3, 0})) == cost{0, 9, 1});
    CHECK(cost_of(kast_of(2, 1), up_to(7, {0, 1, 4})) == cost{2, 13, 1});
    CHECK(cost_of(kast_of(2, 2), up_to(7, {0, 4, 1, 5, 2, 6, 3, 7, 0, 4})) == cost{0, 18, 2});
    CHECK(cost_of(kast_of(2, 1), up_to(7, {0, 4, 1})) == cost{6, 17, 2}); // room for one stream
}

TEST_CASE("kast: a sequential log block that is not continued takes random writes")
{
    CHECK(cost_of(kast_of(2, 1), up_to(3, {0, 1, 3})) == cost{0, 7, 0});
    CHECK(cost_of(kast_of(2, 1), up_to(3, {0, 1, 3, 3})) == cost{0, 8, 0});
    CHECK(cost_of(kast_of(2, 1), up_to(3, {0, 1, 3, 3, 3})) == cost{4, 13, 2});
    CHECK(cost_of(kast_of(2, 1), up_to(7, {0, 1, 3, 5})) == cost{0, 12, 0}); // of another one, too
    CHECK(cost_of(kast_of(1, 1), up_to(7, {0, 1, 3, 5})) == cost{4, 16, 2});
}

TEST_CASE("kast: the cheapest log block is merged")
{
    // Of {1, 5} and {9, 9, 9, 9} the second one, then the dead one of {2, 2, 2, 2}.
    CHECK(cost_of(kast_of(2, 2), up_to(15, {1, 5, 9, 9, 9, 9, 13})) == cost{4, 27, 2});
    CHECK(cost_of(kast_of(1, 2), up_to(7, {2, 2, 2, 2, 2, 2, 2, 2, 5})) == cost{0, 17, 1});
}

TEST_CASE("kast: no merge takes more than K logical blocks")
{
    const std::uint32_t most = GENERATE(1u, 2u, 3u);
    ram_config c = whole_of(FTL_SCHEME_KAST);
    c.params.map.placed.associativity = most;
    c.params.cache.policy = CACHE_POLICY_NONE;
    const std::uint64_t pages = c.params.geometry.pages_per_block;
    drive d(c);
    d.create_queues();
    fill(d);
    const telemetry& t = d.nand.counters();
    telemetry before = t;
    std::mt19937_64 random(most);
    const std::uint64_t units = c.params.ftl.user_units;
    const std::uint64_t unit_sectors = d.sectors() / units;
    for (int i = 0; i < 4000; ++i) {
        const std::uint64_t unit = random() % (units / pages) * pages + 1 + random() % (pages - 1);
        REQUIRE(d.start_write(unit * unit_sectors, static_cast<std::uint32_t>(unit_sectors)));
        d.idle();
        const std::uint64_t merges = t.merged_logs - before.merged_logs;
        CHECK(t.copy_page_reads - before.copy_page_reads <= merges * most * pages);
        CHECK(t.copy_page_writes - before.copy_page_writes <= merges * most * pages);
        CHECK(t.erases_data + t.erases_log - before.erases_data - before.erases_log <=
              merges * (most + 1) + 1); // and one of which nothing counted
        before = t;
    }
    all_right(d);
    CHECK(t.merged_logs > 100);
    CHECK(t.merged_logical_blocks_max == most);
}

TEST_CASE("last: long writes go to sequential log blocks, in place")
{
    const ram_config c = last_of(2);
    CHECK(cost_of(c, up_to(7, {}), {{0, 4}}) == cost{0, 12, 0});
    CHECK(cost_of(c, up_to(7, {}), {{0, 4}, {4, 4}}) == cost{0, 16, 1});         // a switch
    CHECK(cost_of(c, up_to(7, {}), {{1, 2}, {4, 2}}) == cost{2, 14, 1});         // 0 and 3 copied
    CHECK(cost_of(c, up_to(7, {}), {{1, 2}, {2, 2}}) == cost{2, 14, 1});         // 2 is taken
    CHECK(cost_of(c, up_to(7, {}), {{0, 2}, {2, 2}, {0, 2}}) == cost{0, 14, 1}); // goes on
    ram_config two = c;
    two.params.map.placed.stream_blocks = 2; // the oldest is merged
    CHECK(cost_of(two, up_to(11, {}), {{0, 2}, {4, 2}, {0 + 2, 2}, {8, 2}}) == cost{2, 22, 1});
    ram_config shorter = c;
    shorter.params.map.placed.stream_bytes = 5 * 512; // none is long
    CHECK(cost_of(shorter, up_to(7, {}), {{0, 4}, {4, 4}}) == cost{0, 16, 0});
}

TEST_CASE("last: pages that come again soon have log blocks of their own")
{
    const unit_list again = up_to(15, {1, 5, 9, 13, 2, 1});
    CHECK(cost_of(last_of(2, 4), again) == cost{0, 22, 0});  // 5 writes ago: cold
    CHECK(cost_of(last_of(2, 5), again) == cost{16, 38, 5}); // hot: a block for it
    CHECK(cost_of(last_of(3, 5), again) == cost{0, 22, 0});
}

TEST_CASE("last: dead log blocks go first, then cold ones of the fewest logical blocks")
{
    unit_list ones = up_to(7, {});
    ones.insert(ones.end(), 10, 1); // one of them cold, then 4, 4 and 1 hot
    CHECK(cost_of(last_of(3), ones) == cost{0, 18, 1});
    const unit_list cold =
        up_to(15, {1, 5, 9, 13, 2, 3, 2, 3, 6, 7, 6, 7, 10}); // 4 logical blocks, 1 and 1
    CHECK(cost_of(last_of(3, 1), cold) == cost{4, 33, 2});
}

namespace {

/// Most writes of pages in a few hot ones; copies that merges made.
std::uint64_t copies_of(const ram_config& c, std::uint64_t hot, int writes)
{
    drive d(c);
    d.create_queues();
    fill(d);
    std::mt19937_64 random(7);
    const std::uint64_t unit_sectors = d.sectors() / c.params.ftl.user_units;
    for (int i = 0; i < writes; ++i) {
        const std::uint64_t among = random() % 10 != 0 ? hot : c.params.ftl.user_units;
        const std::uint64_t unit = random() % among * 7 % c.params.ftl.user_units;
        while (!d.start_write(unit * unit_sectors, static_cast<std::uint32_t>(unit_sectors))) {
            REQUIRE(d.pump());
        }
    }
    d.idle();
    all_right(d);
    return d.nand.counters().copy_page_writes;
}

ram_config skewed(std::uint32_t hot_blocks, bool adapts)
{
    ram_config c = whole_of(FTL_SCHEME_LAST);
    c.params.cache.policy = CACHE_POLICY_NONE;
    c.params.map.log_blocks = 10;
    c.params.map.placed.hot_blocks = hot_blocks;
    c.params.map.placed.hot_window = 10 * c.params.geometry.pages_per_block;
    c.params.map.placed.hot_adapts = adapts ? 1 : 0;
    return c;
}

} // namespace

TEST_CASE("last: the hot part finds its size")
{
    const std::uint64_t hot = 24; // of 957 units, in blocks of 16
    const std::uint64_t small = copies_of(skewed(1, false), hot, 8000);
    const std::uint64_t adapted = copies_of(skewed(1, true), hot, 8000);
    const std::uint64_t large = copies_of(skewed(7, false), hot, 8000);
    CAPTURE(small, adapted, large);
    CHECK(adapted < small);
    CHECK(adapted < 2 * large);
}

TEST_CASE("kast, last: operations that fail, bad blocks, trims")
{
    const ftl_scheme_id scheme = GENERATE(FTL_SCHEME_KAST, FTL_SCHEME_LAST);
    const std::uint64_t seed = GENERATE(1u, 2u, 3u);
    ram_config c = whole_of(scheme);
    c.params.geometry.blocks_per_plane += 24; // some of them fail
    c.factory_bad.insert({0, 0, 0, 9});
    std::mt19937_64 fate(seed);
    bool armed = false;
    const auto fails = [&](const flash_desc& d, unsigned one_of) { // but no copy of the anchor
        return armed && d.purpose != FLASH_PURPOSE_RECOVERY && fate() % one_of == 0;
    };
    c.on_program = [&](const nand_place&, const flash_desc& d) { return fails(d, 900); };
    c.on_erase = [&](const nand_place&, const flash_desc& d) { return fails(d, 200); };
    drive d(c);
    d.create_queues();
    fill(d);
    armed = true;
    mixed(d, 6000, seed);
    armed = false;
    d.start_flush();
    d.idle();
    CAPTURE(scheme, seed);
    const telemetry& t = d.nand.counters();
    CHECK(t.bad_blocks > 3);
    CHECK(t.read_only == 0);
    CHECK(t.trimmed_units != 0);
    all_right(d);
    power_cycle(d);
    d.check_everything();
}

TEST_CASE("kast, last: random writes against the shadow copy, merges all the time")
{
    const ftl_scheme_id scheme = GENERATE(FTL_SCHEME_KAST, FTL_SCHEME_LAST);
    ram_config c = whole_of(scheme);
    drive d(c);
    d.create_queues();
    fill(d);
    overwrite(d, 50000, 11);
    d.idle();
    all_right(d);
    CHECK(d.nand.counters().merges_full > 1000);
    CHECK(d.mismatches == 0);
}

} // namespace ssdvp::test::localities_test
