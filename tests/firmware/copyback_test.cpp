// SPDX-License-Identifier: Apache-2.0
//
// Collection by copyback: which pages move so, that nothing is lost when it fails, and that wrong
// bits do not pile up.
#include <algorithm>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/lost_units.h"

namespace ssdvp::test::copyback_test {
namespace {

/// A page is a map unit, so that valid pages are valid throughout; same number of units as ever.
ram_config copying()
{
    ram_config c = tiny_drive();
    c.params.gc.copyback = 1;
    c.params.geometry.page_size = 4096;
    c.params.geometry.pages_per_block = 16;
    return c;
}

std::uint64_t copies(const drive& d)
{
    return d.nand.count(FLASH_PURPOSE_GC).copybacks;
}

void keeps_data(const ram_config& c, std::uint64_t copies_least)
{
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    mixed(d, 40000, c.seed + 3);
    all_right(d);
    CHECK(d.statuses.size() == 1);
    CHECK(d.nand.counters().gc_runs > 10);
    CHECK(copies(d) > copies_least);
}

} // namespace

TEST_CASE("copyback keeps data: pages of one unit")
{
    ram_config c = copying();
    c.seed = GENERATE(1u, 2u, 3u);
    c.random_delays = c.seed != 3;
    keeps_data(c, 1000);
}

TEST_CASE("copyback keeps data: pages of several units, one plane, whole bytes")
{
    ram_config c = tiny_drive();
    c.params.gc.copyback = 1;
    c.params.ftl.multi_plane = GENERATE(0u, 1u);
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    c.params.host.data_mode = 2;
    keeps_data(c, 100);
}

TEST_CASE("copyback keeps data: sizes that are no powers of two, every page checked")
{
    ram_config c = copying();
    c.params.geometry.channels = 3;
    c.params.geometry.luns_per_channel = 1;
    c.params.geometry.planes = 3;
    c.params.geometry.pages_per_block = 21;
    c.params.ftl.user_units = 16 * 3 * 3 * 21;
    c.params.wear.static_delta = GENERATE(0u, 4u);
    c.params.refresh.codeword = 1024;
    c.params.gc.copyback_bits = 10;
    keeps_data(c, 1000);
}

TEST_CASE("copyback keeps data: factory bad blocks leave LUNs with other planes")
{
    ram_config c = copying();
    c.params.ftl.user_units = 14 * 128;
    for (std::uint32_t n = 0; n < 24; ++n) {
        c.factory_bad.insert({n % 2, (n / 2) % 2, (n / 4) % 2, n});
    }
    keeps_data(c, 1000);
}

TEST_CASE("copyback: only where it is asked for, and only for garbage")
{
    ram_config c = copying();
    c.params.gc.copyback = 0;
    c.params.gc.copyback_bits = GENERATE(0u, 10u);
    drive off(c);
    off.create_queues();
    overwrite(off, 6000, 1);
    CHECK(off.nand.counters().gc_units_moved > 1000);
    CHECK(copies(off) == 0);

    c.params.gc.copyback = 1;
    c.params.wear.static_delta = 1;
    c.params.refresh.reads = 40;
    c.params.cache.policy = CACHE_POLICY_NONE; // every read is one of the flash
    drive on(c);
    on.create_queues();
    fill(on);
    overwrite(on, 3000, 1);
    std::mt19937_64 random(5);
    for (int i = 0; i < 6000; ++i) { // a few units are read until their blocks want a refresh
        const std::uint64_t unit = i % 2 == 0 ? 100 + random() % 8 : random() % 64;
        while (!(i % 2 == 0 ? on.start_read(unit * 8, 8) : on.start_write(unit * 8, 8))) {
            REQUIRE(on.pump());
        }
    }
    on.drain();
    all_right(on);
    const telemetry& t = on.nand.counters();
    CHECK(t.wear_units_moved > 0);
    CHECK(t.refresh_units_moved > 0);
    CHECK(copies(on) > 100);
    for (int p = 0; p < FLASH_PURPOSES; ++p) {
        const auto purpose = static_cast<flash_purpose>(p);
        CHECK((purpose == FLASH_PURPOSE_GC || on.nand.count(purpose).copybacks == 0));
    }
}

TEST_CASE("copyback: one of a copy's programs fails: the first, the second, ...")
{
    for (std::uint64_t k = 1; k < 40; ++k) {
        ram_config c = copying();
        c.params.ftl.user_units = 14 * 128;
        c.params.ftl.multi_plane = k % 4 != 0;
        std::uint64_t count = 0;
        c.on_program = [&](const nand_place&, const flash_desc& r) {
            return r.op == FLASH_OP_COPYBACK && ++count == k * k;
        };
        drive d(c);
        d.create_queues();
        fill(d);
        mixed(d, 8000, k);
        INFO("copy " << k * k);
        CHECK(count > k * k);
        CHECK(d.nand.counters().retired[0] == 1);
        CHECK(d.nand.counters().read_only == 0);
        CHECK(d.statuses.size() == 1);
        all_right(d);
    }
}

TEST_CASE("copyback: programs and erases fail often, until the drive is read-only")
{
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        fail_until_read_only(copying(), seed, seed % 4 == 0 ? 10 : 80, 60, all_right);
    }
}

namespace {

ram_config checked(std::uint32_t levels)
{
    ram_config c = copying();
    c.params.flash.retry_levels = levels;
    c.params.refresh.codeword = 1024;
    c.params.gc.copyback_bits = 10; // a page has four code words
    return c;
}

} // namespace

TEST_CASE("copyback: a page at the limit of wrong bits is copied, one beyond it is not")
{
    const std::uint32_t over = GENERATE(0u, 1u);
    ram_config c = checked(0);
    c.params.geometry.planes = 1;
    c.params.ftl.user_units = 15 * 64;
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [over](const nand_place&, const flash_desc&) {
        return ram_config::read_result{false, 40 + over, false};
    };
    x.armed = true;
    overwrite(d, 4000, 2);
    CHECK(d.nand.counters().gc_units_moved > 500);
    CHECK((copies(d) == 0) == (over != 0));
    all_right(d);
}

TEST_CASE("copyback: pages that need a retry level, or that none corrects, are not copied")
{
    const std::uint32_t right = GENERATE(1u, 3u); // of two levels
    erring_drive x(checked(2));
    drive& d = *x.d;
    fill(d);
    x.fate = [right](const nand_place& p, const flash_desc& r) {
        return ram_config::read_result{p.block % 2 == 0 && r.page % 4 == 1 && r.retry != right, 0,
                                       false};
    };
    x.armed = true;
    overwrite(d, 6000, 2);
    const telemetry& t = d.nand.counters();
    CHECK(copies(d) > 100);
    CHECK((t.units_lost != 0) == (right == 3));
    x.armed = false;
    all_right(d);
}

TEST_CASE("copyback: a lost unit takes its mark along")
{
    ram_config c = checked(0);
    c.params.gc.copyback_bits = GENERATE(0u, 10u);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    lose_a_page(x);
    // Unchecked pages are copied unread, but a write in part finds what is lost.
    for (std::uint64_t unit = 0; unit < 200; ++unit) {
        while (!d.start_write(unit * 8 + 1, 1)) {
            REQUIRE(d.pump());
        }
    }
    d.start_flush();
    d.idle();
    overwrite(d, 1000, 2);
    x.armed = false;
    const std::vector<std::uint64_t> lost = units_that_read(d, unrecovered);
    REQUIRE(!lost.empty());
    write_around(d, lost);
    CHECK(copies(d) > 1000);
    CHECK(d.nand.counters().lost_units == lost.size());
    check_marks(d, lost);
    for (const std::uint64_t lba : lost) {
        REQUIRE(status_of_read(d, lba, 8) == unrecovered);
    }
    all_right(d);
}

TEST_CASE("copyback: on a drive that errs all over nothing wrong is read as good")
{
    ram_config c = checked(1);
    c.seed = GENERATE(1u, 2u, 3u);
    c.params.geometry.page_size = c.seed == 3 ? 8192 : 4096;
    c.params.geometry.pages_per_block = c.seed == 3 ? 8 : 16;
    std::mt19937_64 fate(c.seed);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [&fate](const nand_place&, const flash_desc&) {
        const bool bad = fate() % 40 == 0;
        return ram_config::read_result{bad, static_cast<std::uint32_t>(fate() % 30),
                                       fate() % 2 == 0};
    };
    x.armed = true;
    mixed(d, 30000, c.seed);
    all_right(d);
    CHECK(copies(d) > 50);
    CHECK(d.nand.counters().recovered_reads > 100);
}

} // namespace ssdvp::test::copyback_test
