// SPDX-License-Identifier: Apache-2.0
//
// log_set: M2 where it does not fit in memory. A map page has 128 entries: three pages of M2 have
// 128 * 128 units each, above them is the top.
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/map_policy.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/map_bench.h"
#include "tests/firmware/mapped_part.h"

namespace ssdvp::test::log_set_upper_test {
namespace {

constexpr std::uint64_t map_page = 512;
constexpr std::uint64_t per_upper = per_page * per_page; // units of a page of M2
constexpr std::uint64_t three_pages = 5 * per_upper / 2;

/// Nothing but what is asked for happens. `upper` pages of M2 in memory, 0 = all; of M1 one.
ram_config by_hand(std::uint64_t upper)
{
    ram_config config = map_by_hand(FTL_SCHEME_LOG_SET, map_page);
    config.params.ftl.user_units = three_pages;
    config.params.geometry.pages_per_block = 128;
    config.params.geometry.blocks_per_plane = three_pages / 128 + 24;
    config.params.map.upper_cache = upper * map_page;
    return config;
}

/// A write buffer, collection, write units of four map pages.
ram_config deep(std::uint64_t upper, std::uint32_t apart = 0, std::uint64_t pages = 4)
{
    ram_config config = many_map_pages(FTL_SCHEME_LOG_SET, pages * map_page);
    config.params.ftl.user_units = three_pages - 30; // the last page is short
    config.params.geometry.pages_per_block = 32;
    config.params.geometry.blocks_per_plane = three_pages / 512 + 14 + 4 * apart;
    config.params.map.checkpoint_units = 1u << 14;
    config.params.map.upper_cache = upper * map_page;
    config.params.map.apart = apart;
    return config;
}

/// Entries of M1 and M2 that tell of these are on different pages.
constexpr std::uint64_t a = 0;
constexpr std::uint64_t b = per_upper;
constexpr std::uint64_t c = 2 * per_upper;

} // namespace

TEST_CASE("log_set: a page of M1 that is not there costs two reads if that of M2 is not either")
{
    drive d(by_hand(2));
    d.create_queues();
    write_units(d, {a}); // first writes: nothing is read
    CHECK(costs_of(d) == costs{1, 0, 0, 0, 1, 0});
    write_units(d, {b}); // M1's page of a leaves: its page of M2 is held until it is programmed
    CHECK(costs_of(d) == costs{2, 1, 0, 0, 2, 1});
    write_units(d, {c}); // that of b leaves, and from M2 that of a, which differs from the flash
    CHECK(costs_of(d) == costs{3, 3, 0, 0, 3, 2});
    read_units(d, {a}); // those of c and b leave; M2's page of a comes in, then M1's
    CHECK(costs_of(d) == costs{3, 5, 2, 0, 4, 3});
    read_units(d, {a + 1}); // the same page
    CHECK(costs_of(d) == costs{3, 5, 2, 1, 4, 3});
    read_units(d, {a + per_page}); // never written, as M2's page says, which is there
    CHECK(costs_of(d) == costs{3, 5, 2, 1, 5, 4});
    read_units(d, {a}); // only M1's page has to come in
    CHECK(costs_of(d) == costs{3, 5, 3, 1, 6, 5});
    read_units(d, {b}); // M2's page of c has to be written for that of b
    CHECK(costs_of(d) == costs{3, 6, 5, 1, 7, 6});
}

TEST_CASE("log_set: where all of M2 is in memory a page of M1 costs one read")
{
    drive d(by_hand(GENERATE(0u, 3u)));
    d.create_queues();
    write_units(d, {a, b, c});
    CHECK(costs_of(d) == costs{3, 2, 0, 0, 3, 2});
    read_units(d, {a});
    CHECK(costs_of(d) == costs{3, 3, 1, 0, 4, 3});
    read_units(d, {b, c, a});
    CHECK(costs_of(d) == costs{3, 3, 4, 0, 7, 6});
}

TEST_CASE("log_set: of M2 too, lru keeps what was used, fifo what came last")
{
    std::map<std::uint32_t, std::uint64_t> reads;
    for (const std::uint32_t policy : {MAP_POLICY_LRU, MAP_POLICY_FIFO}) {
        ram_config config = by_hand(2);
        config.params.map.upper_policy = policy;
        drive d(config);
        d.create_queues();
        write_units(d, {a, b, c});
        read_units(d, {a, b, a + 2 * per_page, a}); // of M2: a, b, then a once more
        const std::uint64_t before = costs_of(d).map_r;
        read_units(d, {c, a}); // lru has c in the place of b, fifo in that of a
        reads[policy] = costs_of(d).map_r - before;
    }
    CHECK(reads[MAP_POLICY_LRU] == 3);
    CHECK(reads[MAP_POLICY_FIFO] == 4);
}

TEST_CASE("log_set: the fewer pages of M2 are in memory the more map reads and writes there are")
{
    const std::uint32_t apart = GENERATE(0u, 1u);
    std::uint64_t reads = UINT64_MAX;
    std::uint64_t programs = UINT64_MAX;
    for (const std::uint64_t upper : {2u, 0u}) {
        drive d(deep(upper, apart, 12));
        d.create_queues();
        mixed(d, 8000, 1);
        d.start_flush();
        d.idle();
        all_right(d);
        CHECK(d.mismatches == 0);
        CHECK(d.nand.counters().gc_runs > 10);
        const auto now = d.nand.count(FLASH_PURPOSE_MAP);
        INFO(upper << " pages: " << now.reads << " map reads, " << now.programs << " programs");
        CHECK(now.reads < reads);
        CHECK(now.programs < programs);
        reads = now.reads;
        programs = now.programs;
    }
}

TEST_CASE("log_set: with few pages of M2 entries are true, through a shutdown and a power loss")
{
    ram_config config = deep(2, GENERATE(0u, 1u));
    config.params.host.data_mode = 2;
    drive d(config);
    d.create_queues();
    fill(d);
    scatter(d, 1, 1500);
    flush(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
    scatter(d, 2, 500);
    shut_down(d);
    const map_on_flash m = walk(d.nand, 4); // each entry against the spare words
    CHECK(m.levels == 3);
    CHECK(m.mapped == config.params.ftl.user_units);
    CHECK(d.nand.counters().mapped == m.mapped);
    CHECK(d.nand.counters().map_units == three_pages / per_page + 3 + 1);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    d.check_everything();
    CHECK(d.mismatches == 0);
}

TEST_CASE("log_set: with few pages of M2, reads that fail, with and without their spare words")
{
    const std::uint32_t seed = GENERATE(1u, 2u);
    err_while_paging(deep(2, seed % 2), seed, 2500);
}

TEST_CASE("log_set: fewer than two pages of M2 are refused")
{
    ram_config config = by_hand(1);
    config.quiet = true;
    const ram_nand nand(config);
    CHECK(nand.panicked());
    CHECK_THAT(nand.error_text(), Catch::StartsWith("map "));
}

} // namespace ssdvp::test::log_set_upper_test
