// SPDX-License-Identifier: Apache-2.0
//
// What firmware does about flash that errs: read retry, units that are lost for good, operations
// that fail once. The host never gets other bytes as if they were good.
#include <algorithm>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/lost_units.h"

namespace ssdvp::test::errors_test {
namespace {

/// Every read of the host ends well or with Unrecovered Read Error; a write that must be durable
/// may meet a unit whose rest is lost.
void check_statuses(drive& d)
{
    for (const auto& s : d.statuses) {
        CHECK((s.first == 0 || s.first == unrecovered || s.first == NVME_SC_WRITE_FAULT));
    }
}

} // namespace

TEST_CASE("read retry: levels go up from the one that was right last, each once")
{
    const std::uint32_t right = GENERATE(1u, 2u, 3u, 5u);
    erring_drive x(with_levels(5));
    drive& d = *x.d;
    fill(d);
    std::vector<std::uint32_t> levels;
    x.fate = [&](const nand_place&, const flash_desc& r) {
        levels.push_back(r.retry);
        return ram_config::read_result{r.retry != right, 0, false};
    };
    x.armed = true;
    d.start_read(0, 8);
    d.drain();
    std::vector<std::uint32_t> expected;
    for (std::uint32_t l = 0; l <= right; ++l) {
        expected.push_back(l);
    }
    CHECK(levels == expected);
    levels.clear();
    d.start_read(8, 8); // the same superblock remembers
    d.drain();
    CHECK(levels == std::vector<std::uint32_t>{0, right});
    d.nand.settle();
    CHECK(d.nand.counters().recovered_reads == 2);
    CHECK(retries(d.nand.counters()) == right + 1);
    CHECK(d.nand.counters().retries[right - 1] == 2);
    CHECK(d.statuses.size() == 1);
    d.check_rules();
}

TEST_CASE("read retry: when no level is right the read ends, with an error and its buffer back")
{
    const std::uint32_t levels = GENERATE(0u, 1u, 4u);
    erring_drive x(with_levels(levels));
    drive& d = *x.d;
    fill(d);
    std::uint64_t reads = 0;
    x.fate = [&](const nand_place&, const flash_desc&) {
        ++reads;
        return ram_config::read_result{true, 0, false};
    };
    x.armed = true;
    for (std::uint64_t i = 0; i < 200; ++i) { // more than there are buffers
        CHECK(status_of_read(d, i * 8, 8) == unrecovered);
    }
    CHECK(reads == 200 * (levels + 1));
    d.nand.settle();
    CHECK(d.nand.counters().media_errors == 200);
    CHECK(d.nand.counters().lost_units == 0); // a later read may succeed
    x.armed = false;
    d.check_everything();
    d.check_rules();
}

TEST_CASE("read retry: reads that complete a write and reads of collection retry too")
{
    erring_drive x(with_levels(2));
    drive& d = *x.d;
    fill(d);
    x.fate = [](const nand_place&, const flash_desc& r) {
        return ram_config::read_result{r.retry != 2, 0, false};
    };
    x.armed = true;
    d.start_write(3, 1);
    d.start_flush();
    d.idle();
    CHECK(d.nand.counters().recovered_reads == 1);
    overwrite(d, 6000, 3);
    CHECK(d.nand.counters().gc_units_moved > 100);
    CHECK(d.nand.counters().lost_units == 0);
    d.check_everything();
    d.check_identities();
    d.check_rules();
    CHECK(d.statuses.size() == 1);
}

TEST_CASE("lost units: only what cannot be read is lost, and writes go on")
{
    ram_config c = with_levels(2);
    const bool oob_lost = GENERATE(false, true);
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    // Slot 1 of page 2 of every block is beyond any level; the other slot alone is readable.
    x.fate = [oob_lost](const nand_place&, const flash_desc& r) {
        const bool covers = r.column + r.length > 4096;
        return ram_config::read_result{r.page == 2 && covers, 0, oob_lost};
    };
    x.armed = true;
    overwrite(d, 3000, 5);
    const telemetry& t = d.nand.counters();
    CHECK(t.units_lost > 20);
    CHECK(t.lost_units > 0);
    CHECK(t.lost_units <= t.units_lost);
    CHECK(t.media_errors >= t.units_lost);
    CHECK(t.read_only == 0);
    x.armed = false;
    // What is lost stays lost through further moves, and reads say so.
    const std::uint64_t lost = t.lost_units;
    const auto errors = [&] {
        std::uint64_t n = 0;
        for (std::uint64_t lba = 0; lba < d.sectors(); lba += 8) {
            n += status_of_read(d, lba, 8) == unrecovered ? 1 : 0;
        }
        return n;
    };
    CHECK(errors() == lost);
    d.check_everything();
    d.check_identities();
    d.check_rules();
    check_statuses(d);
    CHECK(d.statuses.count(unrecovered) == 1);
}

TEST_CASE("lost units: the mark survives collection and reset, and ends with a write or a trim")
{
    ram_config c = with_levels(0);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    lose_a_page(x);
    overwrite(d, 1000, 2);
    x.armed = false;
    const std::vector<std::uint64_t> lost = units_that_read(d, unrecovered);
    REQUIRE(lost.size() > 10);
    CHECK(d.nand.counters().lost_units == lost.size());
    write_around(d, lost);
    CHECK(d.nand.counters().lost_units == lost.size());
    check_marks(d, lost);
    d.nand.write_cc(0);
    d.nand.settle();
    d.nand.enable();
    d.create_queues();
    for (const std::uint64_t lba : lost) {
        REQUIRE(status_of_read(d, lba, 8) == unrecovered);
        REQUIRE(status_of_read(d, lba + 3, 1) == unrecovered);
    }
    d.start_trim({{lost[0], 8}});
    d.start_write(lost[1], 8);
    d.start_zeroes(lost[2], 8);
    d.idle();
    d.start_flush();
    d.idle();
    CHECK(d.nand.counters().lost_units == lost.size() - 3);
    for (const std::size_t i : {0u, 1u, 2u}) {
        CHECK(status_of_read(d, lost[i], 8) == 0);
    }
    CHECK(status_of_read(d, lost[3], 8) == unrecovered);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("lost units: a partial write leaves the unit lost, writes that cover it cure it")
{
    ram_config c = with_levels(0);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [](const nand_place&, const flash_desc&) {
        return ram_config::read_result{true, 0, false};
    };
    x.armed = true;
    d.start_write(82, 2); // the rest of unit 10 cannot be read
    d.drain();
    CHECK(status_of_read(d, 82, 2) == 0); // in the buffer
    CHECK(status_of_read(d, 80, 8) == unrecovered);
    d.start_flush();
    d.idle();
    x.armed = false;
    CHECK(d.nand.counters().lost_units == 1);
    CHECK(status_of_read(d, 82, 2) == unrecovered);
    CHECK(status_of_read(d, 80, 2) == unrecovered);
    CHECK(status_of_read(d, 72, 8) == 0);
    // A command that meets a lost unit among others ends with the error, once.
    CHECK(status_of_read(d, 64, 40) == unrecovered);
    // A write that must be durable cannot be, in part of a lost unit: it says so.
    std::vector<std::uint8_t> data(512);
    CHECK(d.nand.execute(1, io(NVME_IO_WRITE, 82, 1, true), &data).status == NVME_SC_WRITE_FAULT);
    CHECK(d.nand.counters().lost_units == 1);
    d.start_write(80, 4);
    d.start_write(84, 4);
    d.start_flush();
    d.idle();
    CHECK(d.nand.counters().lost_units == 0);
    CHECK(status_of_read(d, 80, 8) == 0);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("a unit that is lost costs no error to whoever overwrites it meanwhile")
{
    ram_config c = with_levels(1);
    c.seed = GENERATE(1u, 2u, 3u);
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    std::mt19937_64 fate(c.seed);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [&fate](const nand_place&, const flash_desc&) {
        return ram_config::read_result{fate() % 5 == 0, 0, fate() % 2 == 0};
    };
    x.armed = true;
    std::mt19937_64 random(c.seed + 7);
    for (int i = 0; i < 40000; ++i) {
        const auto len = static_cast<std::uint32_t>(1 + random() % 24);
        const std::uint64_t lba = random() % (d.sectors() - len);
        const std::uint64_t kind = random() % 20;
        const bool started = kind < 8    ? d.start_read(lba, len)
                             : kind < 16 ? d.start_write(lba, len, kind == 15)
                             : kind < 17 ? d.start_flush()
                             : kind < 18 ? d.start_zeroes(lba, len)
                                         : d.start_trim({{lba, len}});
        for (std::uint64_t k = started ? random() % 5 : 8; k != 0 && d.pump(); --k) {
        }
    }
    d.drain();
    d.check_everything();
    d.check_identities();
    d.check_rules();
    check_statuses(d);
    CHECK(d.statuses[unrecovered] > 100);
    CHECK(d.nand.counters().units_lost > 100);
    CHECK(d.nand.counters().recovered_reads > 1000);
    CHECK(d.nand.counters().read_only == 0);
}

namespace {

enum class step { read, program, erase };

/// Fails the k-th operation of a kind after the fill; the workload goes on through collection.
void fail_once(step what, std::uint64_t k)
{
    ram_config c = with_levels(0);
    c.params.ftl.user_units = 14 * 128;
    std::uint64_t count = 0;
    bool armed = false;
    const auto hit = [&](step s) { return armed && s == what && ++count == k; };
    c.on_read = [&](const nand_place&, const flash_desc&) {
        return ram_config::read_result{hit(step::read), 0, k % 2 == 0};
    };
    c.on_program = [&](const nand_place&, const flash_desc&) { return hit(step::program); };
    c.on_erase = [&](const nand_place&, const flash_desc&) { return hit(step::erase); };
    drive d(c);
    d.create_queues();
    fill(d);
    armed = true;
    std::mt19937_64 random(k);
    for (int i = 0; i < 2500; ++i) {
        const auto len = static_cast<std::uint32_t>(1 + random() % 16);
        const std::uint64_t lba = random() % (d.sectors() - len);
        while (!(i % 3 == 0 ? d.start_read(lba, len) : d.start_write(lba, len, i % 11 == 0))) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    INFO("operation " << k);
    const telemetry& t = d.nand.counters();
    CHECK(count > k);
    CHECK(t.gc_runs > 0);
    d.check_everything();
    d.check_identities();
    d.check_rules();
    CHECK(t.read_only == 0);
    CHECK(t.bad_blocks == (what == step::read ? 0 : 1));
    CHECK(t.retired[what == step::program ? 0 : 1] == (what == step::read ? 0 : 1));
    CHECK(t.refresh_reasons[3] == (what == step::program ? 1 : 0));
    CHECK(t.refresh_runs <= t.refresh_reasons[3]); // or garbage collection came first
    CHECK((d.statuses.count(unrecovered) != 0) <= (what == step::read));
    check_statuses(d);
}

} // namespace

TEST_CASE("one read fails: the first, the second, ...")
{
    for (std::uint64_t k = 1; k < 60; ++k) {
        fail_once(step::read, k * k);
    }
}

TEST_CASE("one program fails: the first, the second, ...")
{
    for (std::uint64_t k = 1; k < 40; ++k) {
        fail_once(step::program, k * k);
    }
}

TEST_CASE("one erase fails: the first, the second, ...")
{
    for (std::uint64_t k = 1; k < 40; ++k) {
        fail_once(step::erase, k);
    }
}

TEST_CASE(
    "programs and erases fail often: the drive serves until it is read-only, and never stalls")
{
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const std::uint64_t programs = seed % 4 == 0 ? 10 : 80;
        const std::uint64_t erases = seed % 5 == 0 ? 10 : 60;
        fail_until_read_only(with_levels(0), seed, programs, erases, [](drive& d) {
            CHECK(d.nand.counters().spare_percent == 0);
            d.check_everything();
            d.check_identities();
            d.check_rules();
        });
    }
}

} // namespace ssdvp::test::errors_test
