// SPDX-License-Identifier: Apache-2.0
//
// log_set: examples worked out by hand, and invariants (docs/ftl/log_set.md). A map page of the
// examples has 4 entries; here it has 128, so page p of their map, logical pages 4p to 4p + 3, are
// units 128p to 128p + 3: the stack is the same one, 4 pages of M1 and one of M2.
#include "models/regs/choices/map_policy.h"
extern "C" {
#include "firmware/map/schemes.h"
}
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/map_bench.h"
#include "tests/firmware/mapped_part.h"

namespace ssdvp::test::log_set_test {
namespace {

constexpr std::uint64_t map_page = 512;

/// The oracle's drive, `pages` of M1 in the buffer.
ram_config oracle(std::uint64_t pages, std::uint32_t policy = MAP_POLICY_LRU)
{
    ram_config c = map_by_hand(FTL_SCHEME_LOG_SET, pages * map_page);
    c.params.map.policy = policy;
    c.params.ftl.user_units = 4 * per_page;
    return c;
}

/// The unit that the oracle calls `lpn`.
std::uint64_t unit_of(std::uint64_t lpn)
{
    return lpn / 4 * per_page + lpn % 4;
}

void write_lpns(drive& d, const std::vector<std::uint64_t>& lpns)
{
    std::vector<std::uint64_t> units;
    units.reserve(lpns.size());
    for (const std::uint64_t lpn : lpns) {
        units.push_back(unit_of(lpn));
    }
    write_units(d, units);
}

/// Garbage of D and of M1, as L counts it: what was written less what is valid.
std::uint64_t d_invalid(const drive& d)
{
    return d.nand.counters().host_units_written - d.nand.counters().mapped;
}

std::uint64_t m_invalid(const drive& d)
{
    return d.nand.counters().map_units_written - d.nand.counters().map_units;
}

ram_config buffered(std::uint64_t pages)
{
    return many_map_pages(FTL_SCHEME_LOG_SET, pages * map_page);
}

std::uint32_t stack_of(std::uint64_t capacity, std::uint32_t page_shift)
{
    geometry geo{};
    geo.luns = geo.page_units = 1;
    geo.blocks = static_cast<std::uint32_t>((capacity >> page_shift) / 64) * 9 / 8;
    geo.pages = 64;
    geo.user_units = capacity >> page_shift;
    geo.unit_shift = page_shift;
    const mapped_part p(geo);
    CHECK(p.levels.wide == 0);
    return p.levels.levels;
}

} // namespace

TEST_CASE("log_set: 16 GiB need 3, 3 and 2 M-logs with pages of 2, 4 and 8 KiB")
{
    constexpr std::uint64_t GiB = 1ull << 30;
    CHECK(stack_of(16 * GiB, 11) == 3);
    CHECK(stack_of(16 * GiB, 12) == 3);
    CHECK(stack_of(16 * GiB, 13) == 2);
}

TEST_CASE("log_set: oracle A, 16 first writes in order append 3 pages to M1 and read none")
{
    drive d(oracle(1));
    d.create_queues();
    write_lpns(d, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    CHECK(costs_of(d) == costs{16, 3, 0, 12, 4, 3});
    CHECK(d_invalid(d) == 0);
    CHECK(m_invalid(d) == 0);
}

TEST_CASE("log_set: oracle A, what is not in the buffer costs D 1 W, M1 1 R and 1 W")
{
    drive d(oracle(1));
    d.create_queues();
    write_lpns(d, {0, 4, 8, 12});
    const costs before = costs_of(d);
    CHECK(before == costs{4, 3, 0, 0, 4, 3}); // no old copy, no read
    write_lpns(d, {0, 4, 8, 12, 0, 4});
    CHECK(costs_of(d) == costs{10, 9, 6, 0, 10, 9});
}

TEST_CASE("log_set: oracle B, writes 0, 4, 0, 4 with one page of buffer")
{
    drive d(oracle(1));
    d.create_queues();
    write_lpns(d, {0, 4, 0, 4});
    CHECK(costs_of(d) == costs{4, 3, 2, 0, 4, 3});
    CHECK(d_invalid(d) == 2);
    CHECK(m_invalid(d) == 1);
}

TEST_CASE("log_set: with all pages in the buffer M1 is neither read nor written")
{
    drive d(oracle(4));
    d.create_queues();
    write_lpns(d, {0, 4, 8, 12, 0, 4, 8, 12});
    CHECK(costs_of(d) == costs{8, 0, 0, 4, 4, 0});
}

TEST_CASE("log_set: lru keeps what was used, fifo what came last")
{
    drive lru(oracle(2));
    lru.create_queues();
    write_lpns(lru, {0, 4, 0, 8, 0}); // 8 takes the place of 4
    CHECK(costs_of(lru) == costs{5, 1, 0, 2, 3, 1});
    drive fifo(oracle(2, MAP_POLICY_FIFO));
    fifo.create_queues();
    write_lpns(fifo, {0, 4, 0, 8, 0}); // ... of 0, which comes back in the place of 4
    CHECK(costs_of(fifo) == costs{5, 2, 1, 1, 4, 2});
}

TEST_CASE("log_set: a read that misses costs one map read, and one append if what leaves is dirty")
{
    drive d(oracle(1));
    d.create_queues();
    write_lpns(d, {0, 4, 8});
    const costs before = costs_of(d);
    read_units(d, {unit_of(0)});
    CHECK(costs_of(d) == costs{3, before.map_w + 1, before.map_r + 1, 0, 4, 3});
    read_units(d, {unit_of(4), unit_of(0), unit_of(1)});
    CHECK(costs_of(d) == costs{3, before.map_w + 1, before.map_r + 3, 1, 6, 5});
}

TEST_CASE("log_set: an entry points to a page that says so, valid pages are live pages")
{
    ram_config c = buffered(4);
    c.params.host.data_mode = 2;
    drive d(c);
    d.create_queues();
    fill(d);
    scatter(d, 1, 3000);
    shut_down(d);
    const map_on_flash m = walk(d.nand, 4); // each entry against the spare words
    CHECK(m.levels == 2);
    CHECK(m.mapped == c.params.ftl.user_units);
    CHECK(d.nand.counters().mapped == m.mapped);
    CHECK(d.nand.counters().valid == m.mapped);
    CHECK(d.nand.counters().map_units == (c.params.ftl.user_units + per_page - 1) / per_page + 1);
    CHECK(d.nand.counters().map_evictions > 100);
}

TEST_CASE("log_set: L's counter of a superblock is its pages less the valid ones")
{
    geometry geo{};
    geo.luns = 2;
    geo.page_units = 2;
    geo.unit_bits = 1;
    geo.blocks = 16;
    geo.pages = 8;
    geo.user_units = 300;
    geo.unit_shift = 9;
    mapped_part p(geo);
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> where(geo.user_units, FTL_NONE);
    std::set<std::uint64_t> taken;
    for (int n = 0; n < 5000; ++n) {
        const std::uint64_t unit = random() % geo.user_units;
        std::uint64_t to = random() % p.addresses();
        while (taken.count(to) != 0) {
            to = random() % p.addresses();
        }
        to = n % 7 == 0 ? FTL_NONE : to;
        REQUIRE(ftl_page_map.pin(&p.e, unit) == 1);
        log_appended(&p.e, LOG_D, unit, where[unit], to);
        taken.erase(where[unit]);
        where[unit] = to;
        if (to != FTL_NONE) {
            taken.insert(to);
        }
        CHECK(log_read(&p.e, LOG_D, unit) == to);
    }
    std::vector<std::uint32_t> live(geo.blocks);
    for (const std::uint64_t at : taken) {
        ++live[address_block(&p.geo, at)];
    }
    for (std::uint32_t b = 0; b < geo.blocks; ++b) {
        CHECK(superblock_of(&p.e, &p.table, b)->valid == live[b]);
    }
    CHECK(p.counters.mapped == taken.size());
}

TEST_CASE("log_set: each log of maps has superblocks of its own, or all share them")
{
    std::uint32_t free_shared = 0;
    for (const std::uint32_t apart : {0u, 1u}) {
        ram_config c = oracle(4);
        c.params.map.apart = apart;
        c.params.host.data_mode = 2;
        drive d(c);
        d.create_queues();
        write_lpns(d, {0, 4, 8, 12});
        shut_down(d);
        CHECK(costs_of(d) == costs{4, 5, 0, 0, 4, 0}); // a checkpoint: 4 pages of M1, then the top
        std::map<std::uint64_t, std::uint32_t> at;     // of each level, the block of its pages
        for (const found_page& page : flash_reader(d.nand).pages) {
            if (page.what(0) == kind::map) {
                at[page.index(0) >> 32] = page.at.block;
            }
        }
        CHECK(at.size() == 2);
        CHECK((at.at(1) == at.at(2)) == (apart == 0));
        const auto free = static_cast<std::uint32_t>(d.nand.counters().free_blocks);
        CHECK((apart == 0 || free + 1 == free_shared)); // one more is open
        free_shared = free;
    }
}

TEST_CASE("log_set: superblocks of a log of maps hold nothing else, through cuts and collection")
{
    for (const std::uint32_t apart : {0u, 1u}) {
        ram_config c = buffered(4);
        c.params.map.apart = apart;
        c.params.geometry.blocks_per_plane += 4;
        c.params.map.checkpoint_units = 1;
        c.params.host.data_mode = 2;
        drive d(c);
        d.create_queues();
        fill(d);
        std::map<std::uint32_t, std::set<std::uint64_t>> logs; // of each superblock; 0 = D
        for (std::uint64_t seed = 1; seed < 6; ++seed) {
            scatter(d, seed, 700);
            for (const found_page& page : flash_reader(d.nand).pages) {
                for (std::size_t s = 0; s < page.words.size(); ++s) {
                    if (page.what(s) == kind::data || page.what(s) == kind::map) {
                        logs[page.at.block].insert(page.what(s) == kind::map ? page.index(s) >> 32
                                                                             : 0);
                    }
                }
            }
            const auto mixed_ones = std::count_if(
                logs.begin(), logs.end(), [](const auto& of) { return of.second.size() != 1; });
            INFO(mixed_ones << " of " << logs.size() << " superblocks");
            CHECK((mixed_ones == 0) == (apart != 0));
            CHECK(std::any_of(logs.begin(), logs.end(),
                              [](const auto& of) { return of.second.count(2) != 0; }));
            logs.clear();
            flush(d);
            power_cycle(d);
            CHECK(d.nand.counters().recovery_kind == 2);
            d.check_everything();
        }
        CHECK(d.mismatches == 0);
        d.check_rules();
    }
}

TEST_CASE("log_set: mixed commands keep data, and a larger buffer needs fewer map reads and writes")
{
    std::uint64_t reads = UINT64_MAX;
    std::uint64_t programs = UINT64_MAX;
    for (const std::uint64_t pages : {4u, 6u, 10u, 40u}) {
        ram_config c = buffered(pages);
        c.params.wear.static_delta = pages == 6 ? 2 : 0;
        const auto now = map_traffic(c);
        INFO(pages << " pages: " << now.reads << " map reads, " << now.programs << " programs");
        CHECK(now.reads < reads);
        CHECK(now.programs < programs);
        reads = now.reads;
        programs = now.programs;
    }
}

TEST_CASE("log_set: what has more garbage than the threshold is collected before space is low")
{
    const std::uint32_t policy = GENERATE(0u, 1u); // greedy, cost_benefit
    std::uint64_t free_before = 0;
    std::uint64_t runs_before = 0;
    for (const std::uint32_t permille : {0u, 700u, 300u}) {
        ram_config c = buffered(8);
        c.params.geometry.blocks_per_plane = 64; // a third of them are the user's
        c.params.gc.policy = policy;
        c.params.gc.low_permille = c.params.gc.high_permille = 1;
        c.params.gc.invalid_permille = permille;
        drive d(c);
        d.create_queues();
        fill(d);
        scatter(d, 3, 2500);
        d.start_flush();
        d.idle();
        all_right(d);
        const telemetry& t = d.nand.counters();
        INFO(permille << " thousandths: free " << t.free_blocks << ", runs " << t.gc_runs);
        CHECK((permille == 0 || t.free_blocks > free_before));
        CHECK((permille == 0 || t.gc_runs > runs_before));
        free_before = t.free_blocks;
        runs_before = t.gc_runs;
    }
}

TEST_CASE("log_set: reads that fail, with and without their spare words")
{
    const std::uint32_t seed = GENERATE(1u, 2u, 3u);
    err_while_paging(buffered(4), seed, 5000);
}

TEST_CASE("log_set: programs and erases that fail end in a drive that is read only")
{
    const std::uint64_t seed = GENERATE(1ull, 2ull, 3ull, 4ull);
    ram_config c = tiny_drive();
    c.params.ftl.scheme = FTL_SCHEME_LOG_SET;
    c.params.map.cache = 4 * 4096;
    c.params.geometry.blocks_per_plane += 8;
    fail_until_read_only(c, seed, 150, 40, all_right);
}

TEST_CASE("log_set: a buffer of fewer pages than a write unit has units is refused")
{
    ram_config c = buffered(1);
    c.quiet = true;
    const ram_nand nand(c);
    CHECK(nand.panicked());
    CHECK_THAT(nand.error_text(), Catch::StartsWith("map "));
}

} // namespace ssdvp::test::log_set_test
