// SPDX-License-Identifier: Apache-2.0
//
// dftl: what look-ups cost, by hand (docs/ftl/dftl.md), and that nothing is lost.
#include <numeric>

#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/map_bench.h"

namespace ssdvp::test::dftl_test {
namespace {

ram_config by_hand(std::uint64_t entries, bool batch = true)
{
    ram_config c = map_by_hand(FTL_SCHEME_DFTL, entries * BOOT_MAP_CACHE_ENTRY);
    c.params.map.batch = batch ? 1 : 0;
    return c;
}

ram_config paged_drive(std::uint64_t entries)
{
    ram_config c = many_map_pages(FTL_SCHEME_DFTL, entries * BOOT_MAP_CACHE_ENTRY);
    c.params.map.batch = 1;
    return c;
}

/// Four map pages, and superblocks of 32 units, of which one that is garbage is enough.
ram_config collecting(std::uint64_t entries, bool batch = true)
{
    ram_config c = by_hand(entries, batch);
    c.params.ftl.user_units = 4 * per_page;
    c.params.geometry.pages_per_block = 32;
    c.params.geometry.blocks_per_plane = 32;
    c.params.gc.invalid_permille = 30;
    return c;
}

/// `count` units of the last map page, which no victim has units of.
std::vector<std::uint64_t> others(std::uint64_t count)
{
    std::vector<std::uint64_t> units(count);
    std::iota(units.begin(), units.end(), 3 * per_page);
    return units;
}

/// All is written, such that the units of a superblock lie on so many map pages in turn, and all of
/// the table is clean.
void write_in_turn(drive& d, std::uint64_t pages, std::uint64_t entries)
{
    write_units(d, others(per_page));
    for (std::uint64_t n = 0; n < pages * per_page; ++n) {
        write_units(d, {n % pages * per_page + n / pages});
    }
    read_units(d, others(2 * entries)); // some leave while dirty ones are still being written
    CHECK(d.nand.counters().gc_units_moved == 0);
}

} // namespace

TEST_CASE("dftl: one entry, two pages: host W = 3, map_w = 2, map_r = 1")
{
    drive d(by_hand(1));
    d.create_queues();
    write_units(d, {0});
    CHECK(costs_of(d) == costs{1, 0, 0, 0, 1, 0});
    write_units(d, {per_page}); // page 0 is absent: written without a read
    CHECK(costs_of(d) == costs{2, 1, 0, 0, 2, 1});
    write_units(d, {0}); // so is page 1; page 0 is read for the entry
    CHECK(costs_of(d) == costs{3, 2, 1, 0, 3, 2});
}

TEST_CASE("dftl: a dirty victim whose page is on the flash costs a read and a write")
{
    drive d(by_hand(1));
    d.create_queues();
    write_units(d, {0, per_page, 0});
    write_units(d, {per_page}); // page 0: read, changed, written; page 1 read
    CHECK(costs_of(d) == costs{4, 3, 3, 0, 4, 3});
    write_units(d, {per_page, per_page}); // hits
    CHECK(costs_of(d) == costs{6, 3, 3, 2, 4, 3});
}

TEST_CASE("dftl: a clean victim costs one read")
{
    drive d(by_hand(1));
    d.create_queues();
    write_units(d, {0, per_page, 2 * per_page});
    const costs before = costs_of(d);
    read_units(d, {0}); // the last one is dirty
    CHECK(costs_of(d) == costs{3, before.map_w + 1, before.map_r + 1, 0, 4, 3});
    read_units(d, {per_page, 0, per_page});
    CHECK(costs_of(d) == costs{3, before.map_w + 1, before.map_r + 4, 0, 7, 6});
}

TEST_CASE("dftl: all that is dirty of a page goes with it")
{
    drive d(by_hand(2));
    d.create_queues();
    write_units(d, {0, 1, per_page}); // entry 0 leaves, 1 is clean then
    CHECK(costs_of(d) == costs{3, 1, 0, 0, 3, 1});
    write_units(d, {per_page + 1});
    CHECK(costs_of(d) == costs{4, 1, 0, 0, 4, 2});
}

TEST_CASE("dftl: without batches each dirty entry costs a write of its page")
{
    drive d(by_hand(2, false));
    d.create_queues();
    write_units(d, {0, 1, per_page});
    CHECK(costs_of(d) == costs{3, 1, 0, 0, 3, 1});
    write_units(d, {per_page + 1}); // entry 1: page 0 is read, changed, written
    CHECK(costs_of(d) == costs{4, 2, 1, 0, 4, 2});
}

TEST_CASE("dftl: what was used twice stays while others come and go")
{
    drive d(by_hand(2));
    d.create_queues();
    write_units(d, {0, 0, 1, 2, 0}); // 0 is protected: 2 replaces 1
    CHECK(d.nand.counters().map_misses == 3);
    CHECK(d.nand.counters().map_hits == 2);
    CHECK(d.nand.counters().map_evictions == 1);
}

TEST_CASE("dftl: a victim's units move without their map pages, each of which is written once")
{
    const std::uint64_t pages = GENERATE(1u, 2u, 3u);
    const bool batch = GENERATE(true, false);
    const std::uint64_t entries = 64;
    INFO(pages << " map pages, batch " << batch);
    drive d(collecting(entries, batch));
    d.create_queues();
    write_in_turn(d, pages, entries);
    const costs before = costs_of(d);
    const std::uint64_t runs = d.nand.counters().gc_runs;
    write_units(d, {0}); // 31 others of its superblock move
    const costs moved = costs_of(d);
    CHECK(d.nand.counters().gc_units_moved == 31);
    CHECK(moved == costs{before.host_w + 1, before.map_w, before.map_r + 1, before.hits,
                         before.misses + 1, before.evictions + 32});
    read_units(d, others(2 * entries)); // 32 dirty entries leave
    const costs left = costs_of(d);
    CHECK(left.map_w == moved.map_w + pages);
    CHECK(left.map_r == moved.map_r + pages + left.misses - moved.misses);
    CHECK(d.nand.counters().gc_runs == runs + 1);
    all_right(d);
}

TEST_CASE("dftl: a unit that collection moves costs nothing at all if its entry is cached")
{
    drive d(collecting(600)); // units: 512
    d.create_queues();
    write_in_turn(d, 3, 0);
    const costs before = costs_of(d);
    write_units(d, {0});
    CHECK(d.nand.counters().gc_units_moved == 31);
    CHECK(costs_of(d) == costs{before.host_w + 1, 0, 0, before.hits + 1, before.misses, 0});
    all_right(d);
}

TEST_CASE("dftl: a map page is written once for each time that moved units fill the table")
{
    struct bound {
        std::uint64_t entries, writes;
    };
    // Not more than 3 pages * 32 units / entries, rounded up, nor than units.
    const bound b = GENERATE(bound{1, 32}, bound{2, 32}, bound{4, 24}, bound{8, 12}, bound{16, 6},
                             bound{24, 6}, bound{32, 3});
    INFO(b.entries << " entries");
    drive d(collecting(b.entries));
    d.create_queues();
    write_in_turn(d, 3, b.entries);
    const costs before = costs_of(d);
    const std::uint64_t runs = d.nand.counters().gc_runs;
    write_units(d, {0});
    CHECK(d.nand.counters().gc_units_moved == 31);
    read_units(d, others(2 * b.entries));
    const costs after = costs_of(d);
    // Of a map superblock that is full and collected the last map page alone is still valid.
    const std::uint64_t moved = d.nand.counters().gc_runs - runs - 1;
    CHECK(moved <= 1);
    CHECK(after.map_w - before.map_w == b.writes + moved);
    CHECK(after.map_r - before.map_r == b.writes + moved + after.misses - before.misses);
    all_right(d);
}

TEST_CASE("dftl: while a unit is lost collection fetches the entries of what it moves")
{
    erring_drive x(collecting(64));
    drive& d = *x.d;
    x.fate = [](const nand_place&, const flash_desc& desc) {
        return ram_config::read_result{desc.purpose == FLASH_PURPOSE_GC, 0, false};
    };
    write_in_turn(d, 3, 64);
    const auto reads_of = [&d](std::uint64_t unit) { // one of a superblock of its own
        const costs before = costs_of(d);
        const std::uint64_t units = d.nand.counters().gc_units_moved;
        write_units(d, {unit});
        CHECK(d.nand.counters().gc_units_moved == units + 31);
        const costs after = costs_of(d);
        return after.map_r - before.map_r - (after.map_w - before.map_w);
    };
    x.armed = true;
    CHECK(reads_of(0) > 10); // each of its neighbours is lost, and marked in the map
    x.armed = false;
    CHECK(d.nand.counters().lost_units == 31);
    CHECK(reads_of(2 * per_page + 10) > 10);
    for (std::uint64_t n = 1; n < 32; ++n) {
        write_units(d, {n % 3 * per_page + n / 3});
    }
    CHECK(d.nand.counters().lost_units == 0);
    CHECK(reads_of(per_page + 21) == 1);
    all_right(d);
}

TEST_CASE("dftl: map pages are read for what the host looks up, and to be written")
{
    ram_config c = paged_drive(GENERATE(8u, 60u, 400u));
    c.params.map.batch = GENERATE(0u, 1u);
    drive d(c);
    d.create_queues();
    mixed(d, 8000, 1);
    d.start_flush();
    d.idle();
    const costs now = costs_of(d);
    CHECK(d.nand.counters().gc_units_moved > 10000);
    CHECK(now.map_r <= now.misses + now.map_w);
    all_right(d);
}

TEST_CASE("dftl: mixed commands keep data, and more entries need fewer map reads")
{
    std::uint64_t reads = UINT64_MAX;
    for (const std::uint64_t entries : {8u, 40u, 400u, 4000u}) {
        ram_config c = paged_drive(entries);
        c.params.wear.static_delta = entries == 40 ? 2 : 0;
        const auto now = map_traffic(c);
        INFO(entries << " entries: " << now.reads << " map reads");
        CHECK(now.reads < reads);
        reads = now.reads;
    }
}

TEST_CASE("dftl: reads that fail, with and without their spare words")
{
    const std::uint32_t seed = GENERATE(1u, 2u, 3u);
    err_while_paging(paged_drive(60), seed, 5000);
}

TEST_CASE("dftl: after a loss of power the table keeps what the window tells, if all of it fits")
{
    const bool fits = GENERATE(true, false);
    const drive* power = nullptr;
    std::uint64_t programs = 0; // of map pages, before the drive is ready
    ram_config c = paged_drive(fits ? 6000 : 60);
    c.params.map.checkpoint_units = 4000;
    c.on_point = [&](const flash_point& p) {
        programs += power != nullptr && power->nand.counters().ready == 0 &&
                            p.op == FLASH_OP_PROGRAM && p.purpose == FLASH_PURPOSE_MAP && p.ended
                        ? 1
                        : 0;
        return false;
    };
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 32);
    scatter(d, 1, 200);
    REQUIRE(d.start_trim({{100, 40}, {900, 300}}));
    d.drain();
    flush(d);
    for (int round = 0; round < 3; ++round) {
        power = &d;
        programs = 0;
        power_cycle(d);
        power = nullptr;
        CHECK(d.nand.counters().recovery_kind == 2);
        CHECK((programs == 0) == fits);
        scatter(d, 2, 100);
        d.check_everything();
        flush(d);
    }
    d.check_rules();
}

TEST_CASE("dftl: a cache of less than an entry is refused")
{
    ram_config c = by_hand(1);
    c.params.map.cache = BOOT_MAP_CACHE_ENTRY - 1;
    c.quiet = true;
    const ram_nand nand(c);
    CHECK(nand.panicked());
    CHECK_THAT(nand.error_text(), Catch::StartsWith("map "));
}

} // namespace ssdvp::test::dftl_test
