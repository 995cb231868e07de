// SPDX-License-Identifier: Apache-2.0
//
// The SLC cache on the RAM drive, whose cells refuse an operation in another mode than its block's:
// what goes into it and past it by hand-counted examples, when it is folded, and data that last
// through everything else that happens to them, losses of power included.
#include <cmath>

#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/slc_policy.h"
#include "tests/firmware/cut_rounds.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::slc_cache_test {
namespace {

constexpr std::uint64_t idle_ns = 50'000'000;
constexpr std::uint32_t cached = 3;        // superblocks
constexpr std::uint64_t cached_units = 32; // of one: 4 LUNs x 2 planes x 2 pages x 2 units

/// 24 superblocks of 128 units and those of the cache, in blocks of 8 pages of TLC.
ram_config cache_drive(std::uint32_t policy, std::uint32_t superblocks = cached)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.geometry.blocks_per_plane += superblocks;
    p.slc.fixed = superblocks;
    p.slc.pages = 2;
    p.slc.policy = policy;
    p.slc.goal_permille = 1000;
    p.slc.low_permille = 500;
    p.slc.drain_permille = 500;
    p.slc.idle_ns = idle_ns;
    return c;
}

/// Units in order from `first` on, flushed.
void write_units(drive& d, std::uint64_t first, std::uint64_t count)
{
    for (std::uint64_t n = first; n < first + count; ++n) {
        while (!d.start_write(n * 8, 8)) {
            REQUIRE(d.pump());
        }
    }
    flush(d);
}

void rest(drive& d)
{
    d.nand.wait_until(d.nand.time_ns() + 2 * idle_ns);
}

const telemetry_slc& figures(const drive& d)
{
    return d.nand.counters().slc;
}

/// A drive whose free superblocks take turns in the cache; `fixed` more are in it for good.
ram_config dynamic_drive(std::uint32_t policy, std::uint32_t fixed = 0)
{
    ram_config c = cache_drive(policy, fixed);
    c.params.geometry.blocks_per_plane += 16;
    c.params.slc.dynamic = 100;
    return c;
}

} // namespace

TEST_CASE("SLC cache: what is written goes there until it is full, the rest passes it by")
{
    drive d(cache_drive(SLC_POLICY_IDLE));
    d.create_queues();
    CHECK(figures(d).superblocks == cached);
    CHECK(figures(d).free == cached);
    const std::uint64_t free = d.nand.counters().free_blocks;
    write_units(d, 0, cached * cached_units);
    CHECK(figures(d).hits == cached * cached_units);
    CHECK(figures(d).bypassed == 0);
    CHECK(figures(d).free == 0);
    write_units(d, cached * cached_units, 40);
    CHECK(figures(d).hits == cached * cached_units);
    CHECK(figures(d).bypassed == 40);
    CHECK(figures(d).folded == 0);
    CHECK(d.nand.counters().free_blocks == free - 1); // the host's first one outside
    d.check_everything();
    d.check_rules();
}

TEST_CASE("SLC cache: idle time folds it, several superblocks of it into one")
{
    drive d(cache_drive(SLC_POLICY_IDLE));
    d.create_queues();
    write_units(d, 0, cached * cached_units);
    const std::uint64_t free = d.nand.counters().free_blocks;
    d.nand.wait_until(d.nand.time_ns() + idle_ns / 2);
    CHECK(figures(d).folded == 0);
    rest(d);
    CHECK(figures(d).folded == cached * cached_units);
    CHECK(figures(d).folds == cached);
    CHECK(figures(d).free == cached);
    CHECK(d.nand.counters().free_blocks == free - 1); // 96 units of 128
    CHECK(d.nand.counters().pad_units == 0);
    CHECK(figures(d).erase_min == 1);
    CHECK(figures(d).erase_max == 1);
    CHECK(d.nand.counters().erase_max == 0);
    d.check_everything();
    write_units(d, 0, cached * cached_units); // there is room again
    CHECK(figures(d).hits == 2 * cached * cached_units);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("SLC cache: a drive that writes all the time is not idle, however short its commands are")
{
    drive d(cache_drive(SLC_POLICY_IDLE));
    d.create_queues();
    for (std::uint64_t n = 0; n < cached * cached_units; ++n) {
        REQUIRE(d.start_write(n * 8, 8));
        d.drain();
        d.nand.wait_until(d.nand.time_ns() + idle_ns / 4);
    }
    CHECK(d.nand.time_ns() > 10 * idle_ns);
    CHECK(figures(d).folded == 0);
    rest(d);
    CHECK(figures(d).folded > 0);
    d.check_everything();
}

TEST_CASE("SLC cache: the goal says how much of it idle time makes free")
{
    ram_config c = cache_drive(SLC_POLICY_IDLE, 4);
    c.params.slc.goal_permille = 500;
    drive d(c);
    d.create_queues();
    write_units(d, 0, 4 * cached_units);
    rest(d);
    CHECK(figures(d).free == 2);
    CHECK(figures(d).folded == 2 * cached_units);
}

TEST_CASE("SLC cache: what was overwritten or trimmed in it is not folded")
{
    drive d(cache_drive(SLC_POLICY_IDLE));
    d.create_queues();
    write_units(d, 0, 32);
    write_units(d, 0, 16);
    REQUIRE(d.start_trim({{16 * 8, 8 * 8}}));
    d.idle();
    rest(d);
    CHECK(figures(d).hits == 48);
    CHECK(figures(d).folded == 8); // 24 .. 31: the second superblock is still open
    d.check_everything();
    d.check_rules();
}

TEST_CASE("SLC cache: a watermark folds beside the writes, as much as they drain")
{
    static constexpr std::uint64_t written = 1500;
    const auto folded = [](std::uint32_t drain) {
        ram_config c = cache_drive(SLC_POLICY_WATERMARK, 6);
        c.params.slc.low_permille = 1000;
        c.params.slc.drain_permille = drain;
        drive d(c);
        d.create_queues();
        write_units(d, 0, written);
        d.check_everything();
        d.check_rules();
        CHECK(figures(d).hits + figures(d).bypassed == written);
        return figures(d).folded;
    };
    CHECK(folded(0) == 0);
    // The mark is all of it: from the first superblock that is full on each unit written drains so
    // much. What is folded comes in stripes, and two may be on their way. Twice as much waits now
    // and then until there is a superblock to be folded.
    const double from = written - cached_units;
    const auto quarter = static_cast<double>(folded(250));
    CHECK(quarter == Approx(0.25 * from).margin(2.0 * cached_units));
    const auto half = static_cast<double>(folded(500));
    CHECK(half > 1.3 * quarter);
    CHECK(half <= 0.5 * from + 2.0 * cached_units);
}

TEST_CASE("SLC cache: `full` lets data stay until there is no room, then makes some")
{
    drive d(cache_drive(SLC_POLICY_FULL, 4));
    d.create_queues();
    write_units(d, 0, 3 * cached_units);
    rest(d);
    CHECK(figures(d).folded == 0);
    write_units(d, 3 * cached_units, cached_units);
    rest(d);
    CHECK(figures(d).free == 2);
    CHECK(figures(d).folded == 2 * cached_units);
    d.check_everything();
}

TEST_CASE("SLC cache: `taper` takes a share that falls with what is free, by hand")
{
    // A superblock takes 8 write units of 4. With r of 8 left a write unit in it costs 8 - r of
    // what the cache is owed, one past it brings r: 0, -1, 6, 4, 1, -3, 1, -4, -1, 2, -4, -2, 0, -7
    // ... 0.
    ram_config c = cache_drive(SLC_POLICY_TAPER, 1);
    c.params.slc.taper_permille = 1000;
    drive d(c);
    d.create_queues();
    std::string ways;
    for (std::uint64_t n = 0; n < 25; ++n) {
        const std::uint64_t hits = figures(d).hits;
        write_units(d, 4 * n, 4);
        ways += figures(d).hits == hits + 4 ? 'C' : 'p';
    }
    CHECK(ways == "CpCCCpCppCppCpppppppCpppp");
    CHECK(figures(d).tapered == 4 * 13);
    CHECK(figures(d).bypassed == 4 * 17); // the last four: it is full
    rest(d);
    CHECK(figures(d).folded == 32);
    CHECK(figures(d).free == 1);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("SLC cache: `taper` takes everything above the mark")
{
    ram_config c = cache_drive(SLC_POLICY_TAPER);
    c.params.slc.taper_permille = 500;
    drive d(c);
    d.create_queues();
    write_units(d, 0, cached * cached_units / 2);
    CHECK(figures(d).hits == cached * cached_units / 2);
    CHECK(figures(d).bypassed == 0);
    write_units(d, cached * cached_units / 2, cached * cached_units / 2);
    CHECK(figures(d).tapered > 0);
    CHECK(figures(d).tapered == figures(d).bypassed);
    d.check_everything();
}

TEST_CASE("SLC cache: its superblocks take turns, and have no share in the others' wear")
{
    ram_config c = cache_drive(SLC_POLICY_IDLE);
    c.params.wear.static_delta = 2;
    c.params.geometry.blocks_per_plane += 2;
    c.params.slc.endurance = 100;
    drive d(c);
    d.create_queues();
    for (unsigned n = 0; n < 12; ++n) {
        write_units(d, 0, cached_units);
        rest(d);
    }
    CHECK(figures(d).erase_max >= 3);
    CHECK(figures(d).erase_max - figures(d).erase_min <= 1);
    CHECK(figures(d).used_percent == 100 * (figures(d).erase_max + figures(d).erase_min) / 200);
    CHECK(figures(d).used_percent > d.nand.counters().used_percent);
    CHECK(log_page(d, NVME_LOG_SMART, 512)[5] == figures(d).used_percent);
    CHECK(d.nand.counters().wear_units_moved == 0);
    d.check_everything();
}

TEST_CASE("SLC cache: data last through collection, trims, shutdowns and losses of power")
{
    for (const std::uint32_t policy : every_slc_policy) {
        INFO("policy " << policy);
        ram_config c = cache_drive(policy);
        c.params.slc.idle_ns = 3000; // now and then within the rounds too
        c.params.geometry.blocks_per_plane += 2;
        drive d(c);
        d.create_queues();
        fill(d);
        mixed_through_cuts(d);
        CHECK(d.nand.count(FLASH_PURPOSE_GC).programs > 0);
        CHECK(d.nand.count(FLASH_PURPOSE_FOLD).programs > 0);
        CHECK(d.nand.last_counters().slc.hits > 0);
        CHECK(d.nand.last_counters().slc.folded > 0);
    }
}

TEST_CASE("SLC cache: the dynamic part shrinks as the drive fills, down to nothing")
{
    drive d(dynamic_drive(SLC_POLICY_IDLE));
    d.create_queues();
    d.idle();
    const std::uint64_t all = d.sectors() / 8;
    std::uint64_t hits = 0;
    std::uint64_t first = 0;
    std::uint64_t room = UINT64_MAX; // records have yet to tell of what turned at the beginning
    for (unsigned part = 0; part < 4; ++part) {
        write_units(d, part * all / 4, all / 4);
        const std::uint64_t taken = figures(d).hits - hits;
        INFO("quarter " << part << ": " << taken << " of " << all / 4);
        CHECK(taken > 0);
        rest(d);
        INFO(figures(d).free << " free superblocks of " << room);
        CHECK(figures(d).free >= 1);
        CHECK(figures(d).free <= room);
        room = figures(d).free;
        first = part == 0 ? room : first;
        hits = figures(d).hits;
    }
    CHECK(room < first * 3 / 4);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("SLC cache: both parts together, and their data, through losses of power")
{
    for (const std::uint32_t policy : every_slc_policy) {
        for (const std::uint32_t fixed : {0u, cached}) {
            INFO("policy " << policy << ", " << fixed << " static");
            ram_config c = dynamic_drive(policy, fixed);
            c.params.slc.idle_ns = 3000;
            drive d(c);
            d.create_queues();
            fill(d, 0.4);
            CHECK(figures(d).hits > 0);
            const std::uint64_t turned = figures(d).superblocks;
            CHECK(turned > fixed);
            mixed_through_cuts(d); // it fills up
            CHECK(figures(d).superblocks < turned);
        }
    }
}

TEST_CASE("SLC cache: what is open of it leaves last, after a longer time")
{
    for (const std::uint64_t close : {std::uint64_t{0}, 4 * idle_ns}) {
        INFO("closed after " << close << " ns");
        ram_config c = cache_drive(SLC_POLICY_IDLE);
        c.params.slc.close_ns = close;
        drive d(c);
        d.create_queues();
        write_units(d, 0, cached_units + 8);
        const std::uint64_t since = d.nand.time_ns();
        rest(d);
        CHECK(figures(d).free == cached - 1);
        CHECK(figures(d).folded == cached_units);
        d.nand.wait_until(since + 4 * idle_ns - 1000);
        CHECK(figures(d).free == cached - 1);
        d.nand.wait_until(since + 5 * idle_ns);
        CHECK(figures(d).free == (close != 0 ? cached : cached - 1));
        CHECK(figures(d).folded == (close != 0 ? cached_units + 8 : cached_units));
        d.check_everything();
        write_units(d, 0, 3 * cached_units); // there is room for as much, whatever was closed
        CHECK(figures(d).bypassed == (close != 0 ? 0 : 8));
        d.check_everything();
        d.check_identities();
        d.check_rules();
    }
}

TEST_CASE("SLC cache: idle time folds it after a power-up as well, once the map is known")
{
    // Two segments of a map of 20 pages. The drive is idle long before all of it has been read.
    ram_config c = cache_drive(SLC_POLICY_IDLE);
    c.params.ftl.scheme =
        GENERATE(FTL_SCHEME_PAGE_MAP, FTL_SCHEME_DFTL, FTL_SCHEME_LOG_SET, FTL_SCHEME_VM_MAP);
    c.params.ftl.map_unit = 512;
    c.params.geometry.page_size = 1024;
    c.params.geometry.oob_size = 24;
    c.params.geometry.blocks_per_plane = 40;
    c.params.ftl.user_units = 20 * 128;
    c.params.map.cache = 16384;
    c.params.map.segments = 1;
    c.params.slc.idle_ns = 300;                            // less than reading the map takes
    const std::uint64_t written = GENERATE(20u, 1u) * 128; // the rest has no map pages
    const bool clean = GENERATE(true, false);
    INFO("scheme " << c.params.ftl.scheme << ", " << written << " units, clean " << clean);
    drive d(c);
    d.create_queues();
    write_all(d, 0, written, 8);
    shut_down(d);
    power_cycle(d);
    rest(d);
    CHECK(figures(d).free >= cached - 1);
    write_all(d, 0, cached * cached_units, 8);
    flush(d);
    if (clean) {
        shut_down(d);
    }
    d.nand.power_cut();
    d.forget();
    d.nand.power_on();
    rest(d); // nobody asks it for anything
    CHECK(figures(d).folds != 0);
    CHECK(figures(d).free >= cached - 1); // one may be open
    REQUIRE(d.nand.enable());
    d.create_queues();
    d.check_everything();
    d.check_rules();
}

TEST_CASE("SLC cache: folds are a purpose of their own")
{
    drive d(cache_drive(SLC_POLICY_IDLE));
    d.create_queues();
    write_units(d, 0, cached * cached_units);
    rest(d);
    const auto& fold = d.nand.count(FLASH_PURPOSE_FOLD);
    CHECK(fold.reads == cached * cached_units / 2);
    CHECK(fold.programs == cached * cached_units / 2);
    CHECK(fold.erases == cached * 8); // 4 LUNs x 2 planes
    CHECK(fold.copybacks == 0);
    CHECK(d.nand.count(FLASH_PURPOSE_GC).programs == 0);
}

namespace {

/// Units that a burst finds room for on a drive of which so many units were written, overwritten
/// twice, and left alone.
std::uint64_t burst(std::uint64_t units, std::uint32_t reclaim)
{
    ram_config c = dynamic_drive(SLC_POLICY_IDLE);
    c.params.slc.reclaim_permille = reclaim;
    drive d(c);
    d.create_queues();
    precondition(d, units, 3);
    for (unsigned n = 0; n < 20; ++n) {
        rest(d);
    }
    for (std::uint64_t n = 0; figures(d).bypassed == 0; n += 64) {
        write_units(d, n % (d.sectors() / 8 - 64), 64);
    }
    d.check_everything();
    d.check_rules();
    return figures(d).hits;
}

} // namespace

TEST_CASE("SLC cache: idle time makes room for the dynamic part of garbage")
{
    // A superblock of data takes 128 units, and one of the cache 32 of the burst.
    const std::uint64_t all = tiny_drive().params.ftl.user_units / 64 * 64;
    const std::uint64_t empty = burst(0, 100);
    for (const std::uint64_t units : {all / 128 * 64, all * 9 / 640 * 64}) {
        const std::uint64_t grown = burst(units, 100);
        const std::uint64_t taken = (units + 127) / 128 * 32;
        INFO(units << " units: " << grown << " of " << empty - taken << ", empty " << empty);
        CHECK(grown + 3 * cached_units >= empty - taken - taken / 9); // a tenth may be garbage
        CHECK(grown <= empty - taken + cached_units);
        CHECK(burst(units, 1000) + 2 * cached_units < grown); // without it
    }
}

TEST_CASE("SLC cache: folds by copyback stay inside their LUN")
{
    for (const std::uint32_t bits : {0u, 10u}) { // the page comes out to be checked, or not
        INFO("wrong bits that a copy may carry: " << bits);
        ram_config c = cache_drive(SLC_POLICY_IDLE);
        c.params.slc.copyback = 1;
        c.params.gc.copyback_bits = bits;
        drive d(c);
        d.create_queues();
        write_units(d, 0, cached * cached_units);
        rest(d);
        CHECK(figures(d).folded == cached * cached_units);
        CHECK(figures(d).free == cached);
        CHECK(d.nand.count(FLASH_PURPOSE_FOLD).copybacks == cached * cached_units / 2);
        CHECK(d.nand.count(FLASH_PURPOSE_GC).copybacks == 0);
        d.check_everything();
        d.check_identities();
        d.check_rules();
    }
}

TEST_CASE("SLC cache: what copyback cannot fold goes through the controller, also through cuts")
{
    ram_config c = cache_drive(SLC_POLICY_WATERMARK);
    c.params.slc.copyback = 1;
    c.params.slc.idle_ns = 3000;
    c.params.slc.close_ns = 9000;
    c.params.geometry.blocks_per_plane += 2;
    drive d(c);
    d.create_queues();
    fill(d);
    mixed_through_cuts(d);
    const auto& fold = d.nand.count(FLASH_PURPOSE_FOLD);
    CHECK(fold.copybacks > 0);
    CHECK(fold.programs > fold.copybacks);
}

TEST_CASE("SLC cache: superblocks of it whose blocks all fail leave it")
{
    // While programs of the last block fail, others of the cache are erased and counted.
    ram_config c = cache_drive(SLC_POLICY_WATERMARK, 6);
    c.params.slc.low_permille = 1000;
    c.params.slc.drain_permille = 2000;
    c.params.slc.idle_ns = 3000;
    c.params.geometry.blocks_per_plane += 4;
    c.weak_page = 1;
    for (std::uint32_t n = 0; n < 8; ++n) { // 2 channels, 2 LUNs, 2 planes
        for (const std::uint32_t block : {1u, 2u, 4u}) {
            c.weak.insert({n & 1, (n >> 1) & 1, n >> 2, block});
        }
    }
    drive d(c);
    d.create_queues();
    for (std::uint64_t round = 0; round < 40; ++round) {
        mixed(d, 100, round);
        CHECK(figures(d).free <= figures(d).superblocks);
    }
    CHECK(figures(d).superblocks == 3);
    CHECK(d.nand.failed_blocks() == 24);
    d.check_everything();
}

TEST_CASE("SLC cache: a drive that had another one is refused")
{
    const ram_config c = cache_drive(SLC_POLICY_IDLE);
    drive d(c);
    d.create_queues();
    write_units(d, 0, 8);
    shut_down(d);
    const ram_image cells = d.nand.image();
    for (const std::uint32_t superblocks : {cached, cached - 1}) {
        ram_config other = c;
        other.params.slc.fixed = superblocks;
        other.quiet = true;
        ram_nand again(other);
        again.power_cut();
        again.insert(cells);
        again.power_on();
        again.settle();
        CHECK(again.panicked() == (superblocks != cached));
    }
}

} // namespace ssdvp::test::slc_cache_test
