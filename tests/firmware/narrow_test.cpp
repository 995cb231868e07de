// SPDX-License-Identifier: Apache-2.0
//
// Superblocks of one block (stripe `block`): where they lie, and that every scheme keeps its data.
#include <set>

#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::narrow_test {
namespace {

/// The tiny drive: 192 superblocks of 16 units on 4 LUNs of 2 planes.
ram_config narrow(std::uint32_t scheme = FTL_SCHEME_PAGE_MAP)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.ftl.stripe = STRIPE_BLOCK;
    p.ftl.scheme = scheme;
    p.map.cache = scheme == FTL_SCHEME_LOG_SET ? 2 * 4096 : 24 * BOOT_MAP_CACHE_ENTRY;
    p.map.batch = 1;
    p.map.segments = 1;
    p.ftl.user_units = 140 * 16;
    p.map.checkpoint_units = 256;
    return c;
}

/// All is right, and is so after a loss of power, with which the counters begin anew.
void cut(drive& d)
{
    d.drain();
    d.start_flush();
    d.idle();
    all_right(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
}

} // namespace

TEST_CASE("narrow: superblocks follow each other over channels, LUNs, planes, blocks")
{
    ram_config c = narrow();
    c.params.map.checkpoint_units = 8192; // no map pages in between
    std::vector<nand_place> order;
    c.on_program = [&order](const nand_place& p, const flash_desc& desc) {
        if (desc.purpose == FLASH_PURPOSE_HOST && desc.page == 0) {
            order.push_back(p);
        }
        return false;
    };
    drive d(c);
    d.create_queues();
    fill(d);
    REQUIRE(order.size() >= 64);
    for (std::uint32_t n = 0; n < 64; ++n) { // before the anchor's, in the middle
        CAPTURE(n);
        CHECK(order[n].channel == n % 2);
        CHECK(order[n].lun == n / 2 % 2);
        CHECK(order[n].plane == n / 4 % 2);
        CHECK(order[n].block == n / 8);
    }
    d.check_rules();
}

TEST_CASE("narrow: every scheme keeps data, through collection, wear levelling and a cut")
{
    ram_config c = narrow(
        GENERATE(FTL_SCHEME_PAGE_MAP, FTL_SCHEME_DFTL, FTL_SCHEME_LOG_SET, FTL_SCHEME_VM_MAP));
    c.params.wear.static_delta = 3;
    CAPTURE(c.params.ftl.scheme);
    drive d(c);
    d.create_queues();
    fill(d);
    mixed(d, 12000, 5);
    CHECK(d.nand.counters().gc_runs > 100);
    CHECK(d.nand.counters().wear_units_moved > 0);
    cut(d);
    mixed(d, 3000, 6);
    d.check_everything();
    d.check_rules();
    CHECK(d.statuses.size() == 1);
}

TEST_CASE("narrow: bad blocks, programs and erases that fail lose no data")
{
    ram_config c = narrow(GENERATE(FTL_SCHEME_PAGE_MAP, FTL_SCHEME_DFTL, FTL_SCHEME_LOG_SET));
    c.params.ftl.user_units = 110 * 16;
    for (std::uint32_t i = 0; i < 10; ++i) {
        c.factory_bad.insert({i % 2, (i / 2) % 2, (i / 3) % 2, 1 + i * 2 % 23});
        c.weak.insert({i % 2, (i / 2) % 2, (i / 4) % 2, 2 + i});
        c.erase_weak.insert({(i + 1) % 2, (i / 2) % 2, i % 2, 22 - i});
    }
    CAPTURE(c.params.ftl.scheme);
    drive d(c);
    CHECK(d.nand.counters().bad_blocks == c.factory_bad.size());
    d.create_queues();
    fill(d);
    mixed(d, 12000, 2);
    CHECK(d.nand.counters().bad_blocks >= c.factory_bad.size() + 10);
    CHECK(d.nand.counters().read_only == 0);
    cut(d);
    for (const nand_place& p : c.factory_bad) {
        CHECK(d.nand.erases(p) == 0);
    }
}

TEST_CASE("narrow: a drive whose blocks fail becomes read only, and never stalls before")
{
    const std::uint64_t seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
    ram_config c = narrow();
    c.params.geometry.blocks_per_plane = 32;
    fail_until_read_only(c, seed, 150, 40, all_right);
}

TEST_CASE("narrow: preconditioning fills and overwrites")
{
    const ram_config c = narrow();
    drive d(c);
    precondition(d, c.params.ftl.user_units, 3);
    CHECK(d.nand.counters().mapped == c.params.ftl.user_units);
    CHECK(d.nand.counters().gc_runs > 10);
    d.create_queues();
    d.check_everything();
    overwrite(d, 2000, 6);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("narrow: the suspend policy goes to every LUN of the part")
{
    ram_config c = narrow();
    c.params.flash.suspend_policy = FLASH_SUSPEND_IMMEDIATE;
    const drive d(c);
    std::set<std::pair<std::uint32_t, std::uint32_t>> luns;
    for (const auto& [place, value] : d.nand.features) {
        luns.insert({place[0], place[1]});
    }
    CHECK(luns.size() == 4);
}

TEST_CASE("narrow: a drive that was written with the other stripe is refused")
{
    for (const std::uint32_t planes : {1u, 2u}) { // whole superblocks for the anchor, or not
        for (const std::uint32_t first : {STRIPE_DRIVE, STRIPE_BLOCK}) {
            ram_config c = narrow();
            c.params.geometry.planes = planes;
            c.params.geometry.blocks_per_plane = 25;
            c.params.ftl.user_units = 17 * 64;
            c.params.ftl.stripe = first;
            drive d(c);
            d.create_queues();
            fill(d);
            shut_down(d);
            c.params.ftl.stripe = STRIPE_BLOCK - first;
            c.quiet = true;
            drive other(c);
            CHECK_FALSE(other.nand.panicked());
            other.nand.power_cut();
            other.nand.insert(d.nand.image());
            other.nand.power_on();
            CAPTURE(planes, first, other.nand.error_text());
            CHECK(other.nand.panic_text().find("boot failed") != std::string::npos);
        }
    }
}

TEST_CASE("narrow: what cannot be is refused, with a remedy")
{
    ram_config c = narrow();
    c.quiet = true;
    SECTION("copyback")
    {
        c.params.gc.copyback = 1;
    }
    SECTION("no such stripe")
    {
        c.params.ftl.stripe = 3;
    }
    SECTION("more than 2^32 - 1 pages")
    {
        c.params.geometry.blocks_per_plane = 1u << 20;
        c.params.geometry.pages_per_block = 512; // 2^32 of them
        c.params.dram_size = 1u << 30;
    }
    const drive d(c);
    CHECK(d.nand.panicked());
}

} // namespace ssdvp::test::narrow_test
