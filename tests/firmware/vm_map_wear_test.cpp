// SPDX-License-Identifier: Apache-2.0
//
// vm_map: wear levelling of map blocks, and that erase counts outlive the power.
#include "tests/firmware/vm_map_bench.h"

#include <algorithm>
#include <numeric>

namespace ssdvp::test::vm_map_wear_test {
namespace {

/// Of the six map blocks of by_hand(): the last superblocks, downwards.
std::vector<std::uint64_t> map_erases(const drive& d)
{
    std::vector<std::uint64_t> all;
    for (std::uint32_t n = 0; n < 6; ++n) {
        all.push_back(
            d.nand.erases({0, 0, 0, d.nand.config.params.geometry.blocks_per_plane - 1 - n}));
    }
    return all;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& erases)
{
    return std::accumulate(erases.begin(), erases.end(), std::uint64_t{0});
}

/// Times their number: n * sum of squares - square of the sum.
std::uint64_t variance_of(const std::vector<std::uint64_t>& erases)
{
    const std::uint64_t squares =
        std::inner_product(erases.begin(), erases.end(), erases.begin(), std::uint64_t{0});
    return squares * erases.size() - sum_of(erases) * sum_of(erases);
}

/// One segment in memory: a write to segment n and a read of another one are a commit of n.
void commit(drive& d, std::uint64_t segment, std::uint64_t times)
{
    for (std::uint64_t n = 0; n < times; ++n) {
        write_units(d, {segment * per_segment + n % per_segment});
        read_units(d, {(segment == 1 ? 2 : 1) * per_segment});
    }
}

ram_config levelled(std::uint32_t delta, std::uint32_t dynamic = 1)
{
    ram_config c = by_hand(1);
    c.params.wear.static_delta = delta;
    c.params.wear.dynamic = dynamic;
    return c;
}

void check_gauges(const drive& d)
{
    const std::vector<std::uint64_t> real = map_erases(d);
    const telemetry& t = d.nand.counters();
    CHECK(t.erase_sum == sum_of(real)); // superblocks were not erased
    CHECK(t.erase_max == *std::max_element(real.begin(), real.end()));
    CHECK(t.erase_square_sum ==
          std::inner_product(real.begin(), real.end(), real.begin(), std::uint64_t{0}));
}

} // namespace

/// Segments 0, 1, 2 lie in map blocks 0, 1, 2; 3, 4, 5 are erased. Each commit of segment 0 takes
/// the least worn erased block and has its old one erased: 3 4 5 0, 3 4 5 0, and with the ninth, to
/// 3, block 0 has 3 erases, blocks 1 and 2 none. Segment 1 goes to the most worn, 0. Commit 10
/// takes block 1 (1 erase), 11 block 4, 12 block 5; then segment 2 goes to block 3.
TEST_CASE("vm_map: static wear levelling, by hand: 12 commits of one segment, delta 2")
{
    drive d(levelled(2));
    write_segments(d);
    commit(d, 0, 8);
    CHECK(map_erases(d) == std::vector<std::uint64_t>{2, 0, 0, 2, 2, 2});
    commit(d, 0, 1);
    CHECK(map_erases(d) == std::vector<std::uint64_t>{3, 1, 0, 2, 2, 2});
    commit(d, 0, 3);
    CHECK(map_erases(d) == std::vector<std::uint64_t>{3, 2, 1, 3, 3, 2});
    check_gauges(d);
    d.check_everything();
    CHECK(d.mismatches == 0);
}

TEST_CASE("vm_map: without static wear levelling blocks of cold segments are never erased")
{
    drive d(levelled(0));
    write_segments(d);
    commit(d, 0, 12);
    CHECK(map_erases(d) == std::vector<std::uint64_t>{3, 0, 0, 3, 3, 3});
    check_gauges(d);
}

TEST_CASE("vm_map: static wear levelling keeps the spread of map blocks near its delta")
{
    std::uint64_t spread[2];
    std::uint64_t programs[2];
    for (std::uint32_t on = 0; on < 2; ++on) {
        drive d(levelled(on * 8));
        write_segments(d);
        commit(d, 0, 600);
        const std::vector<std::uint64_t> e = map_erases(d);
        spread[on] = *std::max_element(e.begin(), e.end()) - *std::min_element(e.begin(), e.end());
        programs[on] = d.nand.count(FLASH_PURPOSE_MAP).programs;
        d.check_everything();
        CHECK(d.mismatches == 0);
        d.check_rules();
    }
    CHECK(spread[0] == 150); // four blocks go round
    CHECK(spread[1] <= 12);
    CHECK(programs[1] > programs[0]);
    CHECK(programs[1] < programs[0] + programs[0] / 8);
}

TEST_CASE("vm_map: dynamic wear levelling narrows the spread of map blocks in use")
{
    std::uint64_t variance[2];
    for (std::uint32_t on = 0; on < 2; ++on) {
        drive d(levelled(0, on));
        write_segments(d);
        for (std::uint64_t n = 0; n < 30; ++n) { // blocks of segment 1 rest in between
            commit(d, 0, 7);
            commit(d, 1, 1);
        }
        variance[on] = variance_of(map_erases(d));
        check_gauges(d);
    }
    CHECK(variance[1] < variance[0]);
}

/// SPEC, section 5: 460 superblocks of 9 bytes, 4 streams of 20, 3 numbers of commits, then the map
/// blocks. The blocks of segments 0, 1 and 2 are told by the numbers of their commits.
TEST_CASE("vm_map: the anchor record has erases and commit of each map block")
{
    ram_config c = levelled(2);
    c.params.host.data_mode = 2;
    drive d(c);
    write_segments(d);
    commit(d, 0, 9);
    shut_down(d);
    const flash_reader flash(d.nand);
    std::string tables;
    for (const found_page& p : flash.record(flash.newest_record(), false)) {
        tables += p.bytes;
    }
    const std::size_t at = 460 * 9 + 4 * 20;
    std::vector<std::uint64_t> numbers;
    for (std::size_t n = 0; n < 3; ++n) {
        numbers.push_back(number_at(tables, at + 4 * n, 4));
    }
    CHECK(numbers == std::vector<std::uint64_t>{12, 13, 3});
    const std::vector<std::uint64_t> erases = map_erases(d);
    std::vector<std::uint64_t> holds;
    for (std::size_t n = 0; n < 6; ++n) {
        CHECK(number_at(tables, at + 12 + 8 * n, 4) == erases[n]);
        holds.push_back(number_at(tables, at + 12 + 8 * n + 4, 4));
    }
    CHECK(holds == std::vector<std::uint64_t>{13, 0, 3, 12, 0, 0});
}

TEST_CASE("vm_map: erase counts of map blocks outlive a shutdown")
{
    drive d(levelled(4));
    write_segments(d);
    for (std::uint64_t n = 0; n < 3; ++n) {
        commit(d, n % 2, 15);
        shut_down(d);
        power_cycle(d);
        check_gauges(d);
        d.idle();
    }
    CHECK(sum_of(map_erases(d)) >= 45);
    const std::vector<std::uint64_t> e = map_erases(d);
    CHECK(*std::max_element(e.begin(), e.end()) - *std::min_element(e.begin(), e.end()) <= 7);
}

TEST_CASE("vm_map: after a power loss the numbers of the commits tell what was erased")
{
    drive d(levelled(0));
    write_segments(d);
    write_units(d, {0}); // the record says: power is on
    d.idle();
    for (const std::uint64_t commits : {1u, 2u, 40u, 401u}) {
        commit(d, 0, commits);
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 2);
        d.idle();
        INFO(commits << " commits");
        const std::vector<std::uint64_t> real = map_erases(d);
        const std::uint64_t most = *std::max_element(real.begin(), real.end());
        CHECK(d.nand.counters().erase_max + 2 >= most);
        CHECK(d.nand.counters().erase_max <= most + 2);
        CHECK(d.nand.counters().erase_sum + 2 >= sum_of(real)); // superblocks were not erased
        CHECK(d.nand.counters().erase_sum <= sum_of(real) + 2);
    }
}

} // namespace ssdvp::test::vm_map_wear_test
