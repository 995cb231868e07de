// SPDX-License-Identifier: Apache-2.0
//
// Metadata and protection information on the RAM drive, and a loss of power at every operation of
// the flash: a block's data and metadata are always of one write. The host's metadata lie behind
// its data.
#include <algorithm>
#include <boost/crc.hpp>
#include <functional>

#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::nvme_metadata_test {
namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t pract = 8u << NVME_PRINFO_SHIFT;
constexpr std::uint32_t prchk = 7u << NVME_PRINFO_SHIFT;

ram_config full_drive()
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2;
    return c;
}

std::uint16_t format(drive& d, std::uint32_t dword10)
{
    nvme_sqe q = admin(NVME_ADMIN_FORMAT, dword10);
    q.nsid = 1;
    return d.nand.execute(0, q).status;
}

/// Blocks of 512 bytes, behind them `each` bytes of metadata of each.
struct buffer {
    bytes all;
    std::uint32_t blocks, each;
    buffer(std::uint32_t count, std::uint32_t metadata, std::uint32_t seed = 0)
        : all(std::size_t{count} * (512 + metadata)), blocks(count), each(metadata)
    {
        for (std::size_t i = 0; seed != 0 && i < all.size(); ++i) {
            all[i] = static_cast<std::uint8_t>((i * 11 + seed * 5) ^ (i >> 8) ^ (seed >> 8));
        }
    }
    std::uint8_t* data(std::uint32_t i) { return all.data() + std::size_t{i} * 512; }
    std::uint8_t* meta(std::uint32_t i)
    {
        return all.data() + std::size_t{blocks} * 512 + std::size_t{i} * each;
    }
    /// Protection information in the last bytes, reference tags from `tag` on.
    void protect(std::uint32_t tag, std::uint16_t application)
    {
        for (std::uint32_t i = 0; i < blocks; ++i) {
            boost::crc_optimal<16, 0x8BB7, 0, 0, false, false> crc;
            crc.process_bytes(data(i), 512);
            crc.process_bytes(meta(i), each - 8);
            const std::uint64_t value =
                std::uint64_t{crc.checksum()} << 48 | std::uint64_t{application} << 32 | (tag + i);
            for (unsigned k = 0; k < 8; ++k) {
                meta(i)[each - 8 + k] = static_cast<std::uint8_t>(value >> (56 - 8 * k));
            }
        }
    }
};

nvme_sqe sqe_of(std::uint8_t opcode, std::uint64_t lba, const buffer& b, std::uint32_t prinfo,
                std::uint16_t application = 0)
{
    nvme_sqe q = io(opcode, lba, b.blocks);
    q.mptr = std::uint64_t{b.blocks} * 512;
    q.cdw12 |= prinfo;
    q.cdw14 = static_cast<std::uint32_t>(lba);
    q.cdw15 = 0xFFFFu << 16 | application;
    return q;
}

std::uint16_t run(drive& d, const nvme_sqe& q, buffer& b)
{
    return d.nand.execute(1, q, &b.all).status;
}

} // namespace

TEST_CASE(
    "metadata: read as written, whole transfers and single blocks, and zeroes where nothing is")
{
    drive d(full_drive());
    d.create_queues();
    for (const std::uint32_t each : {8u, 16u, 64u}) {
        REQUIRE(format(d, each == 8 ? 2 : each == 16 ? 3 : 4) == 0);
        const std::uint32_t most = d.nand.config.params.host.mdts / 512;
        buffer all(most, each, each);
        REQUIRE(run(d, sqe_of(NVME_IO_WRITE, 3, all, 0), all) == 0);
        buffer one(1, each, 99);
        REQUIRE(run(d, sqe_of(NVME_IO_WRITE, 5, one, 0), one) == 0);
        buffer got(most, each);
        REQUIRE(run(d, sqe_of(NVME_IO_READ, 3, got, 0), got) == 0);
        std::copy_n(one.data(0), 512, all.data(2));
        std::copy_n(one.meta(0), each, all.meta(2));
        CHECK(got.all == all.all);
        buffer before(3, each, 1);
        REQUIRE(run(d, sqe_of(NVME_IO_READ, 0, before, 0), before) == 0);
        CHECK(before.all == bytes(before.all.size()));
        REQUIRE(run(d, sqe_of(NVME_IO_WRITE_ZEROES, 4, one, 0), one) == 0);
        buffer zero(1, each, 1);
        REQUIRE(run(d, sqe_of(NVME_IO_READ, 4, zero, 0), zero) == 0);
        CHECK(zero.all == bytes(zero.all.size()));
    }
    d.check_rules();
}

TEST_CASE("protection: nothing is written that is wrong")
{
    drive d(full_drive());
    d.create_queues();
    REQUIRE(format(d, 3 | 1 << 5) == 0);
    buffer good(32, 16, 7);
    good.protect(100, 5);
    for (const auto& [at, status] :
         {std::pair{0, NVME_SC_GUARD_CHECK}, std::pair{10, NVME_SC_APPLICATION_TAG_CHECK},
          std::pair{15, NVME_SC_REFERENCE_TAG_CHECK}}) {
        buffer wrong = good;
        wrong.meta(31)[at] ^= 1; // of the last block
        CHECK(run(d, sqe_of(NVME_IO_WRITE, 100, wrong, prchk, 5), wrong) == status);
    }
    buffer got(32, 16, 1);
    REQUIRE(run(d, sqe_of(NVME_IO_READ, 100, got, prchk, 5), got) == 0);
    for (std::uint32_t i = 0; i < 32; ++i) { // still deallocated
        CHECK(std::all_of(got.data(i), got.data(i) + 512, [](auto b) { return b == 0; }));
        CHECK(std::all_of(got.meta(i), got.meta(i) + 8, [](auto b) { return b == 0; }));
        CHECK(std::all_of(got.meta(i) + 8, got.meta(i) + 16, [](auto b) { return b == 0xFF; }));
    }
    REQUIRE(run(d, sqe_of(NVME_IO_WRITE, 100, good, prchk, 5), good) == 0);
    REQUIRE(run(d, sqe_of(NVME_IO_READ, 100, got, prchk, 5), got) == 0);
    CHECK(got.all == good.all);
    CHECK(run(d, sqe_of(NVME_IO_COMPARE, 100, got, prchk, 5), got) == 0);
    got.meta(9)[2] ^= 1;
    CHECK(run(d, sqe_of(NVME_IO_COMPARE, 100, got, prchk, 5), got) == NVME_SC_COMPARE_FAILURE);
    CHECK(run(d, sqe_of(NVME_IO_VERIFY, 100, got, prchk, 4), got) == NVME_SC_APPLICATION_TAG_CHECK);
    CHECK(get(log_page(d, NVME_LOG_SMART, 512), 160, 8) == 1); // media and data integrity errors
    nvme_sqe q = sqe_of(NVME_IO_READ, 100, got, prchk, 5);
    q.cdw14 = 101;
    CHECK(run(d, q, got) == (NVME_SC_INVALID_PROTECTION | dnr));
    REQUIRE(run(d, sqe_of(NVME_IO_WRITE, 300, good, pract, 6), good) == 0);
    good.protect(300, 6);
    REQUIRE(run(d, sqe_of(NVME_IO_READ, 300, got, pract | prchk, 6), got) == 0);
    CHECK(got.all == good.all);
    // Zeroes with protection information, more than a transfer.
    buffer zeroes(500, 16);
    REQUIRE(run(d, sqe_of(NVME_IO_WRITE_ZEROES, 200, zeroes, pract, 8), zeroes) == 0);
    CHECK(run(d, sqe_of(NVME_IO_VERIFY, 200, zeroes, prchk, 8), zeroes) == 0);
    REQUIRE(run(d, sqe_of(NVME_IO_READ, 668, got, prchk, 8), got) == 0);
    buffer expected(32, 16);
    expected.protect(668, 8);
    CHECK(got.all == expected.all);
    d.check_rules();
}

TEST_CASE("metadata: dword 0 of a completion says nothing")
{
    drive d(full_drive());
    d.create_queues();
    REQUIRE(format(d, 4) == 0);
    for (const std::uint32_t fua : {0u, NVME_RW_FUA + 0u}) {
        for (const std::uint8_t opcode : {NVME_IO_WRITE, NVME_IO_READ, NVME_IO_COMPARE}) {
            buffer b(4, 64, 5);
            nvme_sqe q = sqe_of(opcode, 8, b, 0);
            q.cdw12 |= fua;
            const host_completion c = d.nand.execute(1, q, &b.all);
            CHECK(c.status == 0);
            CHECK(c.dw0 == 0);
        }
    }
}

TEST_CASE("a copy goes where it is to go, though its source waits for a page of the map")
{
    ram_config c = full_drive();
    c.params.ftl.scheme = FTL_SCHEME_DFTL;
    c.params.map.cache = 16 * BOOT_MAP_CACHE_ENTRY;
    c.params.ftl.map_unit = 1024; // nine pages of the map, none of which stays in memory
    c.params.geometry.page_size = 2048;
    c.params.geometry.oob_size = 24;
    c.params.geometry.blocks_per_plane = 32;
    c.params.cache.policy = CACHE_POLICY_NONE;
    c.params.cache.capacity = 0;
    drive d(c);
    d.create_queues();
    REQUIRE(format(d, 4) == 0);
    buffer source(4, 64, 5);
    REQUIRE(run(d, sqe_of(NVME_IO_WRITE, 8, source, 0), source) == 0);
    for (std::uint64_t lba = 100; lba < 500; lba += 4) { // its entry leaves the table
        buffer other(4, 64, 9);
        REQUIRE(run(d, sqe_of(NVME_IO_WRITE, lba, other, 0), other) == 0);
    }
    const std::uint64_t misses = d.nand.counters().map_misses;
    nvme_copy_range range{};
    range.slba = 8;
    range.blocks = 3;
    bytes ranges(sizeof range);
    std::memcpy(ranges.data(), &range, sizeof range);
    REQUIRE(d.nand.execute(1, io(NVME_IO_COPY, 2000, 1), &ranges).status == 0);
    CHECK(d.nand.counters().map_misses > misses);
    buffer got(4, 64);
    REQUIRE(run(d, sqe_of(NVME_IO_READ, 2000, got, 0), got) == 0);
    CHECK(got.all == source.all);
    REQUIRE(run(d, sqe_of(NVME_IO_READ, 0, got, 0), got) == 0);
    CHECK(got.all == bytes(got.all.size())); // nothing was written there
    d.check_rules();
}

TEST_CASE("more commands with metadata than stagings, with a reset in between")
{
    drive d(full_drive());
    d.create_queues();
    REQUIRE(format(d, 4) == 0);
    std::vector<buffer> all;
    for (std::uint32_t i = 0; i < 16; ++i) {
        all.emplace_back(8, 64, i + 1);
    }
    for (std::uint32_t i = 0; i < 16; ++i) {
        REQUIRE(d.nand.submit(1, sqe_of(NVME_IO_WRITE, 8 * i + 1, all[i], 0), &all[i].all) >= 0);
    }
    CHECK(completed(d).size() == 16);
    for (std::uint32_t steps : {0u, 40u, 100u, 1000000u}) {
        std::vector<buffer> got(16, buffer(8, 64));
        for (std::uint32_t i = 0; i < 16; ++i) {
            d.nand.submit(1, sqe_of(NVME_IO_READ, 8 * i + 1, got[i], 0), &got[i].all);
        }
        for (std::uint32_t n = 0; n < steps && d.nand.step(); ++n) {
        }
        for (host_completion c; d.nand.completion(c);) {
            CHECK(c.status == 0);
        }
        for (std::uint32_t i = 0; steps == 1000000 && i < 16; ++i) {
            CHECK(got[i].all == all[i].all);
        }
        reset(d);
        d.create_queues();
    }
    d.check_rules();
}

namespace {

/// Writes of blocks, old ones and new ones, until the power goes at the n-th point; then each
/// block is whole: the metadata say which write its data are of. false = it was over before.
bool cut_at(std::uint64_t n)
{
    ram_config c = full_drive();
    std::uint64_t points = 0;
    bool armed = false;
    c.on_point = [&](const flash_point&) { return armed && ++points == n; };
    drive d(c);
    d.create_queues();
    REQUIRE(format(d, 3 | 2 << 5) == 0);
    constexpr std::uint32_t blocks = 24, rounds = 12;
    const auto version = [&](std::uint32_t round) {
        buffer b(blocks, 16, round + 1);
        b.protect(7, static_cast<std::uint16_t>(round));
        return b;
    };
    std::uint32_t acknowledged = 0, begun = 0;
    armed = true;
    try {
        for (std::uint32_t round = 1; round <= rounds; ++round) {
            buffer b = version(round);
            begun = round;
            nvme_sqe q = sqe_of(NVME_IO_WRITE, 7, b, prchk, static_cast<std::uint16_t>(round));
            q.cdw12 |= round % 3 == 0 ? NVME_RW_FUA : 0u;
            if (run(d, q, b) != 0) {
                FAIL("a write failed");
            }
            acknowledged = round % 3 == 0 ? round : acknowledged;
        }
    } catch (const std::runtime_error&) {
        REQUIRE_FALSE(d.nand.powered());
    }
    const bool cut = !d.nand.powered();
    armed = false;
    if (!cut) {
        d.nand.power_cut();
    }
    d.nand.power_on();
    REQUIRE(d.nand.enable());
    d.create_queues();
    buffer got(blocks, 16);
    nvme_sqe q = sqe_of(NVME_IO_READ, 7, got, 4u << NVME_PRINFO_SHIFT);
    INFO("cut at point " << n);
    CHECK(run(d, q, got) == 0); // guards are right
    for (std::uint32_t i = 0; i < blocks; ++i) {
        const std::uint32_t round = got.meta(i)[11];
        if (round == 0xFF) {
            CHECK(acknowledged == 0);
            continue;
        }
        CHECK(round >= acknowledged);
        CHECK(round <= begun);
        buffer b = version(round);
        CHECK(std::memcmp(b.data(i), got.data(i), 512) == 0);
        CHECK(std::memcmp(b.meta(i), got.meta(i), 16) == 0);
    }
    d.check_rules();
    return cut;
}

} // namespace

TEST_CASE("power cuts among writes leave each block with its own metadata")
{
    std::uint64_t n = 1;
    while (cut_at(n)) {
        ++n;
    }
    CHECK(n > 20);
}

} // namespace ssdvp::test::nvme_metadata_test
