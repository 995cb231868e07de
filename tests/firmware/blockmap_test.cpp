// SPDX-License-Identifier: Apache-2.0
//
// Block and hybrid mapping: worked examples of the schemes of W.-J. Park et al., on one LUN, blocks
// of 4 pages, a sector a page, a drive that is empty.
#include "models/regs/choices/fast_merge.h"
#include "models/regs/choices/fast_other.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/blockmap_bench.h"

namespace ssdvp::test::blockmap_test {

TEST_CASE("msbs: spare pages take what is written again, then all of it is merged")
{
    CHECK(cost_of(msbs_of(2), up_to(3, {1, 1, 1})) == cost{3, 10, 1});
    CHECK(cost_of(msbs_of(2), up_to(3, {0, 1, 2, 3})) == cost{3, 11, 1});
    CHECK(cost_of(msbs_of(4), up_to(3, {0, 1, 2, 3, 0, 1, 2, 3})) == cost{3, 15, 1});
    CHECK(cost_of(msbs_of(2), {1, 1, 1, 1}) == cost{0, 4, 1});
}

TEST_CASE("fmax: a replacement block takes what is written again, in place or out of place")
{
    ram_config c = by_hand_of(FTL_SCHEME_FMAX);
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3, 0})) == cost{3, 12, 2});
    CHECK(cost_of(c, up_to(3, {1, 1, 1, 1, 1})) == cost{3, 12, 2});
    CHECK(cost_of(c, {1, 1, 1, 1, 1, 1}) == cost{0, 6, 2});
    c.params.map.placed.merge_switch = 1;
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3, 0})) == cost{0, 9, 1});
}

TEST_CASE("lm: a moving block takes what is written again in place, and closes")
{
    ram_config c = by_hand_of(FTL_SCHEME_LM);
    CHECK(cost_of(c, up_to(3, {1, 2, 1})) == cost{2, 9, 1});
    CHECK(cost_of(c, up_to(7, {0, 4, 1})) == cost{6, 17, 2});
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3})) == cost{0, 8, 1});
    CHECK(cost_of(c, up_to(3, {2, 2, 2})) == cost{6, 13, 2});
    c.params.map.placed.eager_close = 0; // it closes when it has to
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3})) == cost{0, 8, 0});
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3, 0})) == cost{0, 9, 1});
    c.params.map.placed.moving_blocks = 2; // one for each of the two
    CHECK(cost_of(c, up_to(7, {0, 4, 1})) == cost{0, 11, 0});
}

TEST_CASE("bast: a log block of one logical block, merged by what is in it")
{
    ram_config c = by_hand_of(FTL_SCHEME_BAST);
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3, 0})) == cost{0, 9, 1});
    CHECK(cost_of(c, up_to(7, {0, 1, 4})) == cost{2, 13, 1});
    CHECK(cost_of(c, up_to(7, {1, 1, 4})) == cost{4, 15, 2});
    CHECK(cost_of(c, up_to(3, {1, 1, 1, 1, 1})) == cost{4, 13, 2});
    c.params.map.placed.partial_merge = 0;
    CHECK(cost_of(c, up_to(7, {0, 1, 4})) == cost{4, 15, 2});
    c.params.map.placed.partial_merge = 1;
    c.params.map.log_blocks = 2;
    CHECK(cost_of(c, up_to(11, {1, 5, 9, 1, 5, 9})) == cost{16, 34, 8});
    c.params.map.log_blocks = 3; // one for each
    CHECK(cost_of(c, up_to(11, {1, 5, 9, 1, 5, 9})) == cost{0, 18, 0});
}

TEST_CASE("fast: sequential and random log blocks")
{
    ram_config c = by_hand_of(FTL_SCHEME_FAST);
    CHECK(cost_of(c, up_to(15, {1, 5, 9, 13, 2})) == cost{16, 37, 5});
    CHECK(cost_of(c, up_to(3, {1, 1, 1, 1, 1})) == cost{4, 13, 2});
    CHECK(cost_of(c, up_to(3, {0, 1, 2, 3, 0})) == cost{0, 9, 1});
    CHECK(cost_of(c, up_to(7, {0, 1, 4})) == cost{2, 13, 1});
    CHECK(cost_of(c, up_to(3, {0, 1, 3})) == cost{3, 10, 2});
    c.params.map.placed.partial_merge = 0;
    CHECK(cost_of(c, up_to(7, {0, 1, 4})) == cost{4, 15, 2});
    c.params.map.placed.partial_merge = 1;
    c.params.map.log_blocks = 2;
    CHECK(cost_of(c, up_to(11, {1, 5, 9, 1, 5, 9})) == cost{0, 18, 0});
    CHECK(cost_of(c, up_to(7, {1, 1, 1, 1, 5, 1, 1, 1, 2})) == cost{0, 17, 1});
}

TEST_CASE("fast: what does not continue the sequential log block")
{
    ram_config c = by_hand_of(FTL_SCHEME_FAST);
    c.params.map.placed.non_sequential = FAST_OTHER_TO_RANDOM; // 0 and 1 stay in the sequential one
    CHECK(cost_of(c, up_to(3, {0, 1, 3})) == cost{0, 7, 0});
    c.params.map.placed.non_sequential = FAST_OTHER_NEW_SEQUENTIAL; // 2 and 3 are copied first
    CHECK(cost_of(c, up_to(3, {0, 1, 3})) == cost{2, 9, 1});
}

/// 3 lies in the random log block when the sequential one of its logical block is completed.
TEST_CASE("fast: a partial merge leaves newer pages in the random log block, or collects them")
{
    ram_config c = by_hand_of(FTL_SCHEME_FAST);
    const unit_list units = up_to(11, {3, 0, 1, 4});
    // 9 fills the random log block, and its fourth write empties it.
    const unit_list emptied = up_to(11, {3, 0, 1, 4, 9, 9, 9, 9});
    CHECK(cost_of(c, units) == cost{1, 17, 1});   // 2 is copied
    CHECK(cost_of(c, emptied) == cost{9, 29, 4}); // 3 and 9 are merged
    c.params.map.placed.partial_merge = FAST_MERGE_COLLECTING;
    CHECK(cost_of(c, units) == cost{2, 18, 1});   // 2 and 3 are copied
    CHECK(cost_of(c, emptied) == cost{6, 26, 3}); // 9 is merged
    // 1 is newer in the random log block than in the sequential one, whose page is taken.
    c.params.map.placed.non_sequential = FAST_OTHER_TO_RANDOM;
    CHECK(cost_of(c, up_to(7, {0, 1, 1, 4})) == cost{2, 14, 1}); // 2 and 3 are copied
}

TEST_CASE("merges are counted by their kind, with the logical blocks that they take")
{
    ram_config c = by_hand_of(FTL_SCHEME_FAST);
    drive d(c);
    d.create_queues();
    write_units(d, up_to(15, {1, 5, 9, 13, 2})); // the random log block had 4 logical blocks
    const telemetry& t = d.nand.counters();
    CHECK(t.merges_full == 4);
    CHECK(t.merged_logs == 1);
    CHECK(t.merged_logical_blocks == 4);
    CHECK(t.merged_logical_blocks_max == 4);
    CHECK(t.erases_data == 4);
    CHECK(t.erases_log == 1);
    CHECK(t.blocking_max_ns != 0);
    write_units(d, {0, 1, 2, 3, 0, 1, 4}); // a switch, then 2 and 3 are copied
    CHECK(t.merges_switch == 1);
    CHECK(t.merges_partial == 1);
    CHECK(t.merged_logical_blocks == 6);
    all_right(d);
}

TEST_CASE("pages that are looked into before the one with the data, without an index of them")
{
    ram_config c = msbs_of(2);
    drive d(c);
    d.create_queues();
    write_units(d, up_to(3, {1, 1}));
    const auto looked_at = [&](std::uint64_t unit) { // the page with the data too
        const telemetry before = d.nand.counters();
        read_units(d, {unit});
        const telemetry& now = d.nand.counters();
        return now.scan_page_reads + now.host_page_reads - before.scan_page_reads -
               before.host_page_reads;
    };
    CHECK(looked_at(1) == 1);
    CHECK(looked_at(0) == 3);

    c.params.map.placed.ram_index = 1;
    drive with(c);
    with.create_queues();
    write_units(with, up_to(3, {1, 1}));
    read_units(with, {0, 1});
    CHECK(with.nand.counters().scan_page_reads == 0);

    drive f(by_hand_of(FTL_SCHEME_FMAX)); // 1 lies in page 2 of the replacement block, 0 at home
    f.create_queues();
    write_units(f, up_to(3, {1, 1, 1}));
    read_units(f, {1});
    CHECK(f.nand.counters().scan_page_reads == 0);
    read_units(f, {0});
    CHECK(f.nand.counters().scan_page_reads == 3);
}

/// The pages that these writes look into in vain, which are those that their merges come by.
std::uint64_t looks(const ram_config& c, const unit_list& units)
{
    drive d(c);
    d.create_queues();
    write_units(d, units);
    const std::uint64_t count = d.nand.counters().scan_page_reads;
    CHECK(d.nand.count(FLASH_PURPOSE_SCAN).reads == count);
    all_right(d);
    return count;
}

/// Units 0 to last, so many times, then unit 0 once more, which merges.
unit_list passes(std::uint64_t last, int times)
{
    unit_list units;
    for (int n = 0; n < times; ++n) {
        const unit_list all = up_to(last, {});
        units.insert(units.end(), all.begin(), all.end());
    }
    units.push_back(0);
    return units;
}

TEST_CASE("msbs: a merge looks into each spare page once, and copies what counts there")
{
    CHECK(looks(msbs_of(2), up_to(3, {1, 1})) == 0);    // there is no merge yet
    CHECK(looks(msbs_of(2), up_to(3, {1, 1, 1})) == 2); // the host's 1 replaces what both have
    CHECK(looks(msbs_of(2), up_to(3, {1, 1, 0})) == 1); // one 1 counts and is copied
    CHECK(looks(msbs_of(2), up_to(3, {0, 1, 2})) == 0); // both are copied
    CHECK(looks(msbs_of(2), up_to(3, {0, 1, 1})) == 1); // 0 is copied
    CHECK(looks(msbs_of(4), up_to(3, {1, 1, 0, 0, 2})) == 2);
    CHECK(looks(msbs_of(4), passes(3, 2)) == 1); // 1 to 3 are copied
    ram_config c = msbs_of(2);
    c.params.map.placed.ram_index = 1;
    CHECK(looks(c, up_to(3, {1, 1, 1})) == 0);
}

TEST_CASE("fmax: a merge looks into each page of the replacement block once")
{
    const ram_config c = by_hand_of(FTL_SCHEME_FMAX);
    CHECK(looks(c, up_to(3, {1, 1, 1, 1})) == 0);    // there is no merge yet
    CHECK(looks(c, up_to(3, {1, 1, 1, 1, 1})) == 4); // the host's 1 replaces what all have
    CHECK(looks(c, up_to(3, {1, 1, 1, 1, 0})) == 3); // the last 1 is copied
    CHECK(looks(c, passes(3, 2)) == 1);              // 1 to 3 are copied
    CHECK(looks(c, {1, 1, 1, 1, 1, 1}) == 4);        // 1 is all there is: no page of it counts
    ram_config with = c;
    with.params.map.placed.ram_index = 1;
    CHECK(looks(with, up_to(3, {1, 1, 1, 1, 1})) == 0);
}

/// As in the paper: a replacement block that was written in place, half of a block spare.
TEST_CASE("blocks of 64 pages: a merge looks into as many pages as it finds out of date")
{
    ram_config f = by_hand_of(FTL_SCHEME_FMAX);
    f.params.geometry.pages_per_block = 64;
    f.params.ftl.user_units = 640;
    CHECK(looks(f, passes(63, 2)) == 1);
    CHECK(cost_of(f, passes(63, 2)) == cost{63, 192, 2});
    ram_config m = msbs_of(2);
    m.params.geometry.pages_per_block = 64;
    m.params.map.placed.spare_pages = 32;
    CHECK(looks(m, passes(31, 2)) == 1);
    CHECK(cost_of(m, passes(31, 2)) == cost{31, 96, 1});
    CHECK(looks(m, up_to(31, unit_list(33, 5))) == 32); // all that is spare is of unit 5
}

TEST_CASE("bast: what is told of log blocks costs pages of maps")
{
    ram_config c = by_hand_of(FTL_SCHEME_BAST);
    const unit_list units = up_to(7, {0, 1, 4}); // a log block, a merge, another log block
    for (const std::uint32_t info : {0u, 1u}) {
        c.params.map.placed.log_info = info;
        drive d(c);
        d.create_queues();
        write_units(d, units);
        all_right(d);
        CHECK(cost_of(d) == cost{2, 13, 1});
        CHECK(d.nand.count(FLASH_PURPOSE_MAP).programs == 3 * info);
    }
}

TEST_CASE("msbs: more spare pages, fewer merges")
{
    std::uint64_t merges = UINT64_MAX;
    for (const std::uint32_t spare : {1u, 2u, 4u}) {
        drive d(msbs_of(spare));
        d.create_queues();
        for (int n = 0; n < 30; ++n) {
            write_units(d, up_to(3, {}));
        }
        CHECK(d.nand.counters().merges_full < merges);
        merges = d.nand.counters().merges_full;
        all_right(d);
    }
}

} // namespace ssdvp::test::blockmap_test
