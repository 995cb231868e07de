// SPDX-License-Identifier: Apache-2.0
//
// What the firmware does to the flash: merged reads, partial writes, padding, collection marks, bad
// blocks, wear, end of life, preconditioning.
#include <algorithm>
#include <set>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/drive_bench.h"

namespace ssdvp::test::flash_test {
namespace {

/// 4 KiB writes; `hot` of them in the first eighth of the drive.
void overwrite(drive& d, std::uint64_t count, double hot, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const std::uint64_t units = d.sectors() / 8;
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool in_hot = static_cast<double>(random() % 1000) < hot * 1000;
        const std::uint64_t unit = random() % (in_hot ? units / 8 : units);
        while (!d.start_write(unit * 8, 8)) {
            if (!d.pump()) {
                FAIL("stalled: " << d.nand.panic_text());
            }
        }
    }
    d.idle();
}

std::uint32_t erase_spread(const drive& d)
{
    return static_cast<std::uint32_t>(d.nand.counters().erase_max - d.nand.counters().erase_min);
}

} // namespace

TEST_CASE("units that follow each other in a page are read with one operation")
{
    drive d(tiny_drive());
    d.create_queues();
    for (std::uint64_t lba = 0; lba < 4096; lba += 64) { // one at a time: in order on the flash
        d.start_write(lba, 64);
        d.drain();
    }
    d.start_flush();
    d.idle();
    const std::uint64_t before = d.nand.count(FLASH_PURPOSE_HOST).read_operations;
    d.start_read(0, 16); // two units = one page
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == before + 1);
    d.start_read(1, 14);
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == before + 2);
    d.start_read(8, 16); // the second unit of one page, the first of the next
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == before + 4);
    d.check_rules();
}

TEST_CASE("reads: unmapped sectors and buffered units take no flash operation")
{
    drive d(tiny_drive());
    d.create_queues();
    d.start_read(100, 100);
    d.start_write(0, 8);
    d.drain();
    d.start_read(0, 8);
    d.drain();
    d.nand.settle();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == 0);
    CHECK(d.nand.counters().cache_read_hits == 1);
    CHECK(d.nand.counters().cache_write_misses == 1);
    d.start_write(0, 8);
    d.idle();
    CHECK(d.nand.counters().cache_write_hits == 1);
    d.check_rules();
}

TEST_CASE("partial writes are completed from flash once, when they leave the buffer")
{
    drive d(tiny_drive());
    d.create_queues();
    fill(d, 0.25);
    const auto reads = d.nand.count(FLASH_PURPOSE_HOST).read_operations;
    d.start_write(3, 1);
    d.drain();
    d.start_write(5, 2);
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == reads);
    d.start_flush();
    d.idle();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == reads + 1);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("flush pads a short write unit, FUA programs at once")
{
    drive d(tiny_drive());
    d.create_queues();
    d.start_write(0, 8);
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 0);
    d.start_flush();
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 1);
    d.nand.settle();
    CHECK(d.nand.counters().pad_units == 1); // a page of two units
    CHECK(d.nand.counters().host_units_written == 1);
    d.start_write(8, 8, true);
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 2);
    d.start_flush(); // nothing to do
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 2);
    d.check_identities();
}

TEST_CASE("a sequential fill writes each unit once, in whole write units")
{
    drive d(tiny_drive());
    d.create_queues();
    fill(d);
    const telemetry& t = d.nand.counters();
    CHECK(t.mapped == 17 * 128);
    CHECK(t.valid == 17 * 128);
    CHECK(t.host_units_written == 17 * 128);
    CHECK(t.pad_units == 0);
    CHECK(t.gc_units_moved == 0);
    CHECK(t.free_blocks >= 24 - 17 - 1); // the next one may be open
}

TEST_CASE("trim lowers collection work, ignored trim does not")
{
    std::uint64_t moved[2];
    for (std::uint32_t trim = 0; trim < 2; ++trim) {
        ram_config c = tiny_drive();
        c.params.host.trim = trim;
        drive d(c);
        d.create_queues();
        fill(d);
        d.start_trim({{0, static_cast<std::uint32_t>(d.sectors() / 2)}});
        d.idle();
        CHECK(d.nand.counters().trimmed_units == (trim != 0 ? 17 * 64 : 0));
        std::mt19937_64 random(5);
        for (int i = 0; i < 6000; ++i) {
            while (!d.start_write(d.sectors() / 2 + random() % (d.sectors() / 16) * 8, 8)) {
                d.pump();
            }
        }
        d.idle();
        moved[trim] = d.nand.counters().gc_units_moved;
        d.check_everything();
        d.check_identities();
        d.check_rules();
    }
    CHECK(moved[1] < moved[0] / 2);
}

TEST_CASE("collection starts below the low mark and stops at the high mark")
{
    struct marks {
        std::uint32_t low_permille, high_permille, low, high;
    };
    // of 27 superblocks, of which 12 are spare: low is at most 3, high at most 6. And low is at
    // least 3, for the host leaves one to collection and one to maps.
    for (const marks& m : {marks{75, 112, 3, 4}, marks{75, 223, 3, 6}, marks{112, 223, 3, 6},
                           marks{112, 186, 3, 5}, marks{500, 500, 3, 6}}) {
        ram_config c = tiny_drive();
        anchor_apart(c);
        c.params.ftl.user_units = 12 * 128;
        c.params.gc.low_permille = m.low_permille;
        c.params.gc.high_permille = m.high_permille;
        drive d(c);
        d.create_queues();
        INFO("marks " << m.low << ", " << m.high);
        const auto runs = [&d] { return d.nand.counters().gc_runs; };
        const auto free = [&d] { return d.nand.counters().free_blocks; };
        std::uint64_t unit = 0; // in order: the superblocks written first hold nothing valid
        const auto write = [&](std::uint64_t units) {
            for (; units != 0; units -= 4, unit = (unit + 4) % c.params.ftl.user_units) {
                while (!d.start_write(unit * 8, 32)) {
                    REQUIRE(d.pump());
                }
            }
            d.drain();
            d.start_flush();
            d.idle();
        };
        write(12 * 128 + 4); // 12 full, 4 of 128 units in the open one, 11 free
        REQUIRE(free() == 11);
        write((11 - m.low) * 128);
        CHECK(free() == m.low); // at the mark is not below it
        for (std::uint64_t round = 0; round < 4; ++round) {
            const std::uint64_t victims = round * (m.high - m.low + 1);
            write(120); // 4 units short of the next superblock
            CHECK(free() == m.low);
            CHECK(runs() == victims);
            CHECK(d.nand.count(FLASH_PURPOSE_GC).erases == victims * 8);
            write(8); // opens it: low - 1 are free, and each victim gives one back
            CHECK(runs() == victims + m.high - m.low + 1);
            CHECK(free() == m.high);
            write((m.high - m.low) * 128); // from the high mark down to the low one
            CHECK(free() == m.low);
        }
        CHECK(d.nand.counters().gc_units_moved == 0);
        d.check_identities();
        d.check_rules();
    }
}

TEST_CASE("the host waits for a part of a victim, never for all of it")
{
    ram_config c = tiny_drive();
    c.params.geometry.pages_per_block =
        64; // 25 superblocks of 1024 units = 512 pages, one for maps
    c.params.geometry.blocks_per_plane = 25;
    c.params.ftl.user_units = 17 * 1024;
    anchor_apart(c);
    drive d(c);
    d.create_queues();
    fill(d);
    overwrite(d, 40000, 0, 5);
    std::mt19937_64 random(6);
    std::uint64_t host = d.nand.count(FLASH_PURPOSE_HOST).programs;
    std::uint64_t moved = d.nand.count(FLASH_PURPOSE_GC).programs;
    const std::uint64_t moved_before = moved;
    const std::uint64_t runs_before = d.nand.counters().gc_runs;
    std::uint64_t most = 0; // pages that collection wrote between two programs of the host
    for (int i = 0; i < 40000; ++i) {
        while (!d.start_write(random() % c.params.ftl.user_units * 8, 8)) {
            REQUIRE(d.pump());
            const std::uint64_t now = d.nand.count(FLASH_PURPOSE_GC).programs;
            if (d.nand.count(FLASH_PURPOSE_HOST).programs != host) {
                host = d.nand.count(FLASH_PURPOSE_HOST).programs;
                moved = now;
            }
            most = std::max(most, now - moved);
        }
    }
    const std::uint64_t runs = d.nand.counters().gc_runs - runs_before;
    CHECK((moved - moved_before) / runs > 200); // pages of a victim
    CHECK(most <= 32); // two stripes of 4 LUNs x 2 planes, and as much read before
    d.idle();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("a host read never waits for more than one other operation")
{
    drive d(tiny_drive());
    d.create_queues();
    fill(d);
    std::mt19937_64 random(11);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t lba = random() % (d.sectors() / 8) * 8;
        while (!(i % 3 == 0 ? d.start_read(lba, 8) : d.start_write(lba, 8))) {
            d.pump();
        }
    }
    d.idle();
    CHECK(d.nand.counters().gc_units_moved > 1000);
    CHECK(d.nand.host_reads_behind_max == 1);
    d.check_identities();
    d.check_rules();
}

TEST_CASE("bad blocks: found at boot, never written")
{
    ram_config c = tiny_drive();
    c.params.ftl.user_units = 15 * 128;
    for (std::uint32_t i = 0; i < 12; ++i) {
        c.factory_bad.insert({i % 2, (i / 2) % 2, (i / 3) % 2, 1 + i * 2 % 23});
    }
    for (std::uint32_t lun = 0; lun < 2; ++lun) { // a whole superblock
        for (std::uint32_t channel = 0; channel < 2; ++channel) {
            c.factory_bad.insert({channel, lun, 0, 20});
            c.factory_bad.insert({channel, lun, 1, 20});
        }
    }
    drive d(c);
    d.create_queues();
    CHECK(d.nand.counters().bad_blocks == c.factory_bad.size());
    fill(d);
    overwrite(d, 6000, 0, 8);
    CHECK(d.nand.counters().bad_blocks == c.factory_bad.size());
    d.check_everything();
    d.check_identities();
    d.check_rules();
    for (const nand_place& p : c.factory_bad) {
        CHECK(d.nand.erases(p) == 0);
    }
}

TEST_CASE("bad blocks: programs and erases that fail lose no data")
{
    ram_config c = tiny_drive();
    c.params.ftl.user_units = 13 * 128;
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    c.params.ftl.multi_plane = GENERATE(0u, 1u);
    c.params.wear.static_delta = 3;
    for (std::uint32_t i = 0; i < 14; ++i) {
        c.weak.insert({i % 2, (i / 2) % 2, (i / 4) % 2, 2 + i});
        c.erase_weak.insert({(i + 1) % 2, (i / 2) % 2, i % 2, 22 - i});
    }
    drive d(c);
    d.create_queues();
    fill(d);
    std::mt19937_64 random(2);
    for (int i = 0; i < 12000; ++i) {
        const std::uint64_t lba = random() % (d.sectors() - 12);
        const auto len = static_cast<std::uint32_t>(1 + random() % 12);
        const bool ok = i % 4 == 0    ? d.start_read(lba, len)
                        : i % 50 == 1 ? d.start_flush()
                        : i % 31 == 1 ? d.start_trim({{lba, len}})
                                      : d.start_write(lba, len, i % 9 == 0);
        if (!ok) {
            d.pump();
        }
    }
    d.drain();
    CHECK(d.nand.counters().bad_blocks >= 15);
    CHECK(d.nand.counters().read_only == 0);
    d.check_everything();
    d.check_identities();
    d.check_rules();
    CHECK(d.statuses.size() == 1);
}

TEST_CASE("static wear levelling narrows the spread of erase counts")
{
    std::uint32_t spread[2];
    for (std::uint32_t on = 0; on < 2; ++on) {
        ram_config c = tiny_drive();
        c.params.wear.static_delta = on != 0 ? 4 : 0;
        drive d(c);
        d.create_queues();
        fill(d);
        overwrite(d, 60000, 1.0, 4); // seven eighths of the data never change
        spread[on] = erase_spread(d);
        CHECK((d.nand.counters().wear_units_moved != 0) == (on != 0));
        CHECK((d.nand.count(FLASH_PURPOSE_WEAR).programs != 0) == (on != 0));
        d.check_everything();
        d.check_identities();
        d.check_rules();
    }
    CHECK(spread[0] > 40);
    CHECK(spread[1] <= 10);
}

TEST_CASE("dynamic wear levelling narrows the spread among blocks in use")
{
    std::uint64_t spread[2];
    for (std::uint32_t on = 0; on < 2; ++on) {
        ram_config c = tiny_drive();
        c.params.wear.dynamic = on;
        c.params.ftl.user_units = 8 * 128;
        drive d(c);
        d.create_queues();
        fill(d);
        // Cold data are collected now and then, hot superblocks go round quickly.
        overwrite(d, 40000, 0.95, 4);
        const telemetry& t = d.nand.counters();
        spread[on] = t.erase_square_sum * t.erase_blocks - t.erase_sum * t.erase_sum;
        d.check_rules();
    }
    CHECK(spread[1] < spread[0]);
}

TEST_CASE("end of life: worn blocks retire until the drive is read-only, data stay")
{
    ram_config c = tiny_drive();
    c.endurance = 12;
    c.params.wear.static_delta = GENERATE(0u, 3u);
    drive d(c);
    d.create_queues();
    fill(d);
    std::mt19937_64 random(6);
    std::uint64_t i = 0;
    while (d.nand.counters().read_only == 0 && i++ < 200000) {
        if (!d.start_write(random() % (d.sectors() / 8) * 8, 8) && !d.pump()) {
            FAIL("stalled before the end of life");
        }
    }
    d.drain();
    REQUIRE(d.nand.counters().read_only == 1);
    const std::uint16_t fault = NVME_SC_WRITE_FAULT | NVME_STATUS_DNR;
    std::vector<std::uint8_t> data(4096);
    CHECK(d.nand.execute(1, io(NVME_IO_WRITE, 0, 8), &data).status == fault);
    CHECK(d.nand.execute(1, io(NVME_IO_WRITE_ZEROES, 0, 8)).status == fault);
    std::vector<std::uint8_t> page(512);
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_SMART | (127u << 16)), &page)
                .status == 0);
    CHECK(page[0] == 0x09);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("an over-provisioning that cannot work is refused at boot")
{
    ram_config c = tiny_drive();
    c.params.ftl.user_units = 22 * 128;
    drive d(c);
    CHECK(d.nand.panicked());
}

TEST_CASE("more units than a spare word can name are refused at boot")
{
    ram_config c = tiny_drive();
    c.params.geometry.channels = 1;
    c.params.geometry.luns_per_channel = 1;
    c.params.geometry.planes = 1;
    c.params.geometry.blocks_per_plane = 65536;
    c.params.geometry.pages_per_block = 65535;
    c.params.geometry.page_size = 16384;
    c.params.geometry.oob_size = 264;
    c.params.ftl.map_unit = 512; // 2^37 units
    c.params.ftl.user_units = (UINT64_C(1) << 35) + 1;
    ram_nand nand(c);
    CHECK(nand.panicked());
}

TEST_CASE("too little memory is refused at boot")
{
    ram_config c = tiny_drive();
    SECTION("DRAM")
    {
        c.params.dram_size = 1u << 20;
    }
    SECTION("SRAM")
    {
        c.params.sram_size = 32u << 10;
    }
    drive d(c);
    CHECK(d.nand.panicked());
}

TEST_CASE("preconditioning fills and overwrites through the same map")
{
    ram_config c = tiny_drive();
    c.params.ftl.multi_plane = GENERATE(0u, 1u);
    const bool faulty = GENERATE(false, true);
    if (faulty) {
        c.params.ftl.user_units = 15 * 128;
        for (std::uint32_t i = 0; i < 8; ++i) {
            c.weak.insert({i % 2, (i / 2) % 2, (i / 4) % 2, 3 + i});
            c.factory_bad.insert({i % 2, (i / 4) % 2, i % 2, 12 + i});
        }
    }
    drive d(c);
    std::mt19937_64 random(1);
    const std::uint64_t units = c.params.ftl.user_units;
    std::vector<std::uint64_t> batch;
    std::vector<std::uint64_t> tags;
    for (std::uint64_t i = 0; i < 4 * units;) {
        batch.clear();
        tags.clear();
        for (std::uint64_t n = 1 + random() % ram_nand::batch; n != 0 && i < 4 * units; --n, ++i) {
            batch.push_back(i < units ? i : random() % units);
            for (std::uint64_t s = 0; s < 8; ++s) {
                tags.push_back(d.copy.tag(batch.back() * 8 + s));
                d.copy.set(batch.back() * 8 + s, tags.back());
            }
        }
        REQUIRE(d.nand.precondition(batch, tags) == 0);
    }
    REQUIRE(d.nand.precondition_end() == 0);
    const telemetry& t = d.nand.counters();
    CHECK(t.mapped == units);
    CHECK(t.valid == units);
    CHECK(t.gc_runs > 10);
    CHECK(d.nand.count(FLASH_PURPOSE_GC).programs == 0);
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 0);
    d.create_queues();
    d.check_everything();
    overwrite(d, 4000, 0, 6); // and the running firmware goes on from there
    d.check_everything();
    d.check_identities(6); // a record of 3 pages on two LUNs
    d.check_rules();
}

TEST_CASE("writes that wait say why")
{
    ram_config c = tiny_drive();
    drive d(c);
    d.create_queues();
    fill(d);
    overwrite(d, 6000, 0, 9);
    CHECK(d.waits[FE_WAIT_BUFFER] + d.waits[FE_WAIT_GC] > 0);
    CHECK(d.waits[FE_WAIT_ERASE] == 0);
}

} // namespace ssdvp::test::flash_test
