// SPDX-License-Identifier: Apache-2.0
//
// Collection after a power-up: it does not wait until the whole map has been read.
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::tell_test {
namespace {

constexpr std::uint64_t unit = 512;

/// 512 superblocks of 512 units, a map of 1600 pages with 128 entries each: four of them tell of
/// what was written into a superblock one unit after the other. Free superblocks are kept at one
/// number.
ram_config large_map(std::uint32_t scheme)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.dram_size = 64u << 20;
    p.ftl.scheme = scheme;
    p.ftl.map_unit = unit;
    p.geometry.page_size = 1024;
    p.geometry.oob_size = 24;
    p.geometry.pages_per_block = 32;
    p.geometry.blocks_per_plane = 512;
    p.ftl.user_units = 400 * 512;
    p.map.checkpoint_units = 4 * 512 * 512;
    p.cache.capacity = 64 * unit;
    p.map.cache = 64 * unit;
    p.map.segments = 8;
    c.impatient = true;
    p.gc.low_permille = p.gc.high_permille = 60;
    return c;
}

/// A quarter of the spare superblocks, of which the anchor takes some.
constexpr std::uint64_t low_mark = (512 - 400) / 4 - 1;

std::uint64_t map_pages(const drive& d)
{
    return d.nand.config.params.ftl.user_units / (unit / 4);
}

/// Writes so many runs of 8 units from `from` on, but for every `keep`-th, 0 = all of them: what
/// was there is garbage.
std::uint64_t write_runs(drive& d, std::uint64_t from, std::uint64_t runs, std::uint64_t keep)
{
    for (std::uint64_t n = 0; n < runs; ++n, from += 8) {
        const bool kept = keep != 0 && from / 8 % keep == 0;
        while (!kept && !d.start_write(from % d.sectors(), 8)) {
            REQUIRE(d.pump());
        }
    }
    return from;
}

struct since_power {
    std::uint64_t map_reads = 0;
    std::uint64_t asks = 0; // reads of spare words, after boot
    std::uint64_t time_ns = 0;
};

since_power now(const drive& d)
{
    return {d.nand.count(FLASH_PURPOSE_MAP).reads, d.nand.count(FLASH_PURPOSE_RECOVERY).reads,
            d.nand.time_ns()};
}

/// All of it written in order, half of it once more; then the power goes, after a shutdown or not.
/// Then it is written as fast as the drive takes it, until a superblock has been collected.
since_power first_victim(drive& d, bool clean, std::uint64_t keep)
{
    d.create_queues();
    fill(d);
    std::uint64_t from = write_runs(d, 0, d.sectors() / 16, keep);
    REQUIRE(d.nand.counters().gc_runs > 10);
    while (d.nand.counters().free_blocks >= low_mark) {
        from = write_runs(d, from, 1, keep);
    }
    d.drain();
    if (clean) {
        shut_down(d);
    } else {
        REQUIRE(d.start_flush());
        d.drain();
    }
    const std::uint64_t map_reads = now(d).map_reads;
    power_cycle(d);
    const std::uint64_t asks = now(d).asks;
    REQUIRE(d.nand.counters().recovery_kind == (clean ? 1 : 2));
    while (d.nand.counters().gc_runs == 0) {
        from = write_runs(d, from, 1, keep);
        (void)d.pump();
    }
    return {now(d).map_reads - map_reads, now(d).asks - asks, now(d).time_ns};
}

void check_all(drive& d)
{
    d.drain();
    d.start_flush();
    d.idle();
    d.check_everything();
    d.check_rules();
    CHECK(d.nand.counters().valid == d.nand.counters().mapped);
    CHECK(d.mismatches == 0);
}

std::uint32_t any_scheme()
{
    return GENERATE(FTL_SCHEME_PAGE_MAP, FTL_SCHEME_DFTL, FTL_SCHEME_LOG_SET, FTL_SCHEME_VM_MAP);
}

/// Map pages come in for the host and leave again, so that there may be more reads than pages.
bool reads_for_host(std::uint32_t scheme)
{
    return scheme == FTL_SCHEME_DFTL || scheme == FTL_SCHEME_LOG_SET;
}

} // namespace

TEST_CASE("tell: after a clean shutdown collection begins before half of the map has been read")
{
    const std::uint32_t scheme = any_scheme();
    drive d(large_map(scheme));
    const since_power v = first_victim(d, true, 8);
    INFO("first victim after " << v.time_ns << " ns");
    CHECK(v.map_reads < map_pages(d) / 2);
    // Their first victim may need no question: map pages that were replaced, a count of 0, or units
    // that pages for the host have told of.
    CHECK((v.asks != 0 || reads_for_host(scheme)));
    check_all(d);
}

TEST_CASE("tell: what holds nothing after a clean shutdown is erased without a read")
{
    const std::uint32_t scheme = any_scheme();
    drive d(large_map(scheme));
    const since_power v = first_victim(d, true, 0);
    INFO("first victim after " << v.time_ns << " ns");
    CHECK((reads_for_host(scheme) || v.map_reads < map_pages(d) / 4));
    CHECK(v.asks == 0);
    check_all(d);
}

TEST_CASE("tell: after a loss of power every page of a victim is asked about")
{
    const std::uint32_t scheme = any_scheme();
    ram_config c = large_map(scheme);
    c.params.map.checkpoint_units = 16 * 512;
    drive d(c);
    const since_power v = first_victim(d, false, 8);
    INFO("first victim after " << v.time_ns << " ns");
    CHECK((reads_for_host(scheme) || v.map_reads < map_pages(d) / 2));
    CHECK(v.asks >= 512 / 2 - 8); // all but a few pages
    check_all(d);
}

TEST_CASE(
    "tell: where spare words cannot be read a guess waits for the whole map, a count does not lie")
{
    const bool clean = GENERATE(false, true);
    ram_config c = large_map(FTL_SCHEME_PAGE_MAP);
    c.params.map.checkpoint_units = 16 * 512;
    const drive* power = nullptr;
    c.on_read = [&power](const nand_place&, const flash_desc& d) {
        const bool boots = power == nullptr || power->nand.counters().ready == 0;
        return ram_config::read_result{!boots && d.purpose == FLASH_PURPOSE_RECOVERY, 0, true};
    };
    drive d(c);
    power = &d;
    const since_power v = first_victim(d, clean, 8);
    CHECK(v.asks != 0);
    CHECK((clean || v.map_reads >= map_pages(d) / 2)); // two of them in a flash page
    power = nullptr;
    check_all(d);
}

TEST_CASE("tell: the record of a clean shutdown counts what lives in each superblock")
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2;
    c.params.map.checkpoint_units = 512;
    drive d(c);
    d.create_queues();
    fill(d);
    overwrite(d, 3000, 5);
    REQUIRE(d.start_trim({{8, 64}}));
    d.drain();
    shut_down(d);
    const flash_reader flash(d.nand);
    std::map<std::uint64_t, std::uint64_t> live;
    const unsigned row_shift = 1 + 1 + 2; // slots, planes, LUNs
    for (const kind what : {kind::data, kind::map}) {
        for (const auto& u : flash.newest(what)) {
            const bool trimmed = what == kind::data && u.first >= 1 && u.first < 9;
            live[(u.second.address >> row_shift) / c.params.geometry.pages_per_block] +=
                trimmed ? 0 : 1;
        }
    }
    const std::vector<found_page> record = flash.record(flash.newest_record(), false);
    std::uint64_t sum = 0;
    for (std::uint64_t b = 0; b < c.params.geometry.blocks_per_plane; ++b) {
        const std::uint64_t count = number_at(record.front().bytes, 8 * b + 4, 4) >> 6;
        CHECK(count == live[b]);
        sum += count;
    }
    CHECK(sum == d.nand.counters().mapped + d.nand.counters().map_units);
}

} // namespace ssdvp::test::tell_test
