// SPDX-License-Identifier: Apache-2.0
//
// log_set with a block as the unit of D: block mapping, and hybrid mapping with a W-log. Worked by
// hand on one LUN, blocks of 4 pages, a page a unit.
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/cut_rounds.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/other_cells.h"

namespace ssdvp::test::log_set_block_test {
namespace {

constexpr std::uint64_t pages = 4;

/// Nothing is buffered: a write is on the flash before the next one comes.
ram_config by_hand(std::uint32_t log_blocks)
{
    ram_config c = one_plane();
    boot_params& p = c.params;
    p.ftl.scheme = FTL_SCHEME_LOG_SET_BLOCK;
    p.ftl.stripe = STRIPE_BLOCK;
    p.geometry.pages_per_block = pages;
    p.geometry.blocks_per_plane = 96;
    p.ftl.user_units = 10 * pages;
    p.cache.policy = CACHE_POLICY_NONE;
    p.cache.capacity = 0;
    p.map.log_blocks = log_blocks;
    return c;
}

/// 4 LUNs of 2 planes, a buffer.
ram_config whole(std::uint32_t log_blocks)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.ftl.scheme = FTL_SCHEME_LOG_SET_BLOCK;
    p.ftl.stripe = STRIPE_BLOCK;
    p.ftl.map_unit = p.geometry.page_size;
    p.ftl.user_units = 120 * p.geometry.pages_per_block - 3; // the last logical block is short
    p.cache.capacity = 48ull * p.ftl.map_unit;
    p.map.log_blocks = log_blocks;
    return c;
}

struct work { // operations on pages and blocks
    std::uint64_t host_w, copy_r, copy_w, erases;
    bool operator==(const work& o) const
    {
        return host_w == o.host_w && copy_r == o.copy_r && copy_w == o.copy_w && erases == o.erases;
    }
};

std::ostream& operator<<(std::ostream& os, const work& w)
{
    return os << "W " << w.host_w << ", copies " << w.copy_r << " R " << w.copy_w << " W, E "
              << w.erases;
}

work work_of(const drive& d)
{
    const auto& gc = d.nand.count(FLASH_PURPOSE_GC);
    return {d.nand.count(FLASH_PURPOSE_HOST).programs, gc.reads, gc.programs, gc.erases};
}

/// Random writes of single pages, all of them on the flash in the end.
work scattered(std::uint32_t log_blocks)
{
    ram_config c = whole(log_blocks);
    drive d(c);
    d.create_queues();
    fill(d);
    const std::uint32_t sectors = c.params.ftl.map_unit / 512;
    std::mt19937_64 random(3);
    for (int n = 0; n < 1500; ++n) {
        const std::uint64_t unit = random() % (c.params.ftl.user_units - 2);
        while (!d.start_write(unit * sectors, sectors * (1 + n % 2))) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    d.start_flush();
    d.idle();
    all_right(d);
    return work_of(d);
}

} // namespace

TEST_CASE("log_set, blocks: a write of a page costs its block, the first one zeroes")
{
    drive d(by_hand(0));
    d.create_queues();
    write_units(d, {0});
    CHECK(work_of(d) == work{1, 0, 3, 0});
    write_units(d, {1});
    CHECK(work_of(d) == work{2, 3, 6, 1});
    write_units(d, {1, 2, 9});
    CHECK(work_of(d) == work{5, 9, 15, 3});
    CHECK(d.nand.counters().mapped == 2 * pages); // of a block all pages are there
    all_right(d);
}

TEST_CASE("log_set, blocks: what is written in order is written once")
{
    ram_config c = whole(0);
    drive d(c);
    d.create_queues();
    fill(d);
    CHECK(d.nand.counters().host_units_written == c.params.ftl.user_units);
    CHECK(d.nand.counters().gc_units_moved == 0);
    CHECK(d.nand.counters().pad_units == 3); // behind the last unit
    all_right(d);
}

TEST_CASE("log_set, blocks: the W-log takes pages, and is merged when its last block is half full")
{
    drive d(by_hand(2));
    d.create_queues();
    write_units(d, {0, 1, 2, 3, 8});
    CHECK(work_of(d) == work{5, 0, 0, 0});
    write_units(d, {0}); // half of the second block: 0, 1, 2 and 3 leave the log
    CHECK(work_of(d) == work{6, 4, 4, 1});
    write_units(d, {4, 8, 12});
    CHECK(work_of(d) == work{9, 4, 4, 1});
    // Of 8, 0, 4, 8 the last two are valid: their logical blocks are written, zeroes but for them.
    write_units(d, {13});
    CHECK(work_of(d) == work{10, 4 + 2, 4 + 8, 1 + 1});
    all_right(d);
}

TEST_CASE("log_set, blocks: a log block of which nothing is valid costs its erase only")
{
    drive d(by_hand(2));
    d.create_queues();
    write_units(d, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(work_of(d) == work{12, 0, 0, 2});
    all_right(d);
}

TEST_CASE("log_set, blocks: a larger log copies less")
{
    const work none = scattered(0);
    const work few = scattered(8);
    const work many = scattered(24);
    CHECK(many.copy_w < few.copy_w);
    CHECK(many.copy_w < none.copy_w);
}

TEST_CASE("log_set, blocks: above the threshold dirty pages side by side pass the log by")
{
    // Half a block is written again and again, and flushed each time.
    std::uint64_t copies = UINT64_MAX;
    for (const std::uint32_t direct : {4u, 5u}) {
        ram_config c = whole(6);
        c.params.map.log_direct = direct;
        drive d(c);
        d.create_queues();
        fill(d);
        const std::uint32_t half = c.params.ftl.map_unit / 512 * 4;
        const work before = work_of(d);
        for (std::uint64_t n = 0; n < 40; ++n) {
            REQUIRE(d.start_write(n % 4 * 2 * half, half));
            d.drain();
            d.start_flush();
            d.idle();
        }
        all_right(d);
        const work now = work_of(d);
        CHECK(now.host_w - before.host_w == 160);
        CHECK((direct == 4 ? now.copy_w - before.copy_w == 160 : now.copy_w < copies));
        copies = now.copy_w;
    }
}

TEST_CASE("log_set, blocks: trimmed pages are holes, a block of holes is no block")
{
    drive d(by_hand(0));
    d.create_queues();
    for (std::uint64_t unit = 0; unit < 2 * pages; ++unit) {
        write_units(d, {unit});
    }
    d.start_trim({{1, 1}, {6, 1}});
    d.idle();
    CHECK(d.nand.counters().mapped == 2 * pages - 2);
    all_right(d);
    write_units(d, {0}); // the hole is zeroes from now on
    CHECK(d.nand.counters().mapped == 2 * pages - 1);
    const std::uint64_t before = d.nand.counters().free_blocks;
    d.start_trim({{pages, pages}});
    d.idle();
    CHECK(d.nand.counters().mapped == pages);
    CHECK(d.nand.counters().free_blocks == before + 1);
    all_right(d);
    d.start_flush();
    d.idle();
    power_cycle(d);
    d.check_everything();
    CHECK(d.nand.counters().mapped == pages);
}

TEST_CASE("log_set, blocks: mixed commands keep data, through cuts and shutdowns")
{
    ram_config c = whole(GENERATE(0u, 1u, 6u));
    c.params.cache.policy = GENERATE(CACHE_POLICY_WO_LRU, CACHE_POLICY_NONE, CACHE_POLICY_RW_LRU);
    c.params.wear.static_delta = 3;
    c.params.map.checkpoint_units = 256;
    CAPTURE(c.params.map.log_blocks, c.params.cache.policy);
    drive d(c);
    d.create_queues();
    fill(d);
    mixed_through_cuts(d);
}

TEST_CASE("log_set, blocks: power-up reads one page of each merge, however large blocks are")
{
    std::vector<std::uint64_t> read;
    for (const std::uint64_t merges : {3u, 9u}) {
        ram_config c = by_hand(0);
        c.params.geometry.pages_per_block = 64;
        c.params.ftl.user_units = 10 * 64;
        c.params.map.checkpoint_units = 4096;
        drive d(c);
        d.create_queues();
        for (std::uint64_t block = 0; block < merges; ++block) {
            write_units(d, {block * 64 + block});
        }
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 2);
        CHECK(d.nand.counters().recovery_programs == merges * 64);
        read.push_back(d.nand.counters().recovery_pages);
        d.check_everything();
        write_units(d, {0, 1});
        power_cycle(d);
        d.check_everything();
        d.check_rules();
    }
    CHECK(read[1] - read[0] == 9 - 3);
}

TEST_CASE("log_set, blocks: what a record has in the log is an error when it cannot be read")
{
    const bool all = GENERATE(true, false); // of a full log block, page 0 of the last one
    ram_config c = by_hand(3);
    c.params.host.data_mode = 2;
    drive d(c);
    d.create_queues();
    write_units(d, {0, 1, 2, 3, 0});
    shut_down(d);
    power_cycle(d);
    write_units(d, {9});
    ram_image cells = d.nand.image();
    for (const found_page& page : flash_reader(d.nand).pages) {
        if (page.what(0) == kind::data && page.page == 0 && page.index(0) == 0) {
            ram_block& b = d.nand.block_of(cells, page.at);
            const bool full = b.programmed == pages;
            b.torn = b.torn || (all && full);
            d.nand.pages_of(b).torn[0] = !all && !full ? 1 : 0;
        }
    }
    d.nand.config.planted = true;
    cut_and_insert(d, cells);
    REQUIRE_FALSE(d.nand.panicked());
    REQUIRE(d.nand.enable());
    d.create_queues();
    d.check_everything();
    CHECK(d.mismatches == 0);
    for (std::uint64_t unit = 0; unit < 4; ++unit) {
        CAPTURE(all, unit);
        const bool lost = all != (unit == 0); // which was written anew
        CHECK((status_of_read(d, unit, 1) == NVME_SC_UNRECOVERED_READ_ERROR) == lost);
    }
}

TEST_CASE("log_set, blocks: programs and erases that fail end in a drive that is read only")
{
    const std::uint64_t seed = GENERATE(1ull, 2ull, 3ull);
    ram_config c = whole(seed == 2 ? 0 : 4);
    c.params.geometry.blocks_per_plane = 60;
    fail_until_read_only(c, seed, 150, 40, all_right);
}

TEST_CASE("log_set, blocks: superblocks of more blocks, units of less than a page are refused")
{
    ram_config c = whole(0);
    if (GENERATE(0, 1) == 0) {
        c.params.ftl.stripe = STRIPE_DRIVE;
    } else {
        c.params.ftl.map_unit /= 2;
    }
    c.quiet = true;
    const ram_nand nand(c);
    CHECK(nand.panicked());
    CHECK_THAT(nand.error_text(), Catch::StartsWith("map "));
}

} // namespace ssdvp::test::log_set_block_test
