// SPDX-License-Identifier: Apache-2.0
//
// Reads of whole pages on the planes of a LUN: one operation, and of one that fails an answer for
// each (ops/ring.c).
#include "tests/firmware/erring_drive.h"

namespace ssdvp::test::joined_test {
namespace {

constexpr std::uint32_t page = 16; // sectors of 8 KiB; two planes side by side, then the next LUN

/// Filled in order: the pages of a LUN's planes follow each other.
void fill_in_order(drive& d)
{
    for (std::uint64_t lba = 0; lba < 4096; lba += 64) {
        d.start_write(lba, 64);
        d.drain();
    }
    d.start_flush();
    d.idle();
}

struct reads {
    std::uint64_t operations, pages;
};

reads of_read(drive& d, std::uint64_t lba, std::uint32_t sectors)
{
    const auto before = d.nand.count(FLASH_PURPOSE_HOST);
    d.start_read(lba, sectors);
    d.drain();
    const auto after = d.nand.count(FLASH_PURPOSE_HOST);
    return {after.read_operations - before.read_operations, after.reads - before.reads};
}

} // namespace

TEST_CASE("whole pages of the planes of a LUN are read with one operation")
{
    drive d(tiny_drive());
    d.create_queues();
    fill_in_order(d);
    const auto check = [&d](std::uint64_t lba, std::uint32_t sectors, reads wanted) {
        CAPTURE(lba, sectors);
        const reads r = of_read(d, lba, sectors);
        CHECK(r.operations == wanted.operations);
        CHECK(r.pages == wanted.pages);
    };
    check(0, 2 * page, {1, 2});
    check(0, 8 * page, {4, 8});    // four LUNs
    check(page, 2 * page, {2, 2}); // the second plane of one LUN, the first of the next
    check(0, page, {1, 1});
    check(8, 2 * page, {3, 3});     // half a page, a page, half a page
    check(0, 2 * page - 8, {2, 2}); // of the second page only the first unit
    check(0, 3 * page, {2, 3});
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("reads of other commands stay apart, and those of a part whose planes work alone")
{
    ram_config c = tiny_drive();
    SECTION("two commands")
    {
        drive d(c);
        d.create_queues();
        fill_in_order(d);
        const auto before = d.nand.count(FLASH_PURPOSE_HOST).read_operations;
        d.start_read(0, page);
        d.start_read(page, page);
        d.drain();
        CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == before + 2);
    }
    SECTION("no multi-plane operations")
    {
        c.params.ftl.multi_plane = 0;
        drive d(c);
        d.create_queues();
        fill_in_order(d);
        const reads r = of_read(d, 0, 8 * page);
        CHECK(r.operations == r.pages);
    }
}

TEST_CASE("of joined reads the one that fails goes again, alone")
{
    ram_config c = tiny_drive();
    c.params.flash.retry_levels = 2;
    erring_drive x(c);
    drive& d = *x.d;
    fill_in_order(d);
    std::vector<flash_desc> seen;
    const std::uint32_t right = GENERATE(1u, 2u, 9u); // the level that helps; the last is none
    x.fate = [&](const nand_place& p, const flash_desc& r) {
        seen.push_back(r);
        return ram_config::read_result{p.plane == 1 && r.retry != right, 0, false};
    };
    x.armed = true;
    CHECK(status_of_read(d, 0, 2 * page) == (right > 2 ? unrecovered : 0));
    REQUIRE(seen.size() == (right == 1 ? 3 : 4)); // both planes, then the second alone
    CHECK(seen[0].plane_mask == 3);
    CHECK(seen[1].plane_mask == 3);
    for (std::size_t i = 2; i < seen.size(); ++i) {
        CHECK(seen[i].plane_mask == 2);
        CHECK(seen[i].retry == i - 1);
        CHECK((seen[i].flags & FLASH_FLAG_SG) == 0);
    }
    x.armed = false;
    all_right(d);
}

TEST_CASE("joined reads under errors of all kinds: data are right, or known to be lost")
{
    ram_config c = tiny_drive();
    c.params.flash.retry_levels = 3;
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    std::mt19937_64 fate(11);
    x.fate = [&](const nand_place&, const flash_desc& r) {
        const bool data = r.purpose == FLASH_PURPOSE_HOST;
        return ram_config::read_result{data && r.retry < 3 && fate() % 3 == 0, 0, false};
    };
    x.armed = true;
    std::mt19937_64 random(12);
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t lba = random() % (d.sectors() / page - 8) * page;
        const std::uint32_t sectors = page * static_cast<std::uint32_t>(1 + random() % 8);
        while (!(i % 5 == 0 ? d.start_write(lba, sectors) : d.start_read(lba, sectors))) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    x.armed = false;
    d.start_flush();
    d.idle();
    CHECK(retries(d.nand.counters()) > 500);
    CHECK(d.nand.counters().lost_units == 0);
    all_right(d);
}

} // namespace ssdvp::test::joined_test
