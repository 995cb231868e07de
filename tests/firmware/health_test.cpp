// SPDX-License-Identifier: Apache-2.0
//
// Data that move before they are lost, blocks that leave service, the patrol, and what the host is
// told of all that.
#include "tests/firmware/erring_drive.h"

namespace ssdvp::test::health_test {
namespace {

/// One read of unit 0 whose superblock then asks for a refresh, or does not.
telemetry after_reads(const ram_config& base, const ram_config::read_result& result,
                      std::uint32_t right_level, int reads, std::uint32_t sectors = 8)
{
    erring_drive x(base);
    drive& d = *x.d;
    fill(d);
    x.fate = [&](const nand_place&, const flash_desc& r) {
        ram_config::read_result now = result;
        now.uncorrectable = r.retry < right_level;
        return r.purpose == FLASH_PURPOSE_HOST ? now : ram_config::read_result{};
    };
    x.armed = true;
    for (int i = 0; i < reads; ++i) {
        REQUIRE(status_of_read(d, 0, sectors) == 0);
        x.armed = i != 0 || right_level == 0; // one retry is enough
        d.nand.settle();
    }
    x.armed = false;
    d.check_everything();
    d.check_identities();
    d.check_rules();
    CHECK(d.nand.count(FLASH_PURPOSE_REFRESH).programs * 2 >=
          d.nand.counters().refresh_units_moved);
    return d.nand.counters();
}

} // namespace

TEST_CASE("refresh: corrected bits per code word, at the limit and below it")
{
    ram_config c = tiny_drive();
    c.params.refresh.codeword = 1024; // a read of 4 KiB has 4 code words
    c.params.refresh.bits = 10;
    anchor_apart(c); // the first superblock for data is whole
    const telemetry below = after_reads(c, {false, 39, false}, 0, 3);
    CHECK(below.refresh_reasons[0] == 0);
    CHECK(below.refresh_runs == 0);
    const telemetry at = after_reads(c, {false, 40, false}, 0, 1);
    CHECK(at.refresh_reasons[0] == 1);
    CHECK(at.refresh_runs == 1);
    CHECK(at.refresh_units_moved == 128);
    c.params.refresh.bits = 0;
    CHECK(after_reads(c, {false, 4000, false}, 0, 3).refresh_runs == 0);
}

TEST_CASE("refresh: a read counts the code words that it touches, also in part")
{
    ram_config c = tiny_drive();
    c.params.refresh.codeword = 1024;
    c.params.refresh.bits = 10;
    // 1536 bytes: two code words, limit 20.
    CHECK(after_reads(c, {false, 19, false}, 0, 3, 3).refresh_runs == 0);
    CHECK(after_reads(c, {false, 20, false}, 0, 1, 3).refresh_runs == 1);
}

TEST_CASE("refresh: reads of a block since its erase")
{
    ram_config c = tiny_drive();
    c.params.refresh.reads = 100;
    // The check at the end reads its 16 units once.
    const telemetry below = after_reads(c, {}, 0, 83);
    CHECK(below.refresh_runs == 0);
    const telemetry at = after_reads(c, {}, 0, 84);
    CHECK(at.refresh_reasons[1] >= 1);
    CHECK(at.refresh_runs >= 1);
}

TEST_CASE("refresh: a read retry level that was needed")
{
    ram_config c = with_levels(3);
    c.params.refresh.level = 2;
    CHECK(after_reads(c, {}, 1, 1).refresh_runs == 0);
    const telemetry at = after_reads(c, {}, 2, 1);
    CHECK(at.refresh_reasons[2] == 1);
    CHECK(at.refresh_runs == 1);
    c.params.refresh.level = 0;
    CHECK(after_reads(c, {}, 3, 1).refresh_runs == 0);
}

TEST_CASE("refresh: a block that keeps asking for it leaves service")
{
    ram_config c = tiny_drive();
    c.params.ftl.user_units = 14 * 128;
    c.params.refresh.codeword = 1024;
    c.params.refresh.bits = 10;
    c.params.refresh.retire = GENERATE(0u, 3u);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    // One block of each superblock of the first LUN has many errors, whenever it was erased.
    x.fate = [](const nand_place& p, const flash_desc& r) {
        const bool weak = p.channel == 0 && p.lun == 0 && p.plane == 1;
        return ram_config::read_result{false, weak && r.purpose == FLASH_PURPOSE_HOST ? 400u : 0u,
                                       false};
    };
    x.armed = true;
    for (int round = 0; round < 30; ++round) {
        d.check_everything();
        d.idle();
    }
    const telemetry& t = d.nand.counters();
    CHECK(t.refresh_runs > 20);
    CHECK((t.retired[2] != 0) == (c.params.refresh.retire != 0));
    CHECK(t.bad_blocks == t.retired[2]);
    CHECK((t.spare_percent < 100) == (t.retired[2] != 0));
    d.check_everything();
    d.check_identities();
    d.check_rules();
    CHECK(d.statuses.size() == 1);
}

TEST_CASE("a block whose program failed is empty after its superblock was refreshed")
{
    ram_config c = tiny_drive();
    c.params.ftl.user_units = 14 * 128;
    anchor_apart(c);
    c.weak.insert({0, 0, 1, 5}); // from page 2 on
    drive d(c);
    d.create_queues();
    fill(d);
    const telemetry& t = d.nand.counters();
    CHECK(t.retired[0] == 1);
    CHECK(t.bad_blocks == c.factory_bad.size() + 1);
    CHECK(t.refresh_reasons[3] == 1);
    CHECK(t.refresh_runs == 1);
    CHECK(d.nand.erases({0, 0, 0, 5}) == 1); // its neighbour went round
    CHECK(d.nand.erases({0, 0, 1, 5}) == 0);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("patrol: a page of each full block per interval, found errors are refreshed")
{
    ram_config c = with_levels(1);
    anchor_apart(c);
    c.params.refresh.patrol_us = 30 * 1000; // 30 superblocks: one a millisecond
    c.params.refresh.level = 1;
    erring_drive x(c);
    drive& d = *x.d;
    fill(d); // 17 superblocks of 8 blocks
    for (int i = 0; i < 30; ++i) {
        REQUIRE(d.nand.elapse());
    }
    const telemetry& t = d.nand.counters();
    CHECK(t.patrol_reads == 17 * 8);
    CHECK(d.nand.count(FLASH_PURPOSE_SCAN).reads >= 17 * 8);
    CHECK(t.refresh_runs == 0);
    x.fate = [](const nand_place& p, const flash_desc& r) {
        const bool weak = p.block == 6 && p.channel == 1 && r.purpose == FLASH_PURPOSE_SCAN;
        return ram_config::read_result{weak && r.retry == 0, 0, false};
    };
    x.armed = true;
    const std::uint64_t begin = d.nand.time_ns();
    for (int i = 0; i < 30; ++i) {
        REQUIRE(d.nand.elapse());
    }
    CHECK(d.nand.time_ns() - begin > 29000000);
    CHECK(d.nand.time_ns() - begin < 31000000);
    CHECK(t.refresh_runs == 1);
    CHECK(t.refresh_reasons[2] == 1);
    // A shutdown ends it, a new start begins it anew.
    d.nand.write_cc(NVME_CC_EN | (1u << NVME_CC_SHN_SHIFT));
    d.nand.settle();
    const std::uint64_t reads = t.patrol_reads;
    for (int i = 0; i < 30; ++i) {
        d.nand.elapse();
    }
    CHECK(t.patrol_reads == reads);
    d.nand.write_cc(0);
    d.nand.settle();
    d.nand.enable();
    for (int i = 0; i < 30; ++i) {
        REQUIRE(d.nand.elapse());
    }
    CHECK(t.patrol_reads > reads);
    d.create_queues();
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("the log pages tell spare, wear, media errors, hours, retries and refreshes")
{
    ram_config c = with_levels(2);
    c.params.ftl.user_units = 15 * 128;
    c.params.wear.pe_cycles = 1500;
    c.params.wear.endurance = 3000;
    anchor_apart(c);
    c.weak.insert({0, 0, 1, 5});
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [](const nand_place&, const flash_desc& r) {
        return ram_config::read_result{r.page == 0 || r.retry != 2, 0, false};
    };
    x.armed = true;
    std::uint64_t lba = 0; // of the unit that lies on a page 0
    while (lba < 15 * 128 * 8 && status_of_read(d, lba, 8) != unrecovered) {
        lba += 8;
    }
    REQUIRE(lba < 15 * 128 * 8);
    const auto get = [](const std::vector<std::uint8_t>& page, std::size_t at) {
        std::uint64_t v = 0;
        std::memcpy(&v, &page[at], 8);
        return v;
    };
    std::vector<std::uint8_t> page(512);
    nvme_sqe q = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_SMART | (127u << 16));
    REQUIRE(d.nand.execute(0, q, &page).status == 0);
    CHECK(page[0] == 0);
    // 24 superblocks of 128 units, 15 for the user and 5 in reserve; 4 map pages and 32 units of
    // journal: spare is the rest, less a block of 16.
    CHECK(page[3] == (4 * 128 - 36 - 16) * 100 / (4 * 128 - 36));
    CHECK(page[4] == 10);
    CHECK(page[5] == 50);
    CHECK(get(page, 128) == 0);
    CHECK(get(page, 160) == 1);
    overwrite(d, 2000, 1); // page 0 of each victim is lost
    REQUIRE(d.nand.execute(0, q, &page).status == 0);
    CHECK(page[0] == 0x04);
    CHECK(get(page, 160) > 1);
    CHECK(get(page, 176) == 1);
    q = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_VENDOR | (127u << 16));
    REQUIRE(d.nand.execute(0, q, &page).status == 0);
    const telemetry& t = d.nand.counters();
    CHECK(get(page, 0) == 1);
    CHECK(get(page, 8) == t.retries[0]);
    CHECK(get(page, 16) == t.retries[1]);
    CHECK(t.retries[1] != 0);
    CHECK(get(page, 72) == t.recovered_reads);
    CHECK(get(page, 80) == t.lost_units);
    CHECK(get(page, 88) == t.units_lost);
    CHECK(get(page, 120) == 1); // a failed block
    CHECK(get(page, 128) == t.refresh_runs);
    CHECK(get(page, 136) == t.refresh_units_moved);
    CHECK(get(page, 152) == 1); // retired because of a program
    CHECK(get(page, 176) == c.factory_bad.size() + 1);
    for (std::uint32_t log = 0xC0; log <= 0xCF; ++log) { // other makers' logs: not ours to answer
        CAPTURE(log);
        q = admin(NVME_ADMIN_GET_LOG_PAGE, log | (127u << 16));
        CHECK(d.nand.execute(0, q, &page).status == (NVME_SC_INVALID_LOG_PAGE | NVME_STATUS_DNR));
    }
    d.check_rules();
}

} // namespace ssdvp::test::health_test
