// SPDX-License-Identifier: Apache-2.0
//
// Shapes of SGLs: what is fetched, where data lands, and the status of each wrong one. NVM Express
// base 1.4 sections 4.4 and 4.6.1.2.1.
#include <cstring>

#include "tests/models/nvme/bench.h"

namespace sgl_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint64_t data = nvme_bench::data;
constexpr std::uint64_t list = nvme_bench::ram + 0x300000;

nvme_sgl sgl(nvme_sgl_type type, std::uint64_t address, std::uint32_t length)
{
    nvme_sgl d{};
    d.address = address;
    d.length = length;
    d.type = static_cast<std::uint8_t>(type << 4);
    return d;
}
nvme_sgl extent(std::uint64_t address, std::uint32_t length)
{
    return sgl(NVME_SGL_DATA, address, length);
}
nvme_sgl bucket(std::uint32_t length)
{
    return sgl(NVME_SGL_BIT_BUCKET, 0, length);
}
nvme_sgl segment(std::uint64_t address, std::uint32_t descriptors)
{
    return sgl(NVME_SGL_SEGMENT, address, 16 * descriptors);
}
nvme_sgl last(std::uint64_t address, std::uint32_t descriptors)
{
    return sgl(NVME_SGL_LAST_SEGMENT, address, 16 * descriptors);
}

nvme_sqe with_sgl(std::uint32_t bytes, const nvme_sgl& first, bool write = false)
{
    nvme_sqe s = read_sqe(0, bytes, 0);
    s.opcode = write ? NVME_IO_WRITE : NVME_IO_READ;
    s.flags = NVME_PSDT_SGL << NVME_PSDT_SHIFT;
    std::memcpy(&s.prp1, &first, sizeof first); // prp1 and prp2
    return s;
}

void put(nvme_bench& b, std::uint64_t address, std::initializer_list<nvme_sgl> descriptors)
{
    for (const nvme_sgl& d : descriptors) {
        b.at<nvme_sgl>(address) = d;
        address += sizeof d;
    }
}

/// Moves a command's data in one piece and reaps its status; what the command ring says of it
/// beforehand is the same.
std::uint16_t transfer(nvme_bench& b, const nvme_sqe& sqe, std::uint32_t bytes)
{
    const bool write = sqe.opcode == NVME_IO_WRITE;
    for (std::uint32_t i = 0; i < bytes && !write; ++i) {
        b.memory[nvme_bench::buffer + i] = static_cast<unsigned char>(i * 7 + i / 256 + 1);
    }
    b.read.clear();
    b.submit(1, sqe);
    b.run(20_us);
    fe_command c{};
    for (int i = 0; i < 100 && b.dut.free_slots() != 16 && !b.take(c); ++i) {
        b.run(100_us); // thousands of segments take their time
    }
    REQUIRE(c.sq_id == 1);
    b.order(data_move(write ? FE_MOVE_FROM_HOST : FE_MOVE_TO_HOST, c.slot, bytes, FE_MOVE_CQE));
    b.run(200_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    b.ring_cq(1);
    b.run(1_us);
    const auto status = static_cast<std::uint16_t>(e.status >> 1);
    if (status != NVME_SC_DATA_TRANSFER_ERROR) {
        CHECK(c.status == status);
    }
    return status;
}

bool same(nvme_bench& b, std::uint64_t host, std::uint32_t offset, std::uint32_t length)
{
    return std::memcmp(&b.at<unsigned char>(host), b.memory.data() + nvme_bench::buffer + offset,
                       length) == 0;
}

struct bench : nvme_bench {
    bench() : nvme_bench("bench", bench_front_end())
    {
        start();
        create_io(1, 8);
    }
    std::uint16_t read_4k(const nvme_sgl& first)
    {
        return transfer(*this, with_sgl(4096, first), 4096);
    }
};

} // namespace

TEST_CASE("one data block of any address needs no list, and costs what its bytes cost")
{
    bench b;
    const auto before = b.wire.stats();
    CHECK(b.read_4k(extent(data + 0x801, 4096)) == 0);
    CHECK(b.read.size() == 1); // the entry
    CHECK(same(b, data + 0x801, 0, 4096));
    CHECK(b.host[data + 0x800] == 0);
    CHECK(b.host[data + 0x1801] == 0);
    // From 801h on 17 TLPs; their payload is in doublewords: a byte before, three behind.
    CHECK(b.wire.stats().bytes_up - before.bytes_up == 24 + 4100 + 17 * 24 + 40 + 24);
    CHECK(transfer(b, with_sgl(128 * 1024, extent(data, 128 * 1024)), 128 * 1024) == 0);
    CHECK(b.read.size() == 1);
    CHECK(same(b, data, 0, 128 * 1024));
}

TEST_CASE("segments lead to segments, and their descriptors may have any length")
{
    bench b;
    put(b, list + 8,
        {extent(data + 0x10, 100), extent(data + 0x3003, 1), segment(list + 0x1FF0, 3)});
    put(b, list + 0x1FF0, {extent(data + 0x5000, 0), extent(data + 0x8000, 3000), last(list, 0)});
    b.at<nvme_sgl>(list + 0x2010) = last(list + 0x6000, 1);
    put(b, list + 0x6000, {extent(data + 0x7FF, 995)});
    CHECK(b.read_4k(segment(list + 8, 3)) == 0);
    CHECK(b.read == std::vector<std::uint64_t>{nvme_bench::sq_base(1), list + 8, list + 0x1FF0,
                                               list + 0x6000});
    CHECK(same(b, data + 0x10, 0, 100));
    CHECK(same(b, data + 0x3003, 100, 1));
    CHECK(same(b, data + 0x8000, 101, 3000));
    CHECK(same(b, data + 0x7FF, 3101, 995));
    CHECK(b.host[data + 0x5000] == 0);
}

TEST_CASE("a segment of more than a page is read page by page")
{
    bench b;
    for (std::uint32_t i = 0; i < 512; ++i) {
        b.at<nvme_sgl>(list + 16 * i) = extent(data + 64 * i, 32);
    }
    CHECK(transfer(b, with_sgl(16384, last(list, 512)), 16384) == 0);
    CHECK(b.read == std::vector<std::uint64_t>{nvme_bench::sq_base(1), list, list + 4096});
    for (std::uint32_t i = 0; i < 512; ++i) {
        CHECK(same(b, data + 64 * i, 32 * i, 32));
    }
}

TEST_CASE("data cross 4 GiB")
{
    bench b;
    const std::uint64_t border = 1ull << 32;
    CHECK(b.read_4k(extent(border - 0x7FF, 4096)) == 0);
    CHECK(same(b, border - 0x7FF, 0, 4096));
    put(b, border - 16, {extent(border + 0x2000, 2048), extent(border - 0x3000, 2048)});
    CHECK(b.read_4k(last(border - 16, 2)) == 0); // the segment crosses it too
    CHECK(same(b, border + 0x2000, 0, 2048));
    CHECK(same(b, border - 0x3000, 2048, 2048));
}

TEST_CASE("a bit bucket swallows data for the host, and has no part in data from it")
{
    bench b;
    put(b, list, {extent(data, 1000), bucket(2096), extent(data + 0x2000, 1000)});
    const auto before = b.wire.stats();
    CHECK(b.read_4k(last(list, 3)) == 0);
    CHECK(same(b, data, 0, 1000));
    CHECK(same(b, data + 0x2000, 3096, 1000));
    CHECK(b.host[data + 1000] == 0);
    CHECK(b.wire.stats().bytes_up - before.bytes_up == 2 * 24 + 2000 + 8 * 24 + 40 + 24);
    CHECK(b.read_4k(bucket(4096)) == 0);
    put(b, list, {bucket(77), extent(data, 2048), bucket(4096), extent(data + 0x2000, 2048)});
    for (std::uint32_t i = 0; i < 0x3000; ++i) {
        b.host[data + i] = static_cast<unsigned char>(i ^ 0x5A);
    }
    CHECK(transfer(b, with_sgl(4096, last(list, 4), true), 4096) == 0);
    CHECK(same(b, data, 0, 2048));
    CHECK(same(b, data + 0x2000, 2048, 2048));
    CHECK(transfer(b, with_sgl(4096, bucket(4096), true), 4096) == NVME_SC_DATA_SGL_LENGTH_INVALID);
}

TEST_CASE("descriptors that add up to less or more than the data")
{
    bench b;
    CHECK(b.read_4k(extent(data, 4095)) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    CHECK(b.read_4k(extent(data, 4097)) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    CHECK(b.read_4k(extent(data, 0)) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    put(b, list, {extent(data, 4000), extent(data, 97)});
    CHECK(b.read_4k(last(list, 2)) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    put(b, list, {extent(data, 4000), extent(data, 0xFFFFFFFF)}); // no sum overflows
    CHECK(b.read_4k(last(list, 2)) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    put(b, list, {extent(data, 4000), extent(data + 4000, 95)});
    CHECK(b.read_4k(last(list, 2)) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    CHECK(b.host[data] == 0);
}

TEST_CASE("segments that are no segments")
{
    bench b;
    put(b, list, {extent(data, 2048), extent(data, 2048), extent(data, 2048)});
    nvme_sgl d = last(list, 2);
    d.length = 0;
    CHECK(b.read_4k(d) == NVME_SC_INVALID_SGL_SEGMENT);
    d.length = 31;
    CHECK(b.read_4k(d) == NVME_SC_INVALID_SGL_SEGMENT);
    d.length = 33;
    CHECK(b.read_4k(d) == NVME_SC_INVALID_SGL_SEGMENT);
    CHECK(b.read_4k(last(list + 4, 2)) == NVME_SC_INVALID_SGL_SEGMENT); // not at a quadword
    CHECK(b.read.size() == 1);
    CHECK(b.read_4k(segment(list, 2)) == NVME_SC_INVALID_SGL_SEGMENT); // leads nowhere
    b.at<nvme_sgl>(list + 32) = last(list + 0x100, 1);
    CHECK(b.read_4k(last(list, 3)) == NVME_SC_INVALID_SGL_SEGMENT); // behind the last
    b.at<nvme_sgl>(list + 32) = segment(list + 0x100, 0);
    CHECK(b.read_4k(segment(list, 3)) == NVME_SC_INVALID_SGL_SEGMENT);
    CHECK(b.host[data] == 0);
}

TEST_CASE("a segment descriptor stands at the end of its segment, and segments have an end")
{
    bench b;
    put(b, list, {extent(data, 2048), last(list + 0x100, 1), extent(data, 2048)});
    CHECK(b.read_4k(segment(list, 3)) == NVME_SC_INVALID_SGL_COUNT);
    put(b, list, {segment(list, 2), extent(data, 2048)});
    CHECK(b.read_4k(segment(list, 2)) == NVME_SC_INVALID_SGL_COUNT);
    put(b, list, {segment(list, 1)}); // for ever
    CHECK(b.read_4k(segment(list, 1)) == NVME_SC_INVALID_SGL_COUNT);
    CHECK(b.read.size() == 1 + nvme::sgl_descriptors_max);
    CHECK(b.read_4k(last(list, nvme::sgl_descriptors_max + 1)) == NVME_SC_INVALID_SGL_COUNT);
    CHECK(b.read.size() == 1);
}

TEST_CASE("types and subtypes that there are not over PCIe")
{
    bench b;
    for (const unsigned type : {0x01u, 0x0Au, 0x11u, 0x21u, 0x31u, 0x40u, 0x50u, 0xF0u}) {
        nvme_sgl d = extent(data, 4096);
        d.type = static_cast<std::uint8_t>(type);
        CHECK(b.read_4k(d) == NVME_SC_SGL_TYPE_INVALID);
        put(b, list, {extent(data, 2048), d});
        CHECK(b.read_4k(last(list, 2)) == NVME_SC_SGL_TYPE_INVALID);
    }
    nvme_sqe s = with_sgl(4096, extent(data, 4096));
    s.flags = 0xC0; // PSDT 11b
    CHECK(transfer(b, s, 4096) == NVME_SC_INVALID_FIELD);
}

TEST_CASE("where the host has no memory, segments and data are a transfer error")
{
    bench b;
    CHECK(b.read_4k(last(1ull << 40, 2)) == NVME_SC_DATA_TRANSFER_ERROR);
    CHECK(b.read_4k(extent(1ull << 40, 4096)) == NVME_SC_DATA_TRANSFER_ERROR);
    CHECK(b.read_4k(extent(~0ull - 100, 4096)) == NVME_SC_DATA_TRANSFER_ERROR);
}

TEST_CASE("a move touches the part that it names")
{
    bench b;
    put(b, list,
        {extent(data, 1024), extent(data + 0x2000, 1024), bucket(1024),
         extent(data + 0x4000, 1024)});
    for (std::uint32_t i = 0; i < 4096; ++i) {
        b.memory[nvme_bench::buffer + i] = static_cast<unsigned char>(i / 16);
    }
    b.submit(1, with_sgl(4096, last(list, 4)));
    b.run(5_us);
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(data_move(FE_MOVE_TO_HOST, c.slot, 2048, 0, 1536)); // half, bucket, half
    b.order(completion_move(c.slot));
    b.run(20_us);
    CHECK(b.host[data + 1023] == 0);
    CHECK(b.host[data + 0x2000 + 511] == 0);
    CHECK(same(b, data + 0x2000 + 512, 1536, 512));
    CHECK(same(b, data + 0x4000, 3072, 512));
    CHECK(b.host[data + 0x4000 + 512] == 0);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.status >> 1 == 0);
}

} // namespace sgl_test
