// SPDX-License-Identifier: Apache-2.0
//
// dftl: what look-ups cost, by hand (ALGORITHMS.md section 2.5), and that nothing is lost.
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/map_bench.h"

namespace ssdvp::test {
namespace {

ram_config by_hand(std::uint64_t entries, bool batch = true)
{
    ram_config c = map_by_hand(BOOT_FTL_DFTL, entries * BOOT_MAP_CACHE_ENTRY);
    c.params.map_batch = batch ? 1 : 0;
    return c;
}

ram_config paged_drive(std::uint64_t entries)
{
    ram_config c = many_map_pages(BOOT_FTL_DFTL, entries * BOOT_MAP_CACHE_ENTRY);
    c.params.map_batch = 1;
    return c;
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

TEST_CASE("dftl: a unit that collection moves costs nothing if it is cached, else a map read")
{
    const std::uint64_t entries = GENERATE(24u, 400u); // all of them: 384
    ram_config c = by_hand(entries);
    c.params.gc_invalid_permille = 100; // of the 8 units of a block one is garbage: enough
    drive d(c);
    d.create_queues();
    for (std::uint64_t unit = 0; unit < c.params.user_units; ++unit) {
        write_units(d, {unit});
    }
    const costs before = costs_of(d);
    const std::uint64_t runs = d.nand.counters().gc_runs; // of map pages that were replaced
    CHECK(d.nand.counters().gc_units_moved == 0);
    write_units(d, {per_page + 16}); // 7 others of its block move
    const costs after = costs_of(d);
    CHECK(d.nand.counters().gc_runs == runs + 1);
    CHECK(d.nand.counters().gc_units_moved == 7);
    CHECK(after.map_r - before.map_r == (entries == 400 ? 0 : 1 + 7));
    CHECK(after.map_w == before.map_w); // those that left were clean, what came is dirty
    all_right(d);
}

TEST_CASE("dftl: units of one map page that move in one write unit share its read")
{
    ram_config c = by_hand(24);
    c.params.page_size = 8 * 512; // a write unit of 8 units
    c.params.oob_size = 72;
    c.params.user_units = 8 * 384;
    c.params.gc_invalid_permille = 100;
    drive d(c);
    d.create_queues();
    for (std::uint64_t unit = 0; unit < c.params.user_units; unit += 8) {
        REQUIRE(d.start_write(unit, 8));
        d.idle();
    }
    CHECK(d.nand.counters().gc_units_moved > c.params.user_units);
    CHECK(costs_of(d).misses > 4 * costs_of(d).map_r);
    all_right(d);
}

TEST_CASE("dftl: mixed commands keep data, and more entries need fewer map reads")
{
    std::uint64_t reads = UINT64_MAX;
    for (const std::uint64_t entries : {8u, 40u, 400u, 4000u}) {
        ram_config c = paged_drive(entries);
        c.params.wear_static_delta = entries == 40 ? 2 : 0;
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
    c.params.checkpoint_units = 4000;
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
    c.params.map_cache = BOOT_MAP_CACHE_ENTRY - 1;
    c.quiet = true;
    const ram_nand nand(c);
    CHECK(nand.panicked());
    CHECK_THAT(nand.error_text(), Catch::StartsWith("ftl "));
}

} // namespace ssdvp::test
