// SPDX-License-Identifier: Apache-2.0
//
// Power goes and comes back: what is gone, what stays, and where a cut can fall.
#include <catch2/catch.hpp>

#include "tests/powercut/cut_workload.h"

namespace ssdvp::test::power_test {
namespace {

host_op write_op(std::uint64_t lba, std::uint32_t sectors, bool fua = false)
{
    host_op op;
    op.opcode = NVME_IO_WRITE;
    op.lba = lba;
    op.sectors = sectors;
    op.fua = fua;
    return op;
}

cut_setup plain(const char* geometry = "small")
{
    cut_setup s = setup_of("page_map", geometry);
    s.faults = {0, 0, 0, 0};
    return s;
}

std::uint32_t programmed(const ram_image& image)
{
    std::uint32_t pages = 0;
    for (const ram_block& b : image) {
        pages += b.programmed;
    }
    return pages;
}

std::uint32_t torn(const ram_image& image)
{
    std::uint32_t pages = 0;
    for (const ram_block& b : image) {
        for (std::uint32_t page = 0; page < b.programmed; ++page) {
            pages += b.pages->torn[page];
        }
    }
    return pages;
}

} // namespace

TEST_CASE("power: a cut at the n-th point falls inside the operation, or after it")
{
    const std::uint64_t point = GENERATE(1u, 2u);
    cut_drive d(plain("tiny"));
    REQUIRE(d.host.power_up());
    d.points.arm(point);
    REQUIRE(d.host.start(write_op(0, 1, true)));
    CHECK_FALSE(d.host.drain());
    CHECK_FALSE(d.nand.powered());
    CHECK(d.points.passed == point);
    CHECK(d.points.last.op == FLASH_OP_PROGRAM);
    CHECK(d.points.last.ended == (point == 2));
    CHECK(programmed(d.nand.image()) == 1);
    CHECK(torn(d.nand.image()) == (point == 1 ? 1 : 0));
    CHECK(d.host.found.good()); // a cut is nobody's fault
    d.host.power_lost();
    CHECK(d.shadow.legal_after_cut(0).size() == 2); // nobody was told
    CHECK(d.shadow.legal_after_cut(1).size() == 1);
}

TEST_CASE("power: what waits in rings has not happened, what executes on other LUNs is torn")
{
    cut_drive d(plain());
    REQUIRE(d.host.power_up());
    for (std::uint64_t lba = 0; lba < 16; ++lba) {
        REQUIRE(d.host.start(write_op(lba * 8, 8, true)));
    }
    d.points.arm(2); // the second LUN begins
    while (d.nand.powered() && d.host.pump()) {
    }
    CHECK_FALSE(d.nand.powered());
    const ram_image left = d.nand.image();
    CHECK(programmed(left) == torn(left));
    CHECK(torn(left) == 2);
}

TEST_CASE("power: an image is what a cut now would leave, and taking it changes nothing")
{
    cut_drive d(plain());
    cut_workload w(3);
    REQUIRE(d.host.power_up());
    REQUIRE(w.fill(d));
    std::vector<ram_image> seen;
    d.points.watch = [&](const flash_point&) { seen.push_back(d.nand.image()); };
    d.points.passed = 0;
    d.points.arm(9);
    CHECK_FALSE(w.run(d, 100));
    REQUIRE(seen.size() == 9);
    const ram_image left = d.nand.image();
    CHECK(programmed(seen.back()) == programmed(left));
    CHECK(torn(seen.back()) == torn(left));
    for (std::size_t i = 0; i < left.size(); ++i) {
        CHECK(seen.back()[i].torn == left[i].torn);
        CHECK(seen.back()[i].erases == left[i].erases);
    }
}

TEST_CASE("power: memory, queues and features go, firmware starts anew with the same parameters")
{
    cut_drive d(plain());
    cut_workload w(1);
    REQUIRE(d.host.power_up());
    REQUIRE(w.fill(d));
    const std::uint64_t written = d.nand.counters().host_units_written;
    CHECK(written > 0);
    d.nand.power_cut();
    CHECK(d.nand.last_counters().host_units_written == written);
    CHECK(d.nand.counters().magic == 0);
    CHECK(d.nand.csts() == 0);
    CHECK_FALSE(d.nand.sq_exists(1));
    CHECK_FALSE(d.host.start(write_op(0, 1)));
    CHECK_FALSE(d.host.pump());
    d.host.power_lost();
    CHECK(d.host.power_up());
    CHECK(d.nand.counters().magic == TELEMETRY_MAGIC);
    CHECK(d.nand.sq_exists(1));
    CHECK(d.nand.boot_reads() > 0); // today's bad-block scan
    CHECK(d.nand.boot_reads() <= d.nand.reads_since_power());
}

TEST_CASE("power: cuts inside boot, at each of its flash operations")
{
    cut_drive d(plain());
    std::uint64_t n = 0;
    for (;;) {
        d.nand.power_cut();
        d.host.power_lost();
        d.points.arm(++n, true);
        if (d.host.power_up()) {
            break;
        }
        REQUIRE(d.host.found.good());
        REQUIRE_FALSE(d.nand.powered());
        REQUIRE(n < 1000);
    }
    CHECK(n > 2 * 24 * 2); // begun and ended for each block
}

TEST_CASE("power: a cut in the middle of a doorbell leaves the core where it is")
{
    for (std::uint64_t point = 1; point < 40; ++point) {
        cut_drive d(plain("planes"));
        REQUIRE(d.host.power_up());
        d.points.arm(point);
        cut_workload w(point);
        w.run(d, 300);
        CHECK_FALSE(d.nand.powered());
        CHECK(d.host.found.good());
        d.nand.insert(ram_image(d.nand.image().size()));
        d.host.power_lost();
        CHECK(d.host.power_up()); // a fresh stack
    }
}

TEST_CASE("power: a shutdown completes, and power goes with nothing under way")
{
    cut_drive d(plain());
    cut_workload w(2);
    REQUIRE(d.host.power_up());
    REQUIRE(w.fill(d));
    REQUIRE(d.host.start(write_op(5, 3)));
    REQUIRE(d.host.drain());
    CHECK(d.shadow.legal_after_cut(5).size() == 2);
    REQUIRE(d.host.shut_down());
    CHECK(d.shadow.legal_after_cut(5).size() == 1); // a shutdown flushes
    CHECK(torn(d.nand.image()) == 0);
    d.nand.power_cut();
    CHECK(torn(d.nand.image()) == 0);
}

TEST_CASE("power: cells of another size are not inserted, nor while power is on")
{
    cut_drive d(plain());
    const ram_image cells = d.nand.image();
    CHECK_THROWS(d.nand.insert(cells));
    d.nand.power_cut();
    CHECK_NOTHROW(d.nand.insert(cells));
    CHECK_THROWS(d.nand.insert(ram_image(3)));
}

} // namespace ssdvp::test::power_test
