// SPDX-License-Identifier: Apache-2.0
//
// I/O commands on a whole drive: NVM Express base 1.4 section 6; Verify and Copy: NVM command set
// 1.0 section 3.
#include <algorithm>

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_io_test {

namespace {
constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;

/// Page 2 of three has an offset: page 1, which has none, does not move either.
void refuses_wrong_pointers(const std::vector<std::string>& sets)
{
    constexpr std::size_t size = 3 * 4096;
    conformance_bench b(sets);
    b.enable();
    b.create_queues(1, 16);
    const bytes before = pattern(size, 1);
    bytes data = before;
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 0, 24), &data) == 0);
    for (const std::uint8_t opcode : {NVME_IO_WRITE, NVME_IO_READ, NVME_IO_COMPARE}) {
        INFO("opcode " << int{opcode});
        nvme_sqe q = io(opcode, 0, 24);
        b.point(q, size);
        std::memset(b.data(), 0xEE, size);
        const std::uint64_t entry = b.data_address() + 2 * 4096 + 4;
        std::memcpy(b.host(q.prp2) + sizeof entry, &entry, sizeof entry);
        const std::uint16_t cid = b.submit(1, q);
        CHECK(b.await(1, cid).status >> 1 == NVME_SC_PRP_OFFSET_INVALID);
        CHECK(std::count(b.data(), b.data() + size, 0xEE) == size);
        const bytes log = b.log_page(NVME_LOG_ERROR, 64); // firmware knows of it
        CHECK(get(log, 10, 2) == cid);
        CHECK(get(log, 12, 2) == NVME_SC_PRP_OFFSET_INVALID << 1);
    }
    REQUIRE(b.status(1, io(NVME_IO_READ, 0, 24), &data) == 0);
    CHECK(data == before);
}
} // namespace

TEST_CASE("wrong namespaces, ranges, sizes and fuses get the status of the specification")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    const std::uint64_t end = b.sectors();
    for (const std::uint8_t opcode :
         {NVME_IO_READ, NVME_IO_WRITE, NVME_IO_COMPARE, NVME_IO_VERIFY, NVME_IO_WRITE_ZEROES,
          NVME_IO_WRITE_UNCORRECTABLE, NVME_IO_DSM, NVME_IO_COPY, NVME_IO_FLUSH}) {
        INFO("opcode " << int{opcode});
        bytes data(4096);
        nvme_sqe q = io(opcode, 0, 1);
        CHECK(b.status(1, of(0, q), &data) == (NVME_SC_INVALID_NAMESPACE | dnr));
        CHECK(b.status(1, of(2, q), &data) == invalid_field); // inactive
        CHECK(b.status(1, of(17, q), &data) == (NVME_SC_INVALID_NAMESPACE | dnr));
        CHECK(b.status(1, of(0xFFFFFFFF, q), &data) ==
              (opcode == NVME_IO_FLUSH ? 0 : NVME_SC_INVALID_NAMESPACE | dnr));
        q.flags = 1;
        CHECK(b.status(1, q, &data) == invalid_field);
        q.flags = 2;
        CHECK(b.status(1, q, &data) == invalid_field);
        if (opcode == NVME_IO_FLUSH || opcode == NVME_IO_DSM || opcode == NVME_IO_COPY) {
            continue;
        }
        const std::uint16_t out = NVME_SC_LBA_OUT_OF_RANGE | dnr;
        CHECK(b.status(1, io(opcode, end, 1), &data) == out);
        CHECK(b.status(1, io(opcode, end - 1, 2), &data) == out);
        CHECK(b.status(1, io(opcode, ~0ull, 1), &data) == out);
        CHECK(b.status(1, io(opcode, 1ull << 63, 1), &data) == out);
    }
    for (const std::uint8_t opcode : {NVME_IO_READ, NVME_IO_WRITE, NVME_IO_COMPARE}) {
        CHECK(b.status(1, io(opcode, 0, 257)) == invalid_field); // MDTS 128 KiB
    }
    CHECK(b.status(1, io(NVME_IO_VERIFY, 0, 257)) == 0); // no data
    CHECK(b.status(1, io(NVME_IO_WRITE_ZEROES, 0, 257)) == 0);
}

TEST_CASE("reads return what was written, by size and offset in a page, with and without FUA")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    std::uint32_t seed = 0;
    for (const std::uint32_t blocks : {1u, 7u, 8u, 9u, 64u, 255u, 256u}) {
        for (const std::uint32_t offset : {0u, 4u, 512u, 4092u}) {
            INFO(blocks << " blocks at offset " << offset);
            const std::size_t size = std::size_t{blocks} * 512;
            const bytes expected = pattern(size, ++seed);
            nvme_sqe q = io(NVME_IO_WRITE, 1000 + seed, blocks);
            q.cdw12 |= seed % 2 != 0 ? NVME_RW_FUA : 0u;
            b.point(q, size, offset);
            std::memcpy(b.data() + offset, expected.data(), size);
            REQUIRE(b.await(1, b.submit(1, q)).status >> 1 == 0);
            std::memset(b.data(), 0xEE, size + 8192);
            q.opcode = NVME_IO_READ;
            REQUIRE(b.await(1, b.submit(1, q)).status >> 1 == 0);
            CHECK(std::memcmp(b.data() + offset, expected.data(), size) == 0);
            CHECK(b.data()[offset + size] == 0xEE);
            if (offset != 0) {
                CHECK(b.data()[offset - 1] == 0xEE);
            }
        }
    }
}

TEST_CASE("a command with wrong data pointers is refused before anything is read or written")
{
    refuses_wrong_pointers({});
}

TEST_CASE("wrong data pointers are refused by any layout of cores")
{
    refuses_wrong_pointers({"cpu.cores=3"});
}

TEST_CASE("Compare finds every wrong byte, Verify reads without data")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    bytes data = pattern(128 * 1024, 1);
    const bytes written = data;
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 5, 256), &data) == 0);
    for (int round = 0; round < 2; ++round) { // buffered; from the flash
        CHECK(b.status(1, io(NVME_IO_COMPARE, 5, 256), &data) == 0);
        CHECK(b.status(1, io(NVME_IO_VERIFY, 5, 256)) == 0);
        for (const std::size_t at : {std::size_t{0}, std::size_t{66666}, data.size() - 1}) {
            bytes wrong = written;
            wrong[at] ^= 0x80;
            CHECK(b.status(1, io(NVME_IO_COMPARE, 5, 256), &wrong) == NVME_SC_COMPARE_FAILURE);
        }
        REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
        bytes other(128 * 1024);
        for (std::uint64_t lba = 1024; lba < 3072; lba += 256) { // out of the buffer
            REQUIRE(b.status(1, io(NVME_IO_WRITE, lba, 256), &other) == 0);
        }
    }
}

TEST_CASE("Copy gathers ranges into one place")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    bytes data = pattern(128 * 1024, 2);
    const bytes written = data;
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 0, 256), &data) == 0);
    const auto copy = [&](std::uint64_t to,
                          const std::vector<std::pair<std::uint64_t, std::uint32_t>>& from) {
        bytes list = copy_ranges(from);
        nvme_sqe q = io(NVME_IO_COPY, to, 1);
        q.cdw12 = static_cast<std::uint32_t>(from.size() - 1);
        return b.status(1, q, &list);
    };
    REQUIRE(copy(2003, {{10, 3}, {200, 40}, {0, 1}}) == 0);
    bytes read(44 * 512);
    REQUIRE(b.status(1, io(NVME_IO_READ, 2003, 44), &read) == 0);
    bytes expected(written.begin() + 10 * 512, written.begin() + 13 * 512);
    expected.insert(expected.end(), written.begin() + 200 * 512, written.begin() + 240 * 512);
    expected.insert(expected.end(), written.begin(), written.begin() + 512);
    CHECK(read == expected);
    CHECK(copy(0, {{b.sectors() - 1, 2}}) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(copy(b.sectors() - 1, {{0, 2}}) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(copy(0, {{300, 256}, {600, 1}}) == (NVME_SC_COPY_SIZE_LIMIT | dnr));
    CHECK(copy(0, std::vector<std::pair<std::uint64_t, std::uint32_t>>(17, {9, 1})) ==
          (NVME_SC_COPY_SIZE_LIMIT | dnr));
    CHECK(copy(600, {{300, 256}}) == 0);
}

TEST_CASE("Write Uncorrectable lasts until the blocks are written, through a loss of power")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    bytes data = pattern(4096, 3);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 0, 8), &data) == 0);
    REQUIRE(b.status(1, io(NVME_IO_WRITE_UNCORRECTABLE, 2, 3)) == 0);
    b.power_cycle();
    b.create_queues(1, 16);
    bytes one(512);
    for (std::uint64_t lba = 0; lba < 8; ++lba) {
        const std::uint16_t expected =
            lba >= 2 && lba < 5 ? std::uint16_t{NVME_SC_UNRECOVERED_READ_ERROR} : std::uint16_t{0};
        CHECK(b.status(1, io(NVME_IO_READ, lba, 1), &one) == expected);
        CHECK(b.status(1, io(NVME_IO_VERIFY, lba, 1)) == expected);
    }
    one = pattern(512, 9);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 3, 1), &one) == 0);
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.power_cycle();
    b.create_queues(1, 16);
    one.assign(512, 0);
    CHECK(b.status(1, io(NVME_IO_READ, 3, 1), &one) == 0);
    CHECK(one == pattern(512, 9));
    CHECK(b.status(1, io(NVME_IO_READ, 2, 1), &one) == NVME_SC_UNRECOVERED_READ_ERROR);
    CHECK(b.status(1, io(NVME_IO_READ, 4, 1), &one) == NVME_SC_UNRECOVERED_READ_ERROR);
}

TEST_CASE("Dataset Management: ranges, attributes that are hints, zeroes after Deallocate")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    bytes data = pattern(16384, 4);
    const bytes written = data;
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 0, 32), &data) == 0);
    const auto manage = [&](std::uint32_t attributes,
                            const std::vector<std::pair<std::uint64_t, std::uint32_t>>& ranges) {
        bytes list(ranges.size() * 16);
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            put(list, i * 16, std::uint64_t{ranges[i].second} << 32 | 0x7FF); // context: any
            put(list, i * 16 + 8, ranges[i].first);
        }
        nvme_sqe q =
            of(1, command(NVME_IO_DSM, static_cast<std::uint32_t>(ranges.size() - 1), attributes));
        return b.status(1, q, &list);
    };
    CHECK(manage(1 | 2, {{0, 8}}) == 0); // integral for reading, for writing
    REQUIRE(b.status(1, io(NVME_IO_READ, 0, 32), &data) == 0);
    CHECK(data == written);
    REQUIRE(manage(4, {{3, 5}, {8, 8}, {20, 0}, {31, 1}}) == 0);
    REQUIRE(b.status(1, io(NVME_IO_READ, 0, 32), &data) == 0);
    for (std::size_t s = 0; s < 32; ++s) {
        const bool gone = (s >= 3 && s < 16) || s == 31;
        INFO("sector " << s);
        CHECK(std::memcmp(data.data() + s * 512,
                          gone ? bytes(512).data() : written.data() + s * 512, 512) == 0);
    }
    CHECK(manage(4, {{0, 1}, {b.sectors() - 1, 2}}) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    REQUIRE(b.status(1, io(NVME_IO_READ, 0, 1), &(data = bytes(512))) == 0);
    CHECK(std::memcmp(data.data(), written.data(), 512) == 0); // not in part
    CHECK(manage(4, std::vector<std::pair<std::uint64_t, std::uint32_t>>(256, {16, 1})) == 0);
}

TEST_CASE("queues wrap, fill, and keep their phase")
{
    conformance_bench b;
    b.enable(4);
    b.create_queues(1, 3);
    for (int i = 0; i < 20; ++i) {
        bytes data(512);
        REQUIRE(b.status(1, io(NVME_IO_READ, static_cast<std::uint64_t>(i), 1), &data) == 0);
    }
    nvme_sqe q = io(NVME_IO_READ, 0, 1);
    b.point(q, 512);
    for (int i = 0; i < 20; ++i) { // full: two of three entries
        b.submit(1, q, false);
        b.submit(1, q, false);
        b.ring(1);
        CHECK(b.completed(1, 200000).size() == 2);
    }
}

} // namespace ssdvp::test::conformance_io_test
