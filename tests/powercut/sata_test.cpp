// SPDX-License-Identifier: Apache-2.0
//
// Behind SATA: what a cut leaves, what FLUSH CACHE EXT promises, COMRESET under load.
#include <catch2/catch.hpp>

#include "tests/powercut/campaign_parts.h"

namespace ssdvp::test::sata_test {
namespace {

constexpr std::uint32_t sectors = 8;

cut_setup plain(const char* geometry = "small+sata")
{
    cut_setup s = setup_of("page_map", geometry);
    s.faults = {0, 0, 0, 0};
    return s;
}

host_op op_of(std::uint8_t opcode, std::uint64_t lba = 0, std::uint32_t n = 0, bool fua = false)
{
    host_op op;
    op.opcode = opcode;
    op.lba = lba;
    op.sectors = n;
    op.fua = fua;
    return op;
}

/// One after the other, so that some are queued and some are not. False: the power went.
bool write_all(cut_drive& d, std::uint64_t from, std::uint64_t to, bool fua = false)
{
    for (std::uint64_t lba = from; lba < to; lba += sectors) {
        if (!d.host.start(op_of(NVME_IO_WRITE, lba, sectors, fua)) || !d.host.drain()) {
            return false;
        }
    }
    return true;
}

bool flush(cut_drive& d)
{
    return d.host.start(op_of(NVME_IO_FLUSH)) && d.host.drain();
}

/// Sectors that may hold one thing only.
std::uint64_t certain(const cut_drive& d, std::uint64_t from, std::uint64_t to)
{
    std::uint64_t n = 0;
    for (std::uint64_t lba = from; lba < to; ++lba) {
        n += d.shadow.legal_after_cut(lba).size() == 1 ? 1 : 0;
    }
    return n;
}

void cut(cut_drive& d)
{
    d.nand.power_cut();
    d.host.power_lost();
}

} // namespace

TEST_CASE("sata: what was flushed, or written with FUA, is there after a cut, the rest may be")
{
    cut_drive d(plain());
    REQUIRE(d.host.power_up());
    REQUIRE(write_all(d, 0, 320)); // with more than the buffer takes
    REQUIRE(flush(d));
    REQUIRE(write_all(d, 320, 384, true));
    REQUIRE(write_all(d, 384, 400));
    CHECK(certain(d, 0, 384) == 384);
    CHECK(certain(d, 384, 400) == 0);
    cut(d);
    REQUIRE(d.host.power_up());
    CHECK(d.host.check_everything());
    CHECK(d.host.found.first == "");
    CHECK(d.host.found.checked == d.shadow.sectors());
}

TEST_CASE("sata: a cut in the midst of a flush leaves old or new, and the flush promises nothing")
{
    for (std::uint64_t point = 1; point <= 9; ++point) {
        cut_drive d(plain("tiny+sata"));
        REQUIRE(d.host.power_up());
        REQUIRE(write_all(d, 0, 32));
        REQUIRE(flush(d));
        REQUIRE(write_all(d, 0, 8));
        d.points.arm(point);
        CHECK_FALSE(flush(d));
        REQUIRE_FALSE(d.nand.powered());
        CHECK(certain(d, 0, 8) == 0);
        d.host.power_lost();
        REQUIRE(d.host.power_up());
        CHECK(d.host.check_everything());
        CAPTURE(point);
        CHECK(d.host.found.first == "");
    }
}

TEST_CASE("sata: STANDBY IMMEDIATE keeps everything, and the next power-up has less to read")
{
    std::uint64_t reads[2] = {};
    for (const bool standby : {false, true}) {
        cut_drive d(plain());
        REQUIRE(d.host.power_up());
        REQUIRE(write_all(d, 0, 384));
        REQUIRE((standby ? d.host.shut_down() : flush(d)));
        CHECK(certain(d, 0, 384) == 384);
        cut(d);
        REQUIRE(d.host.power_up());
        reads[standby ? 1 : 0] = d.nand.boot_reads();
        CHECK(d.host.check_everything());
        CHECK(d.host.found.first == "");
    }
    CHECK(reads[1] < reads[0]);
}

TEST_CASE("sata: COMRESET under load loses nothing that was acknowledged")
{
    cut_drive d(plain());
    REQUIRE(d.host.power_up());
    REQUIRE(write_all(d, 0, 384));
    for (std::uint32_t round = 0; round < 12; ++round) {
        std::uint32_t queued = 0;
        while (queued != 6) { // all from one that is not queued to the next
            REQUIRE(d.host.drain());
            queued = 0;
            while (d.host.start(op_of(NVME_IO_WRITE, queued * 12, 8))) {
                ++queued;
            }
        }
        for (std::uint32_t i = 0; i < round * 3; ++i) {
            d.host.pump();
        }
        REQUIRE(d.host.reset());
        CHECK(d.host.check_everything());
    }
    CHECK(d.host.found.first == "");
    CHECK(d.host.found.checked == 12 * d.shadow.sectors());
}

TEST_CASE("sata: a drive that forgets everything is found out")
{
    campaign_options o;
    o.geometry = "tiny+sata";
    o.forget_everything = true;
    o.runs = 1;
    for (const char* mode : {"random", "reentrant"}) {
        o.mode = mode;
        const campaign_report r = run_campaign(o);
        CAPTURE(mode, r.failure);
        CHECK(r.lost > 0);
        CHECK(r.command.find("tiny+sata") != std::string::npos);
    }
}

TEST_CASE("sata: 2000 requests use everything, COMRESET too, and nothing is lost")
{
    campaign_options o;
    o.geometry = "planes+sata";
    o.mode = "reentrant";
    o.runs = 2;
    o.first = ~0ull; // no point is that far
    campaign_report r = run_campaign(o);
    CHECK(r.failure == "");
    CHECK(not_exercised(r, o.geometry) == "");
    r.requests.comresets = 0;
    CHECK(not_exercised(r, o.geometry) == "COMRESET");
    o.scheme = reference_scheme;
    CHECK_THROWS_WITH(run_campaign(o), Catch::Contains("no SATA"));
}

} // namespace ssdvp::test::sata_test
