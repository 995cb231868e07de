// SPDX-License-Identifier: Apache-2.0
//
// Word lines in two passes on the RAM drive, whose cells refuse any other order of passes: the
// order by hand, what is read meanwhile, what a flush fills up, and word lines that fail.
#include "models/regs/choices/slc_policy.h"
#include "tests/firmware/cut_rounds.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::passes_test {
namespace {

/// One plane with pages of one unit, two of them in a word line.
ram_config two_passes()
{
    ram_config c = one_plane();
    boot_params& p = c.params;
    p.geometry.word_line = 2;
    p.geometry.pages_per_block = 16;
    p.geometry.blocks_per_plane = 64;
    p.cache.capacity = 64 * p.ftl.map_unit;
    return c;
}

constexpr std::uint64_t close_ns = 200'000'000;

/// ... with an SLC cache in such a part: superblocks of 128 units, or 64 in SLC mode.
ram_config cached(std::uint32_t fixed)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.geometry.word_line = 2;
    p.geometry.pages_per_block = 16;
    p.ftl.user_units *= 2;
    p.geometry.blocks_per_plane += 12;
    p.cache.capacity = 512 * p.ftl.map_unit;
    p.slc.fixed = fixed;
    p.slc.dynamic = fixed == 0 ? 100 : 0;
    p.slc.pages = 8;
    p.slc.policy = SLC_POLICY_IDLE;
    p.slc.goal_permille = 1000;
    p.slc.low_permille = 500;
    p.slc.drain_permille = 700;
    p.slc.idle_ns = close_ns / 4;
    p.slc.close_ns = close_ns;
    return c;
}

/// ... and the same drive without one.
ram_config uncached()
{
    ram_config c = cached(0);
    c.params.slc.pages = 0;
    c.params.slc.dynamic = 0;
    return c;
}

/// Pages of each block that are programmed for the host, in their order.
using order = std::map<std::uint32_t, std::vector<std::uint32_t>>;

void record(ram_config& c, order& to)
{
    c.on_program = [&to](const nand_place& p, const flash_desc& d) {
        if (d.purpose == FLASH_PURPOSE_HOST) {
            to[p.block].push_back(d.page);
        }
        return false;
    };
}

/// One by one, so that they leave in order.
void write_units(drive& d, std::uint64_t first, std::uint64_t count)
{
    const std::uint64_t sectors = d.nand.config.params.ftl.map_unit / 512;
    for (std::uint64_t n = first; n < first + count; ++n) {
        REQUIRE(d.start_write(n * sectors, static_cast<std::uint32_t>(sectors)));
        d.idle();
    }
}

std::uint64_t host_reads(const drive& d)
{
    return d.nand.count(FLASH_PURPOSE_HOST).reads;
}

} // namespace

TEST_CASE("passes: four word lines go to the flash in the order of the part")
{
    ram_config c = two_passes();
    order pages;
    record(c, pages);
    drive d(c);
    d.create_queues();
    write_units(d, 0, 8);
    flush(d);
    d.idle();
    REQUIRE(pages.size() == 1);
    // 0c 1c 0f 2c 1f 3c 2f, then word line 4 of padding, so that word line 3 ends: 4c 3f.
    CHECK(pages.begin()->second ==
          std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 4, 5, 2, 3, 6, 7, 4, 5, 8, 9, 6, 7});
    CHECK(d.nand.counters().host_units_written == 8);
    CHECK(d.nand.counters().pad_units == 0); // word line 4 has had no fine pass
    d.check_everything();
}

TEST_CASE("passes: a flush fills up its word line and the next one")
{
    ram_config c = two_passes();
    order pages;
    record(c, pages);
    drive d(c);
    d.create_queues();
    write_units(d, 0, 1);
    flush(d);
    CHECK(pages.begin()->second == std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1});
    CHECK(d.nand.counters().pad_units == 1);
    write_units(d, 1, 1); // behind the padding, whose fine pass comes now
    flush(d);
    CHECK(pages.begin()->second ==
          std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 4, 5, 2, 3, 6, 7, 4, 5});
    CHECK(d.nand.counters().pad_units == 4);
    d.check_everything();
}

TEST_CASE("passes: a flush fills word lines with what is behind the oldest, padding ends it")
{
    // 64 LUNs hold more units between their passes than a flush walks past.
    constexpr std::uint32_t luns = 64;
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.geometry.word_line = 4;
    p.geometry.pages_per_block = 16;
    p.geometry.channels = 8;
    p.geometry.luns_per_channel = luns / p.geometry.channels;
    p.ftl.user_units *= 8;
    p.sram_size = 1u << 20;
    p.dram_size = 256u << 20;
    p.cache.capacity = std::uint64_t{8192} * p.ftl.map_unit;
    drive d(c);
    d.create_queues();
    const std::uint64_t group = p.geometry.planes * (p.geometry.page_size / p.ftl.map_unit);
    write_units(d, 0, 4000);
    REQUIRE(d.nand.counters().host_units_written == 0);
    flush(d);
    d.idle();
    CHECK(d.nand.counters().host_units_written == 4000);
    CHECK(d.nand.counters().pad_units <= 2 * p.geometry.word_line * luns * group);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("passes: a flush beside reads that never end is not put off")
{
    ram_config c = two_passes();
    drive d(c);
    d.create_queues();
    write_units(d, 0, 40);
    flush(d);
    write_units(d, 40, 1);
    REQUIRE(d.start_flush());
    const auto written = [&d] { return d.nand.counters().host_units_written; };
    for (int round = 0; round < 2000 && written() != 41; ++round) {
        for (std::uint64_t n = 0; n < 8; ++n) {
            (void)d.start_read(n, 1);
        }
        d.pump();
    }
    CHECK(written() == 41);
    d.idle();
    d.check_everything();
}

TEST_CASE("passes: what is between its passes is read from the buffer")
{
    ram_config c = two_passes();
    c.params.cache.capacity = 16 * c.params.ftl.map_unit;
    drive d(c);
    d.create_queues();
    write_units(d, 0, 12); // some of them have had their coarse pass
    const std::uint64_t before = host_reads(d);
    for (std::uint64_t n = 0; n < 12; ++n) {
        REQUIRE(d.start_read(n, 1));
        d.idle();
    }
    CHECK(d.mismatches == 0);
    CHECK(host_reads(d) - before < 12);
    flush(d);
    d.check_everything();
}

TEST_CASE("passes: word lines that fail are written elsewhere, losses of power lose nothing")
{
    ram_config c = two_passes();
    for (std::uint32_t block = 3; block < 40; block += 9) {
        c.weak.insert({0, 0, 0, block});
        c.weak_page = 5;
    }
    drive d(c);
    d.create_queues();
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
        const std::uint64_t lba = random() % d.sectors();
        while (!d.start_write(lba, 1)) {
            REQUIRE(d.pump());
        }
        if (round % 40 == 39) {
            flush(d);
        }
    }
    flush(d);
    d.check_everything();
    CHECK(d.nand.failed_blocks() != 0);
}

TEST_CASE("passes: what is folded stays in the SLC cache until its fine pass")
{
    constexpr std::uint32_t superblocks = 3;
    drive d(cached(superblocks));
    d.create_queues();
    const telemetry_slc& slc = d.nand.counters().slc;
    const std::uint64_t units = superblocks * 128;
    write_units(d, 0, units);
    flush(d);
    REQUIRE(slc.hits == units);
    REQUIRE(slc.free == 0);
    d.nand.wait_until(d.nand.time_ns() + close_ns / 2);
    CHECK(slc.folded > 0);
    CHECK(slc.folded < units); // two word lines of each LUN wait for a third one
    CHECK(slc.free < superblocks);
    CHECK(d.nand.counters().pad_units == 0);
    d.check_everything();
    d.nand.wait_until(d.nand.time_ns() + close_ns); // nobody comes: they are filled up
    CHECK(slc.folded == units);
    CHECK(slc.free == superblocks);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("passes: folds and failures through losses of power")
{
    for (const std::uint32_t policy : every_slc_policy) {
        for (const std::uint32_t fixed : {0u, 3u}) {
            INFO("policy " << policy << ", " << fixed << " static");
            ram_config c = cached(fixed);
            c.params.slc.policy = policy;
            c.params.slc.idle_ns = 3000;
            c.params.slc.close_ns = 9000;
            c.weak = {{0, 0, 0, 7}, {1, 1, 1, 9}, {0, 1, 1, 12}};
            c.weak_page = 5;
            drive d(c);
            d.create_queues();
            fill(d, 0.6);
            mixed_through_cuts(d);
            if (policy != SLC_POLICY_FULL || fixed != 0) { /* else it finds room without */
                CHECK(d.nand.count(FLASH_PURPOSE_FOLD).programs > 0);
            }
            CHECK(d.nand.failed_blocks() != 0);
        }
    }
}

TEST_CASE("passes: what is counted is told, though nobody waits for the fine pass of padding")
{
    drive d(uncached());
    d.create_queues();
    std::mt19937 random(5);
    for (int step = 0; step < 600; ++step) {
        const std::uint64_t lba = random() % (d.sectors() / 16) * 8;
        REQUIRE((random() % 3 != 0 ? d.start_write(lba, 8) : d.start_read(lba, 8)));
        if (random() % 3 == 0) {
            flush(d);
        }
        d.start_read(random() % d.sectors(), 1); // a round in which only reads end
        d.idle();
        d.check_identities();
    }
    d.check_everything();
}

TEST_CASE("passes: a loss of power at any time leaves collection superblocks to go on with")
{
    // It closes all that is open: whatever is under way, RESERVE_CUTS less one of collection's own
    // are free.
    drive d(uncached());
    d.create_queues();
    fill(d);
    std::uint64_t least = UINT64_MAX;
    for (std::uint64_t round = 1; round <= 300; ++round) {
        mixed(d, 20, round);
        least = std::min(least, d.nand.counters().free_blocks);
    }
    CHECK(d.nand.count(FLASH_PURPOSE_GC).programs > 0);
    CHECK(least >= 1);
    d.check_everything();
}

TEST_CASE("passes: padding between its passes is nobody's memory")
{
    // Collection pads its last write units while patrol reads all pages to where nobody looks.
    ram_config c = cached(3);
    c.params.refresh.patrol_us = 50;
    c.params.slc.idle_ns = 3000;
    c.params.slc.close_ns = 9000;
    drive d(c);
    d.create_queues();
    fill(d, 0.6);
    mixed(d, 3000, 3);
    flush(d);
    CHECK(d.nand.count(FLASH_PURPOSE_SCAN).reads > 100);
    CHECK(d.nand.counters().pad_units > 0);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("passes: a checkpoint gets past the data that wait for their word line, or would repeat")
{
    ram_config c = two_passes();
    c.params.geometry.page_size = 16 * c.params.ftl.map_unit;
    c.params.geometry.oob_size = 256;
    c.params.ftl.user_units = 4096;
    c.params.cache.capacity = 256 * c.params.ftl.map_unit;
    drive d(c);
    d.create_queues();
    write_units(d, 0, 2900); // the last programs wait
    std::uint64_t unit = 0;
    const auto trim = [&](std::uint32_t records) {
        for (; records != 0; --records, unit += 2) {
            REQUIRE(d.start_trim({{unit, 1}}));
            d.drain();
            d.nand.settle();
        }
    };
    // 20 records to a unit of the journal, of which half make a checkpoint due.
    trim(15 * 20);
    CHECK(d.nand.counters().checkpoints == 0);
    CHECK(d.nand.counters().pad_units == 0);
    trim(6 * 20);
    CHECK(d.nand.counters().checkpoints == 1);
    trim(8 * 20); // it has released half of that at least
    CHECK(d.nand.counters().checkpoints <= 2);
    d.check_everything();
}

} // namespace ssdvp::test::passes_test
