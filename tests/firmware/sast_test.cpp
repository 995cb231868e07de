// SPDX-License-Identifier: Apache-2.0
//
// sast: worked examples on one LUN, blocks of 4 pages, a sector a page, a drive that is empty; what
// each option does; its bound; bast and the random log blocks of fast as its two ends.
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/fast_other.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/blockmap_bench.h"

namespace ssdvp::test::sast_test {
namespace {

/// So many logical blocks are a set, with so many log blocks at most, of so many in all.
ram_config sast_of(std::uint32_t set, std::uint32_t of_set, std::uint32_t all)
{
    ram_config c = by_hand_of(FTL_SCHEME_SAST);
    c.params.map.placed.associativity = set;
    c.params.map.placed.update_blocks = of_set;
    c.params.map.log_blocks = all;
    return c;
}

/// Units at random, of those that `chosen` allows, behind all of them in order.
template <class Chosen>
unit_list random_units(std::uint64_t seed, Chosen chosen)
{
    constexpr std::uint64_t units = 40;
    unit_list list = up_to(units - 1, {});
    std::mt19937_64 random(seed);
    while (list.size() < 600) {
        const std::uint64_t unit = random() % units;
        if (chosen(unit)) {
            list.push_back(unit);
        }
        for (std::uint64_t next = unit + 1; random() % 3 != 0 && next < units; ++next) {
            if (chosen(next)) {
                list.push_back(next); // a run
            }
        }
    }
    return list;
}

} // namespace

TEST_CASE("sast: a set of logical blocks shares its log blocks, another set has its own")
{
    const unit_list two_sets = up_to(15, {1, 5, 2, 6, 9, 13});
    CHECK(cost_of(sast_of(2, 1, 2), two_sets) == cost{0, 22, 0});
    // One in all: the first set's is merged for the second one.
    CHECK(cost_of(sast_of(2, 1, 1), two_sets) == cost{8, 30, 3});
    // Sets of one: {1}, {5}, {2}, {6}, {9} have left when 13 comes, with 4 units each.
    CHECK(cost_of(sast_of(1, 1, 1), two_sets) == cost{20, 42, 10});
}

TEST_CASE("sast: a set that has as many log blocks as it may merges its oldest one")
{
    const unit_list units = up_to(7, {1, 5, 1, 5, 2, 6, 2, 6, 3});
    CHECK(cost_of(sast_of(2, 1, 4), units) == cost{16, 33, 6}); // {1 5 1 5}, then {2 6 2 6}
    CHECK(cost_of(sast_of(2, 2, 4), units) == cost{8, 25, 3});  // {1 5 1 5}
    CHECK(cost_of(sast_of(2, 3, 4), units) == cost{0, 17, 0});
    CHECK(cost_of(sast_of(2, 1, 1), up_to(7, {1, 1, 1, 1, 1})) == cost{4, 17, 2});
}

TEST_CASE("sast: the log block that was written least recently makes room for another set")
{
    // Sets {0 1}, {2 3}, {4 5}: 1, 9, 2, then 17 needs a log block: that of 9 is the oldest.
    CHECK(cost_of(sast_of(2, 1, 2), up_to(23, {1, 9, 2, 17, 3})) == cost{4, 33, 2});
    // The log block in order of 0 and 1 is older than the shared one of 9.
    CHECK(cost_of(sast_of(2, 1, 2), up_to(23, {0, 1, 9, 17, 10})) == cost{2, 31, 1});
    // ... and younger.
    CHECK(cost_of(sast_of(2, 1, 2), up_to(23, {9, 0, 1, 17, 2})) == cost{4, 33, 2});
}

TEST_CASE("sast: a log block in order is switched or completed")
{
    const ram_config c = sast_of(2, 1, 1);
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3, 0})) == cost{0, 9, 1});
    CHECK(cost_of(c, up_to(15, {0, 1, 8})) == cost{2, 21, 1});   // 2 and 3 are copied
    CHECK(cost_of(c, up_to(7, {0, 1, 4, 5})) == cost{0, 12, 0}); // 4 joins it: it is shared
    CHECK(cost_of(c, up_to(7, {0, 1, 4, 5, 6})) == cost{8, 21, 3});
    CHECK(cost_of(c, up_to(3, {0, 1, 3, 3, 3})) == cost{4, 13, 2});
}

/// J. Kim et al.: sets of one logical block with one log block each.
TEST_CASE("sast: sets of one logical block, one log block each, are bast")
{
    const std::uint64_t seed = GENERATE(1u, 2u, 3u, 4u);
    const std::uint32_t logs = GENERATE(1u, 2u, 5u);
    const unit_list units = random_units(seed, [](std::uint64_t) { return true; });
    ram_config bast = by_hand_of(FTL_SCHEME_BAST);
    bast.params.map.log_blocks = logs;
    const cost same = cost_of(bast, units);
    CHECK(cost_of(sast_of(1, 1, logs), units) == same);
    CHECK(same.e > 40);
    // The examples of bast.
    CHECK(cost_of(sast_of(1, 1, 1), up_to(7, {0, 1, 4})) == cost{2, 13, 1});
    CHECK(cost_of(sast_of(1, 1, 1), up_to(7, {1, 1, 4})) == cost{4, 15, 2});
    CHECK(cost_of(sast_of(1, 1, 2), up_to(11, {1, 5, 9, 1, 5, 9})) == cost{16, 34, 8});
}

/// Lee, Park et al.: one set of all logical blocks. First units would go to a sequential log block.
TEST_CASE("sast: one set of all logical blocks has the random log blocks of fast")
{
    const std::uint64_t seed = GENERATE(5u, 6u, 7u, 8u);
    const std::uint32_t logs = GENERATE(1u, 2u, 5u);
    const unit_list units = random_units(seed, [](std::uint64_t unit) { return unit % 4 != 0; });
    ram_config fast = by_hand_of(FTL_SCHEME_FAST);
    fast.params.map.log_blocks = logs;
    fast.params.map.placed.non_sequential = FAST_OTHER_TO_RANDOM;
    const cost same = cost_of(fast, units);
    CHECK(cost_of(sast_of(10, logs, logs), units) == same);
    CHECK(same.e > 40);
    CHECK(cost_of(sast_of(10, 1, 1), up_to(15, {1, 5, 9, 13, 2})) == cost{16, 37, 5});
}

TEST_CASE("sast: no merge takes more logical blocks than a set has")
{
    const std::uint32_t set = GENERATE(1u, 2u, 3u);
    const std::uint32_t of_set = GENERATE(1u, 2u);
    ram_config c = whole_of(FTL_SCHEME_SAST);
    c.params.map.placed.associativity = set;
    c.params.map.placed.update_blocks = of_set;
    c.params.cache.policy = CACHE_POLICY_NONE;
    const std::uint64_t pages = c.params.geometry.pages_per_block;
    drive d(c);
    d.create_queues();
    fill(d);
    const telemetry& t = d.nand.counters();
    telemetry before = t;
    std::mt19937_64 random(set);
    const std::uint64_t units = c.params.ftl.user_units;
    const std::uint64_t unit_sectors = d.sectors() / units;
    for (int i = 0; i < 3000; ++i) {
        REQUIRE(d.start_write(random() % units * unit_sectors,
                              static_cast<std::uint32_t>(unit_sectors)));
        d.idle();
        const std::uint64_t merges = t.merged_logs - before.merged_logs;
        CHECK(t.copy_page_reads - before.copy_page_reads <= merges * set * pages);
        CHECK(t.copy_page_writes - before.copy_page_writes <= merges * set * pages);
        // A log block in order of one of them goes along, and one of which nothing counts may be.
        CHECK(t.erases_data + t.erases_log - before.erases_data - before.erases_log <=
              merges * (set + of_set) + 1);
        before = t;
    }
    all_right(d);
    CHECK(t.merged_logs > 100);
    CHECK(t.merged_logical_blocks_max == set);
}

} // namespace ssdvp::test::sast_test
