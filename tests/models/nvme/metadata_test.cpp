// SPDX-License-Identifier: Apache-2.0
//
// Formats of namespaces: how much a command transfers, and its metadata at MPTR.
#include <cstring>

#include "tests/models/nvme/bench.h"

namespace metadata_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint64_t data = nvme_bench::data;
constexpr std::uint64_t meta = nvme_bench::ram + 0x300000;

void format(nvme_bench& b, std::uint32_t nsid, std::uint32_t shift, std::uint32_t metadata,
            std::uint32_t extended = 0)
{
    b.reg_write(FE_REG_NS_ID, nsid);
    b.reg_write(FE_REG_NS_FORMAT, shift | metadata << FE_NS_FORMAT_METADATA_SHIFT | extended);
}

nvme_sqe with_mptr(std::uint32_t nsid, std::uint32_t blocks, std::uint64_t mptr,
                   nvme_psdt psdt = NVME_PSDT_PRP)
{
    nvme_sqe s = read_sqe(0, blocks * 512, data, data + 0x1000);
    s.nsid = nsid;
    s.mptr = mptr;
    s.flags = static_cast<std::uint8_t>(psdt << NVME_PSDT_SHIFT);
    if (psdt != NVME_PSDT_PRP) {
        s.prp2 = blocks * 512; // one data block
    }
    return s;
}

/// Status of a command whose `bytes` move with `op` in one piece.
std::uint16_t status_of(nvme_bench& b, const nvme_sqe& sqe, fe_move_op op, std::uint32_t bytes)
{
    b.submit(1, sqe);
    b.run(5_us);
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(data_move(op, c.slot, bytes, FE_MOVE_CQE));
    b.run(50_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    b.ring_cq(1);
    b.run(1_us);
    return static_cast<std::uint16_t>(e.status >> 1);
}

struct bench : nvme_bench {
    explicit bench(data_mode mode = data_mode::full, const char* name = "bench")
        : nvme_bench(name, with(mode))
    {}
    void begin()
    {
        for (std::uint32_t i = 0; i < 8192; ++i) {
            memory[buffer + i] = static_cast<unsigned char>(i * 11 + i / 256 + 1);
        }
        start();
        create_io(1, 8);
    }
    static nvme::front_end_config with(data_mode mode)
    {
        nvme::front_end_config c = bench_front_end();
        c.data = mode;
        return c;
    }
    bool same(std::uint64_t address, std::uint32_t length)
    {
        return std::memcmp(&host[address], memory.data() + buffer, length) == 0;
    }
};

} // namespace

TEST_CASE("a namespace's format says how much its commands transfer")
{
    bench b;
    b.begin();
    format(b, 2, 12, 0);
    format(b, 3, 9, 8, FE_NS_FORMAT_EXTENDED);
    format(b, 64, 12, 0);
    b.reg_write(FE_REG_NS_ID, 2);
    CHECK(b.reg_read(FE_REG_NS_FORMAT) == 12);
    const auto last_byte = [&](std::uint32_t nsid, std::uint32_t bytes) {
        const nvme_sqe s = with_mptr(nsid, 1, 0);
        return status_of(b, s, FE_MOVE_TO_HOST, bytes) == 0 &&
               status_of(b, s, FE_MOVE_TO_HOST, bytes + 1) == NVME_SC_DATA_TRANSFER_ERROR;
    };
    CHECK(last_byte(1, 512));
    CHECK(last_byte(2, 4096));
    CHECK(last_byte(3, 520));
    CHECK(last_byte(64, 4096));
    CHECK(last_byte(65, 512)); // beyond the window: LBA_SHIFT
    CHECK(last_byte(0xFFFFFFFF, 512));
    format(b, 0, 12, 0); // no namespace
    format(b, 65, 12, 0);
    CHECK(last_byte(65, 512));
    b.bar_write(NVME_REG_CC, 0); // formats outlive a reset of the controller
    b.run(1_us);
    b.reg_write(FE_REG_CSTS, 0);
    b.enable();
    b.create_io(1, 8);
    CHECK(last_byte(2, 4096));
    b.expected_faults = 8 + 2; // moves of one byte too many, formats of no namespace
}

TEST_CASE("metadata move between the buffer and MPTR, whole in every data mode")
{
    bench full(data_mode::full, "full"), tag(data_mode::tag, "tag"), none(data_mode::none, "none");
    for (bench* const each : {&full, &tag, &none}) {
        bench& b = *each;
        b.begin();
        format(b, 1, 9, 16);
        const auto before = b.wire.stats();
        CHECK(status_of(b, with_mptr(1, 8, meta + 4), FE_MOVE_META_TO_HOST, 128) == 0);
        CHECK(b.same(meta + 4, 128));
        CHECK(b.host[meta + 3] == 0);
        CHECK(b.host[meta + 132] == 0);
        CHECK(b.wire.stats().bytes_up - before.bytes_up == 24 + 128 + 24 + 40 + 24);
        b.host[meta + 4] = 0xEE;
        nvme_sqe w = with_mptr(1, 8, meta + 4);
        w.opcode = NVME_IO_WRITE;
        CHECK(status_of(b, w, FE_MOVE_META_FROM_HOST, 128) == 0);
        CHECK(b.memory[nvme_bench::buffer] == 0xEE);
        CHECK(status_of(b, w, FE_MOVE_META_FROM_HOST, 129) == NVME_SC_DATA_TRANSFER_ERROR);
        b.expected_faults = 1;
    }
}

TEST_CASE("data and metadata of one command, each its own place")
{
    bench b;
    b.begin();
    format(b, 1, 9, 8);
    b.submit(1, with_mptr(1, 4, meta));
    b.run(5_us);
    fe_command c{};
    REQUIRE(b.take(c));
    CHECK(c.status == 0);
    b.order(data_move(FE_MOVE_TO_HOST, c.slot, 2048, 0));
    fe_move m = data_move(FE_MOVE_META_TO_HOST, c.slot, 32, FE_MOVE_CQE);
    m.buffer = nvme_bench::buffer;
    b.order(m);
    b.run(50_us);
    CHECK(b.same(data, 2048));
    CHECK(b.same(meta, 32));
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.status >> 1 == 0);
    CHECK(b.dut.stats().bytes_to_host == 2080);
}

TEST_CASE("MPTR: a doubleword with PRPs, any byte with an SGL, or a descriptor of its own")
{
    bench b;
    b.begin();
    format(b, 1, 9, 8);
    const auto move = [&](const nvme_sqe& s) { return status_of(b, s, FE_MOVE_META_TO_HOST, 64); };
    CHECK(move(with_mptr(1, 8, meta + 2)) == NVME_SC_INVALID_FIELD);
    CHECK(b.host[meta + 2] == 0);
    CHECK(move(with_mptr(1, 8, meta + 3, NVME_PSDT_SGL)) == 0);
    CHECK(b.same(meta + 3, 64));
    const std::uint64_t at = meta + 0x1000;
    auto& d = b.at<nvme_sgl>(at);
    d = {meta + 0x2001, 64, {}, NVME_SGL_DATA << 4};
    CHECK(move(with_mptr(1, 8, at, NVME_PSDT_SGL_MPTR)) == 0);
    CHECK(b.same(meta + 0x2001, 64));
    CHECK(move(with_mptr(1, 8, at + 4, NVME_PSDT_SGL_MPTR)) == NVME_SC_INVALID_SGL_SEGMENT);
    d.length = 63;
    CHECK(move(with_mptr(1, 8, at, NVME_PSDT_SGL_MPTR)) == NVME_SC_METADATA_SGL_LENGTH_INVALID);
    d.length = 65;
    CHECK(move(with_mptr(1, 8, at, NVME_PSDT_SGL_MPTR)) == NVME_SC_METADATA_SGL_LENGTH_INVALID);
    d.type = 0x40;
    CHECK(move(with_mptr(1, 8, at, NVME_PSDT_SGL_MPTR)) == NVME_SC_SGL_TYPE_INVALID);
    d = {at + 0x100, 32, {}, NVME_SGL_LAST_SEGMENT << 4};
    b.at<nvme_sgl>(at + 0x100) = {meta + 0x4000, 40, {}, NVME_SGL_DATA << 4};
    b.at<nvme_sgl>(at + 0x110) = {meta + 0x5000, 24, {}, NVME_SGL_DATA << 4};
    CHECK(move(with_mptr(1, 8, at, NVME_PSDT_SGL_MPTR)) == 0);
    CHECK(b.same(meta + 0x4000, 40));
    CHECK(b.host[meta + 0x5000] == b.memory[nvme_bench::buffer + 40]);
    CHECK(move(with_mptr(1, 8, 1ull << 40, NVME_PSDT_SGL_MPTR)) == NVME_SC_DATA_TRANSFER_ERROR);
}

TEST_CASE("commands whose data are no blocks are sized by their own fields")
{
    bench b;
    b.begin();
    const auto moved = [&](std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t cdw12,
                           std::uint32_t bytes) {
        nvme_sqe s = read_sqe(0, 512, data, data + 0x1000);
        s.opcode = opcode;
        s.cdw10 = cdw10;
        s.cdw12 = cdw12;
        return status_of(b, s, FE_MOVE_FROM_HOST, bytes) == 0 &&
               status_of(b, s, FE_MOVE_FROM_HOST, bytes + 1) == NVME_SC_DATA_TRANSFER_ERROR;
    };
    CHECK(moved(NVME_IO_DSM, 3, 0, 4 * 16));
    CHECK(moved(0x05, 0, 1, 1024));         // Compare
    CHECK(moved(0x7D, 0, 1, 1024));         // Zone Append
    CHECK(moved(0x7A, 0, 9, 40));           // Zone Management Receive
    CHECK(moved(0x19, 0, 1, 64));           // Copy, descriptor format 0
    CHECK(moved(0x19, 0, 1u << 8 | 1, 80)); // format 1
    b.expected_faults = 6;
}

} // namespace metadata_test
