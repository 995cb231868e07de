// SPDX-License-Identifier: Apache-2.0
//
// superblock at work: random writes against a shadow copy with collections all the time, trims,
// operations that fail, reads that err; what more update blocks and wider superblocks save.
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/blockmap_bench.h"

namespace ssdvp::test::superblock_work_test {
namespace {

ram_config small_pool()
{
    ram_config c = whole_of(FTL_SCHEME_SUPERBLOCK);
    c.params.map.placed.update_blocks = 1;
    c.params.map.log_blocks = 2;
    return c;
}

/// Random writes of a page each, all of them on the flash in the end; one in two to a tenth of the
/// units.
cost scattered(const ram_config& c, std::uint64_t count)
{
    drive d(c);
    d.create_queues();
    fill(d);
    const cost before = cost_of(d);
    const std::uint32_t sectors = c.params.ftl.map_unit / 512;
    std::mt19937_64 random(5);
    for (std::uint64_t n = 0; n < count; ++n) {
        const std::uint64_t hot = c.params.ftl.user_units / 10;
        const std::uint64_t unit = random() % (n % 2 == 0 ? hot : c.params.ftl.user_units);
        while (!d.start_write(unit * sectors, sectors)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    d.start_flush();
    d.idle();
    all_right(d);
    const cost after = cost_of(d);
    return {after.r - before.r, after.w - before.w, after.e - before.e};
}

} // namespace

TEST_CASE("superblock: 100,000 sectors written at random with the least of update blocks")
{
    ram_config c = small_pool();
    const cost all = scattered(c, 100000 / (c.params.ftl.map_unit / 512));
    CHECK(all.r > 0);
    c.params.geometry.page_size /= 2; // other pages, another seed for what races
    c.params.ftl.map_unit = c.params.geometry.page_size;
    CHECK(scattered(c, 100000 / (c.params.ftl.map_unit / 512)).w > all.w);
}

TEST_CASE("superblock: more update blocks save copies")
{
    ram_config c = small_pool();
    const cost least = scattered(c, 4000);
    c.params.map.log_blocks = 12;
    const cost most = scattered(c, 4000);
    CHECK(most.r < least.r);
    CHECK(most.e < least.e);
}

TEST_CASE("superblock: wider ones copy less than ones of one block")
{
    ram_config c = whole_of(FTL_SCHEME_SUPERBLOCK);
    c.params.map.placed.superblock_blocks = 1;
    const cost narrow = scattered(c, 4000);
    c.params.map.placed.superblock_blocks = 8;
    CHECK(scattered(c, 4000).r < narrow.r);
}

TEST_CASE("superblock: no read of the host waits for more than an operation of a collection")
{
    drive d(small_pool());
    d.create_queues();
    fill(d);
    mixed(d, 3000, 7);
    d.start_flush();
    d.idle();
    all_right(d);
    CHECK(d.nand.counters().merges_partial > 100);
    CHECK(d.nand.host_reads_behind_max == 1);
}

TEST_CASE("superblock: programs and erases that fail end in a drive that is read only")
{
    const std::uint64_t seed = GENERATE(1ull, 2ull, 3ull, 4ull);
    ram_config c = whole_of(FTL_SCHEME_SUPERBLOCK);
    c.params.geometry.blocks_per_plane = 60;
    fail_until_read_only(c, seed, 150, 40, all_right);
}

TEST_CASE("superblock: what cannot be read is lost, and nothing else is")
{
    ram_config c = small_pool();
    c.params.flash.retry_levels = 1;
    std::mt19937_64 fate(11);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [&fate](const nand_place&, const flash_desc& r) {
        return ram_config::read_result{r.purpose == FLASH_PURPOSE_MERGE && fate() % 4 == 0, 0,
                                       false};
    };
    x.armed = true;
    mixed(d, 3000, 3);
    x.armed = false;
    d.start_flush();
    d.idle();
    CHECK(d.nand.counters().units_lost > 0);
    all_right(d);
    const std::uint64_t lost = d.nand.counters().lost_units;
    power_cycle(d);
    CHECK(d.nand.counters().lost_units == lost);
    d.check_everything();
}

TEST_CASE("superblock: cuts in the midst of work, one after the other")
{
    ram_config c = small_pool();
    c.params.map.checkpoint_units = 300;
    c.params.cache.policy = GENERATE(CACHE_POLICY_WO_LRU, CACHE_POLICY_NONE);
    drive d(c);
    d.create_queues();
    fill(d);
    for (std::uint64_t round = 1; round < 9; ++round) {
        mixed(d, 300 + 70 * round, round);
        d.start_flush();
        d.idle();
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 2);
        d.check_everything();
        d.check_rules();
    }
}

} // namespace ssdvp::test::superblock_work_test
