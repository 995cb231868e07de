// SPDX-License-Identifier: Apache-2.0
//
// superblock: the worked example of the paper's scheme and others by hand, on one LUN, blocks of 4
// pages, a sector a page, superblocks of two blocks; then work with few update blocks.
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/blockmap_bench.h"

namespace ssdvp::test::superblock_test {
namespace {

ram_config by_hand(std::uint32_t most, std::uint32_t total)
{
    ram_config c = by_hand_of(FTL_SCHEME_SUPERBLOCK);
    c.params.map.placed.update_blocks = most;
    c.params.map.log_blocks = total;
    return c;
}

/// Trims leave a block of two pages, and a superblock of nothing; then the power goes with the n-th
/// program of the host. 0 = there were fewer.
int trimmed_then_cut(std::uint64_t n)
{
    ram_config c = by_hand(1, 1);
    c.params.geometry.blocks_per_plane = 28;
    std::uint64_t left = 0;
    c.on_point = [&](const flash_point& p) {
        const bool host = p.op == FLASH_OP_PROGRAM && p.purpose == FLASH_PURPOSE_HOST && !p.ended;
        return host && left != 0 && --left == 0;
    };
    drive d(c);
    d.create_queues();
    write_units(d, up_to(5, {}));
    d.start_trim({{4, 2}});
    d.idle();
    shut_down(d); // the record has the block of 4 and 5, of which nothing counts
    power_cycle(d);
    write_units(d, {8});    // a record that it is over
    d.start_trim({{0, 4}}); // both blocks are erased
    d.idle();
    left = n;
    for (std::uint64_t k = 0; k < 200 && d.nand.powered(); ++k) {
        REQUIRE(d.start_write(8 + k * 7 % 32, 1));
        while (d.pump()) {
        }
    }
    if (d.nand.powered()) {
        return 0;
    }
    power_cycle(d);
    d.check_everything();
    write_units(d, up_to(39, {0, 1}));
    d.check_everything();
    d.check_rules();
    return 1;
}

} // namespace

TEST_CASE("superblock: a block that was erased since the record is not written on where it was")
{
    std::uint64_t n = 1;
    while (n < 100 && trimmed_then_cut(n) != 0) {
        ++n;
    }
    CHECK(n == 100);
}

TEST_CASE("superblock: update blocks take what is written again, then the superblock is collected")
{
    CHECK(cost_of(by_hand(1, 1), up_to(7, {0, 4, 1, 5})) == cost{0, 12, 0});
    CHECK(cost_of(by_hand(1, 1), up_to(7, {0, 4, 1, 5, 2})) == cost{2, 15, 1});
    CHECK(cost_of(by_hand(1, 2), up_to(7, {0, 4, 1, 5, 2})) == cost{2, 15, 1}); // of one at most
    CHECK(cost_of(by_hand(2, 2), up_to(7, {0, 4, 1, 5, 2})) == cost{0, 13, 0});
    // The same in bast: two partial and two full merges.
    CHECK(cost_of(by_hand_of(FTL_SCHEME_BAST), up_to(7, {0, 4, 1, 5, 2})) == cost{14, 27, 6});
}

TEST_CASE("superblock: a block of which nothing is valid costs its erase only")
{
    CHECK(cost_of(by_hand(1, 1), up_to(7, {0, 1, 2, 3, 0})) == cost{0, 13, 1});
    CHECK(cost_of(by_hand(1, 1), up_to(7, {5, 5, 5, 5, 5})) == cost{1, 14, 1}); // of one: itself
}

TEST_CASE("superblock: of the others the one that was written least recently gives a block up")
{
    CHECK(cost_of(by_hand(1, 1), up_to(15, {0, 8})) == cost{3, 21, 1});
    CHECK(cost_of(by_hand(1, 2), up_to(15, {0, 8})) == cost{0, 18, 0});
    // 8 is older than 1. The one of 0 and 1 has room for 2 still.
    CHECK(cost_of(by_hand(1, 2), up_to(23, {0, 8, 1, 16, 2})) == cost{3, 32, 1});
}

TEST_CASE("superblock: a wider one shares its update blocks")
{
    ram_config c = by_hand(1, 1);
    c.params.map.placed.superblock_blocks = 1; // what bast has, but for pages in order
    CHECK(cost_of(c, up_to(7, {0, 4, 1, 5, 2})) == cost{12, 25, 4});
}

TEST_CASE("superblock: the last one is short, and has as few blocks")
{
    ram_config c = by_hand(1, 1);
    c.params.ftl.user_units = 11; // 8 of the first one, 3 of a block
    CHECK(cost_of(c, up_to(10, {8, 9, 10})) == cost{0, 14, 0});
    CHECK(cost_of(c, up_to(10, {8, 8, 8, 8, 8, 8})) == cost{1, 18, 1});
}

TEST_CASE("superblock: trims give all its blocks back at once, or leave garbage")
{
    ram_config c = by_hand(1, 1);
    drive d(c);
    d.create_queues();
    write_units(d, up_to(7, {0, 4, 1, 5}));
    d.start_trim({{2, 2}});
    d.idle();
    CHECK(cost_of(d) == cost{0, 12, 0});
    write_units(d, {2}); // the first block has nothing valid
    CHECK(cost_of(d) == cost{0, 13, 1});
    d.start_trim({{0, 8}});
    d.idle();
    CHECK(cost_of(d) == cost{0, 13, 1 + 3});
    CHECK(d.nand.counters().mapped == 0);
    all_right(d);
}

TEST_CASE("superblock: collections are counted by what they cost")
{
    drive d(by_hand(1, 1));
    d.create_queues();
    write_units(d, up_to(7, {0, 1, 2, 3, 0, 4, 1, 5, 2}));
    const telemetry& t = d.nand.counters();
    CHECK(t.merges_switch == 1);  // the block of 0..3
    CHECK(t.merges_partial == 1); // 6 and 7, or 2 and 3
    CHECK(t.merges_full == 0);
    CHECK(t.merged_logs == 2);
    CHECK(t.erases_data == 2);
    CHECK(t.erases_log == 0);
    CHECK(t.blocking_max_ns != 0);
    all_right(d);
}

TEST_CASE("superblock: no drive without blocks to update, or with more pages than it can count")
{
    const auto refused = [](std::uint32_t blocks, std::uint32_t most, std::uint32_t total) {
        ram_config c = by_hand(most, total);
        c.params.map.placed.superblock_blocks = blocks;
        return drive(c).nand.panicked();
    };
    CHECK_FALSE(refused(2, 1, 1));
    CHECK(refused(0, 1, 1));
    CHECK(refused(2, 0, 1));
    CHECK(refused(2, 1, 0));
    CHECK(refused(16384, 1, 1));
}

} // namespace ssdvp::test::superblock_test
