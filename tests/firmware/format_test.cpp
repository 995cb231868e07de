// SPDX-License-Identifier: Apache-2.0
//
// Format NVM, and deallocation of a drive as a whole or of large parts, with each scheme: nothing
// is left of the data, all that they took is free, and what lies beside them is as it was.
#include <cstring>

#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/blockmap_bench.h"
#include "tests/firmware/cut_rounds.h"
#include "tests/firmware/map_bench.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::format_test {
namespace {

struct formatted_drive {
    const char* name;
    ram_config config;
};

/// A map that is paged, and room for its pages.
ram_config of_maps(ftl_scheme_id scheme, std::uint64_t cache)
{
    ram_config c = tiny_drive();
    c.params.ftl.scheme = scheme;
    c.params.map.cache = cache;
    c.params.map.batch = 1;
    c.params.map.segments = 1;
    c.params.geometry.blocks_per_plane = 40;
    return c;
}

ram_config of_blocks(std::uint32_t log_blocks)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.ftl.scheme = FTL_SCHEME_LOG_SET_BLOCK;
    p.ftl.stripe = STRIPE_BLOCK;
    p.ftl.map_unit = p.geometry.page_size;
    p.ftl.user_units = 120 * p.geometry.pages_per_block - 3;
    p.cache.capacity = 48ull * p.ftl.map_unit;
    p.map.log_blocks = log_blocks;
    return c;
}

std::vector<formatted_drive> formatted_drives()
{
    std::vector<formatted_drive> all = {
        {"page_map", tiny_drive()},
        {"dftl, all in memory", of_maps(FTL_SCHEME_DFTL, 6000 * BOOT_MAP_CACHE_ENTRY)},
        {"dftl", of_maps(FTL_SCHEME_DFTL, 60 * BOOT_MAP_CACHE_ENTRY)},
        {"log_set", of_maps(FTL_SCHEME_LOG_SET, 16 * 4096)},
        {"vm_map", of_maps(FTL_SCHEME_VM_MAP, 0)},
        {"log_set_block", of_blocks(0)},
        {"log_set_block, log", of_blocks(8)},
    };
    for (const ftl_scheme_id scheme : placed_schemes) {
        all.push_back({"placed", whole_of(scheme)});
    }
    return all;
}

std::uint16_t format(drive& d)
{
    nvme_sqe q = admin(NVME_ADMIN_FORMAT);
    q.nsid = 1;
    return d.nand.execute(0, q).status;
}

/// All over the drive, pieces of units among them; some stay in the buffer.
void write_all_over(drive& d, std::uint64_t requests)
{
    std::mt19937_64 random(11);
    for (std::uint64_t n = 0; n < requests; ++n) {
        const auto length = static_cast<std::uint32_t>(1 + random() % 40);
        const std::uint64_t lba = random() % (d.sectors() - length);
        while (!d.start_write(lba, length)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
}

/// A merge of log_set_block writes zeroes for units that are not there: a few may be mapped.
void expect_zeroes(drive& d, bool unmapped)
{
    for (std::uint64_t lba = 0; lba < d.sectors(); ++lba) {
        d.copy.set(lba, 0);
    }
    d.check_everything();
    CHECK((d.nand.counters().mapped == 0 || !unmapped));
}

} // namespace

TEST_CASE("format: nothing is left of a full drive, and all of it can be written again")
{
    const std::size_t which = GENERATE(range(std::size_t{0}, std::size_t{15}));
    const formatted_drive f = formatted_drives().at(which);
    INFO(f.name << ", scheme " << f.config.params.ftl.scheme);
    drive d(f.config);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    const bool unmapped = f.config.params.ftl.scheme != FTL_SCHEME_LOG_SET_BLOCK;
    REQUIRE(format(d) == 0); // of an empty drive
    for (int round = 0; round < 2; ++round) {
        fill(d);
        write_all_over(d, 400);
        REQUIRE(format(d) == 0);
        d.idle();
        expect_zeroes(d, unmapped);
        if (round == 0) { // counters begin anew with the power
            d.check_identities();
        }
        power_cycle(d);
        d.idle();
        expect_zeroes(d, unmapped);
    }
    fill(d);
    write_all_over(d, 1500);
    flush(d);
    d.check_everything();
    d.check_rules();
    CHECK(d.mismatches == 0);
}

TEST_CASE("deallocate: large ranges leave what lies beside them, through cuts")
{
    const std::size_t which = GENERATE(range(std::size_t{0}, std::size_t{15}));
    const formatted_drive f = formatted_drives().at(which);
    INFO(f.name << ", scheme " << f.config.params.ftl.scheme);
    drive d(f.config);
    d.create_queues();
    std::mt19937_64 random(3);
    std::uint64_t trimmed = 0;
    for (int round = 0; round < 6; ++round) {
        write_all_over(d, 300);
        for (int n = 0; n < 4; ++n) {
            const std::uint64_t first = random() % d.sectors();
            const std::uint64_t count = 1 + random() % (d.sectors() - first);
            while (!d.start_trim({{first, static_cast<std::uint32_t>(count)}})) {
                REQUIRE(d.pump());
            }
            write_all_over(d, 20);
        }
        flush(d);
        d.check_everything();
        d.check_rules();
        if (round < 2) {
            d.check_identities();
        }
        if (round % 2 == 1) {
            trimmed += d.nand.counters().trimmed_units;
            power_cycle(d);
            d.check_everything();
        }
    }
    CHECK(trimmed > f.config.params.ftl.user_units);
    CHECK(d.mismatches == 0);
}

TEST_CASE("format: a cut at any operation of it leaves each sector as it was, or zeroes")
{
    const std::size_t which = GENERATE(0u, 1u, 2u, 3u, 4u, 5u, 8u, 11u);
    formatted_drive f = formatted_drives().at(which);
    INFO(f.name << ", scheme " << f.config.params.ftl.scheme);
    std::uint64_t points = 0, last = 0;
    bool armed = false;
    f.config.on_point = [&](const flash_point&) { return armed && ++points == last; };
    drive d(f.config);
    d.create_queues();
    fill(d);
    write_all_over(d, 200);
    flush(d);
    const ram_image full = d.nand.image();
    bool cut = true;
    for (last = 1; cut; last += 1 + last / 8) {
        d.nand.power_cut();
        d.forget();
        d.nand.insert(full);
        d.nand.power_on();
        REQUIRE(d.nand.enable());
        d.create_queues();
        points = 0;
        armed = true;
        bool done = false;
        try {
            done = format(d) == 0;
        } catch (const std::runtime_error&) {
        }
        armed = false;
        cut = !d.nand.powered();
        INFO("cut at point " << last);
        REQUIRE(done != cut);
        if (!cut) {
            d.nand.power_cut();
        }
        d.nand.power_on();
        REQUIRE(d.nand.enable());
        d.create_queues();
        for (std::uint64_t lba = 0; lba < d.sectors(); lba += 8) {
            std::vector<std::uint8_t> data(8 * 512);
            REQUIRE(d.nand.execute(1, io(NVME_IO_READ, lba, 8), &data).status == 0);
            const std::uint64_t tag = get(data, 0, 8);
            CHECK((tag == 0 || (cut && tag >> 24 == lba)));
        }
        d.check_rules();
    }
    CHECK(last > 8);
}

/// Whether the drive had come to its record or not, nothing older than what it had acknowledged is
/// there after the next Flush, and a loss of power.
TEST_CASE("format: one that a reset calls off leaves what was written last, or zeroes")
{
    constexpr std::uint64_t sectors = 8;
    constexpr std::uint64_t writes = 6;
    constexpr std::uint64_t mark = 0xA5A5;
    const std::size_t which = GENERATE(0u, 1u, 2u, 3u, 4u);
    const formatted_drive f = formatted_drives().at(which);
    INFO(f.name << ", scheme " << f.config.params.ftl.scheme);
    drive d(f.config);
    d.create_queues();
    fill(d);
    flush(d);
    const ram_image full = d.nand.image();
    for (int steps = 0; steps < 60; steps += 1 + steps / 6) {
        d.nand.power_cut();
        d.forget();
        d.nand.insert(full);
        d.nand.power_on();
        REQUIRE(d.nand.enable());
        d.create_queues();
        std::vector<std::uint8_t> data(sectors * 512);
        for (std::uint64_t i = 0; i < sectors; ++i) {
            std::memcpy(&data[i * 512], &mark, sizeof mark);
        }
        for (std::uint64_t n = 0; n < writes; ++n) {
            REQUIRE(d.nand.execute(1, io(NVME_IO_WRITE, n * 40, sectors), &data).status == 0);
        }
        nvme_sqe q = admin(NVME_ADMIN_FORMAT);
        q.nsid = 1;
        REQUIRE(d.nand.submit(0, q, nullptr) >= 0);
        for (int n = 0; n < steps && d.nand.step(); ++n) {
        }
        d.nand.write_cc(0);
        while ((d.nand.csts() & NVME_CSTS_RDY) != 0) {
            REQUIRE(d.nand.step());
        }
        d.forget();
        REQUIRE(d.nand.enable());
        d.create_queues();
        REQUIRE(d.nand.execute(1, io(NVME_IO_FLUSH, 0, 1)).status == 0);
        d.nand.power_cut();
        d.nand.power_on();
        REQUIRE(d.nand.enable());
        d.create_queues();
        INFO("reset after " << steps << " steps");
        for (std::uint64_t n = 0; n < writes; ++n) {
            REQUIRE(d.nand.execute(1, io(NVME_IO_READ, n * 40, sectors), &data).status == 0);
            for (std::uint64_t i = 0; i < sectors; ++i) {
                const std::uint64_t tag = get(data, i * 512, 8);
                CHECK((tag == 0 || tag == mark));
            }
        }
        d.check_rules();
    }
}

} // namespace ssdvp::test::format_test
