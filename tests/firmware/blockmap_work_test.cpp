// SPDX-License-Identifier: Apache-2.0
//
// Block and hybrid mapping under work: random commands against a shadow copy with merges all the
// time, trims, bad blocks, operations that fail, losses of power.
#include <set>

#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/fast_merge.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/page_order.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/blockmap_bench.h"
#include "tests/firmware/cut_rounds.h"

namespace ssdvp::test::blockmap_work_test {
namespace {

ftl_scheme_id any_scheme()
{
    return GENERATE(from_range(std::begin(placed_schemes), std::end(placed_schemes)));
}

/// Single units, an eighth of them read; a small buffer, so that most writes reach the flash.
void random_work(ftl_scheme_id scheme, std::uint64_t count)
{
    ram_config c = whole_of(scheme);
    c.params.cache.capacity = 8ull * c.params.ftl.map_unit;
    CAPTURE(c.params.ftl.scheme);
    drive d(c);
    d.create_queues();
    fill(d);
    const std::uint32_t sectors = c.params.ftl.map_unit / 512;
    std::mt19937_64 random(5);
    for (std::uint64_t n = 0; n < count; ++n) {
        const std::uint64_t unit = random() % c.params.ftl.user_units;
        const auto start = [&] {
            return n % 8 == 0 ? d.start_read(unit * sectors, sectors)
                              : d.start_write(unit * sectors, sectors);
        };
        while (!start()) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    d.start_flush();
    d.idle();
    all_right(d);
    CHECK(d.mismatches == 0);
    CHECK(d.nand.host_reads_behind_max <= 1); // of a merge one operation is ahead, no more
    (void)cost_of(d);
    const telemetry& t = d.nand.counters();
    CHECK(t.merges_full + t.merges_partial + t.merges_switch > count / 20);
}

void mixed_work(ram_config c)
{
    c.params.cache.policy = GENERATE(CACHE_POLICY_WO_LRU, CACHE_POLICY_NONE, CACHE_POLICY_RW_LRU);
    c.params.wear.static_delta = 3;
    c.params.map.checkpoint_units = 256;
    CAPTURE(c.params.ftl.scheme, c.params.cache.policy);
    drive d(c);
    d.create_queues();
    fill(d);
    all_right(d);
    mixed_through_cuts(d);
}

} // namespace

TEST_CASE("blockmap: mixed commands keep data, through cuts and shutdowns")
{
    mixed_work(whole_of(any_scheme()));
}

TEST_CASE("blockmap: the same with partial merges that collect what is newer")
{
    ram_config c = whole_of(FTL_SCHEME_FAST);
    c.params.map.placed.partial_merge = FAST_MERGE_COLLECTING;
    mixed_work(c);
}

TEST_CASE("blockmap: random writes and reads against a shadow copy, with merges all the time")
{
    random_work(any_scheme(), 30'000);
}

/// Not in a run of all tests: minutes.
TEST_CASE("blockmap: ten million random writes of each scheme", "[.long]")
{
    random_work(any_scheme(), 10'000'000);
}

TEST_CASE("blockmap: what is trimmed reads as zeroes, and a block of nothing is free")
{
    ram_config c = by_hand_of(any_scheme());
    const std::uint64_t units =
        c.params.geometry.pages_per_block - c.params.map.placed.spare_pages; // of a logical block
    CAPTURE(c.params.ftl.scheme);
    drive d(c);
    d.create_queues();
    write_units(d, up_to(2 * units - 1, {1, 1}));
    d.start_trim({{1, 1}});
    d.idle();
    CHECK(d.nand.counters().mapped == 2 * units - 1);
    all_right(d);
    d.start_trim({{units, static_cast<std::uint32_t>(units)}});
    d.idle();
    CHECK(d.nand.counters().mapped == units - 1);
    all_right(d);
    d.start_flush();
    d.idle();
    power_cycle(d);
    d.check_everything();
    CHECK(d.nand.counters().mapped == units - 1);
    write_units(d, {1, units});
    power_cycle(d);
    d.check_everything();
    CHECK(d.nand.counters().mapped == units + 1);
}

TEST_CASE("blockmap: a drive that was filled before it served")
{
    ram_config c = whole_of(any_scheme());
    c.params.map.placed.log_info = 1; // bast leaves garbage that merges wait for
    CAPTURE(c.params.ftl.scheme);
    drive d(c);
    std::vector<std::uint64_t> units;
    std::vector<std::uint64_t> tags;
    const std::uint32_t sectors = c.params.ftl.map_unit / 512;
    std::mt19937_64 random(9);
    const auto put = [&](std::uint64_t unit) {
        units.push_back(unit);
        for (std::uint32_t k = 0; k < sectors; ++k) {
            tags.push_back(d.copy.tag(unit * sectors + k));
            d.copy.begin_write(unit * sectors + k, tags.back());
            d.copy.end_write(unit * sectors + k);
        }
        if (units.size() == ram_nand::batch) {
            REQUIRE(d.nand.precondition(units, tags) == 0);
            units.clear();
            tags.clear();
        }
    };
    for (std::uint64_t unit = 0; unit < c.params.ftl.user_units; ++unit) {
        put(unit);
    }
    for (int n = 0; n < 1200; ++n) {
        put(random() % c.params.ftl.user_units);
    }
    REQUIRE(d.nand.precondition(units, tags) == 0);
    REQUIRE(d.nand.precondition_end() == 0);
    d.create_queues();
    d.check_everything();
    CHECK(d.nand.counters().mapped == c.params.ftl.user_units);
    mixed(d, 500, 1);
    d.start_flush();
    d.idle();
    power_cycle(d);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("blockmap: programs and erases that fail end in a drive that is read only")
{
    const std::uint64_t seed = GENERATE(1ull, 2ull, 3ull);
    ram_config c = whole_of(any_scheme());
    CAPTURE(c.params.ftl.scheme, seed);
    c.params.geometry.blocks_per_plane = 120;
    c.params.map.log_blocks = c.params.map.log_blocks != 0 ? 4 : 0;
    fail_until_read_only(c, seed, 150, 40, all_right);
}

TEST_CASE("blockmap: blocks that are bad from the factory are not used")
{
    ram_config c = whole_of(any_scheme());
    CAPTURE(c.params.ftl.scheme);
    for (std::uint32_t block = 3; block < 12; block += 4) {
        c.factory_bad.insert({block % 2, 0, block % 2, block});
    }
    drive d(c);
    d.create_queues();
    fill(d);
    mixed(d, 1500, 4);
    all_right(d);
}

TEST_CASE("blockmap: pages that cannot be read while they are merged are lost, no others")
{
    ram_config c = whole_of(any_scheme());
    CAPTURE(c.params.ftl.scheme);
    c.params.flash.retry_levels = 1;
    std::mt19937_64 fate(3);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [&fate](const nand_place&, const flash_desc& desc) {
        return ram_config::read_result{desc.purpose == FLASH_PURPOSE_MERGE && fate() % 20 == 0, 0,
                                       false};
    };
    x.armed = true;
    overwrite(d, 2500, 3);
    x.armed = false;
    CHECK(d.nand.counters().units_lost > 0);
    d.start_flush();
    d.idle();
    all_right(d);
    const std::uint64_t lost = d.nand.counters().lost_units;
    power_cycle(d);
    CHECK(d.nand.counters().lost_units == lost);
    d.check_everything();
}

TEST_CASE("blockmap: a clean shutdown leaves nothing to be scanned")
{
    ram_config c = whole_of(any_scheme());
    CAPTURE(c.params.ftl.scheme);
    drive d(c);
    d.create_queues();
    fill(d);
    mixed(d, 300, 1);
    shut_down(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    const std::uint64_t clean = d.nand.counters().recovery_pages;
    d.check_everything();
    write_units(d, {0});
    flush(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    CHECK(clean < 64); // the anchor's
    CHECK(d.nand.counters().recovery_pages > clean);
    d.check_everything();
}

TEST_CASE("blockmap: parts that take pages in order only, and other superblocks, are refused")
{
    ram_config c = by_hand_of(any_scheme());
    const int what = GENERATE(0, 1, 2);
    CAPTURE(c.params.ftl.scheme, what);
    c.quiet = true;
    switch (what) {
    case 0:
        c.params.map.placed.page_order = PAGE_ORDER_SEQUENTIAL;
        break;
    case 1:
        c.params.ftl.stripe = STRIPE_DRIVE;
        c.params.geometry.planes = 2;
        break;
    default:
        c.params.geometry.page_size = 1024;
        c.params.geometry.oob_size = 32;
        break;
    }
    const ram_nand nand(c);
    const bool does = what == 0 && c.params.ftl.scheme == FTL_SCHEME_SUPERBLOCK; // in order
    CHECK(nand.panicked() != does);
    CHECK_THAT(nand.error_text(), Catch::StartsWith(does ? "" : "map "));
}

} // namespace ssdvp::test::blockmap_work_test
