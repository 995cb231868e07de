// SPDX-License-Identifier: Apache-2.0
//
// The whole drive, by registers alone: resets and shutdowns under load, queues in bad memory, wrong
// doorbells, wrong data pointers. Data that the drive has acknowledged are there afterwards.
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "tests/support/raw_host.h"

namespace nvme_registers_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

constexpr std::uint32_t sector = 512;
constexpr std::uint32_t written = 24; // sectors that the tests look after

nvme_sqe rw(std::uint8_t opcode, std::uint64_t lba, std::uint64_t prp1, std::uint16_t cid = 0)
{
    nvme_sqe s{};
    s.opcode = opcode;
    s.cid = cid;
    s.nsid = 1;
    s.prp1 = prp1;
    s.cdw10 = static_cast<std::uint32_t>(lba);
    return s;
}

struct bench : test::raw_host {
    bench() : raw_host({})
    {
        REQUIRE(enable());
        queues_made();
        for (std::uint32_t lba = 0; lba < written; ++lba) {
            fill(page(1), lba, 1);
            REQUIRE(command(1, rw(NVME_IO_WRITE, lba, page(1))) == 0);
        }
    }
    void queues_made() { CHECK(create_queues() == std::vector<std::uint32_t>{0, 0, 0, 0}); }
    void fill(std::uint64_t address, std::uint32_t lba, std::uint32_t version)
    {
        for (std::uint32_t i = 0; i < sector; ++i) {
            at<unsigned char>(address + i) =
                static_cast<unsigned char>(lba * 31 + version * 101 + i * 7);
        }
    }
    /// Version of a sector, 0 = none that was written.
    std::uint32_t version(std::uint32_t lba)
    {
        std::memset(&at<unsigned char>(page(2)), 0xEE, sector);
        REQUIRE(command(1, rw(NVME_IO_READ, lba, page(2))) == 0);
        for (std::uint32_t v = 1; v < 4; ++v) {
            fill(page(3), lba, v);
            if (std::memcmp(&at<unsigned char>(page(2)), &at<unsigned char>(page(3)), sector) ==
                0) {
                return v;
            }
        }
        return 0;
    }
    void come_back()
    {
        CHECK(trouble().empty());
        REQUIRE(disable());
        REQUIRE(enable());
        queues_made();
    }
    void all_of_version(std::uint32_t v)
    {
        for (std::uint32_t lba = 0; lba < written; ++lba) {
            INFO("sector " << lba);
            CHECK(version(lba) == v);
        }
    }
    /// Version 2 of sectors 0..14, not waited for.
    void load()
    {
        for (std::uint16_t i = 0; i < 15; ++i) {
            fill(page(4u + i), i, 2);
            put(1, rw(NVME_IO_WRITE, i, page(4u + i), i));
        }
        ring(1);
    }
    std::set<std::uint32_t> acknowledged()
    {
        std::set<std::uint32_t> cids;
        nvme_cqe e{};
        while (reap(1, e)) {
            CHECK((e.status >> 1) == 0);
            cids.insert(e.cid);
        }
        return cids;
    }
};

/// Blocks of namespaces that a drive has instead of its own one; pages of 2 KiB have room for the
/// table of them.
struct namespaces : test::raw_host {
    static constexpr std::uint32_t all = 0xFFFFFFFF;

    namespaces()
        : raw_host({"nand.page_size=2KiB", "nand.oob_size=64B", "ftl.map_unit=2KiB",
                    "cache.capacity=16KiB"})
    {
        REQUIRE(enable());
    }
    /// Instead of all that there are.
    void lay_out(const std::vector<std::uint8_t>& blocks)
    {
        REQUIRE(command(0, deletion(all)) == 0);
        std::uint32_t nsid = 0;
        for (const std::uint8_t count : blocks) {
            auto* data = &at<unsigned char>(page(0));
            std::memset(data, 0, 4096);
            data[0] = count; // NSZE
            data[8] = count; // NCAP
            nvme_sqe s{};
            s.opcode = NVME_ADMIN_NS_MANAGEMENT;
            s.prp1 = page(0);
            REQUIRE(command(0, s) == 0);
            std::memset(data, 0, 4096);
            data[0] = 1; // controllers in the list
            data[2] = 1; // the only one
            s.opcode = NVME_ADMIN_NS_ATTACHMENT;
            s.nsid = ++nsid;
            REQUIRE(command(0, s) == 0);
        }
    }
    static nvme_sqe deletion(std::uint32_t nsid)
    {
        nvme_sqe s{};
        s.opcode = NVME_ADMIN_NS_MANAGEMENT;
        s.nsid = nsid;
        s.cdw10 = 1;
        return s;
    }
};

} // namespace

TEST_CASE("a queue in bad memory is a fatal state, and a reset brings the drive back")
{
    bench b;
    nvme_sqe s{};
    s.opcode = NVME_ADMIN_DELETE_SQ;
    s.cdw10 = 2;
    REQUIRE(b.command(0, s) == 0);
    s.opcode = NVME_ADMIN_CREATE_SQ;
    s.prp1 = 1ull << 44;
    s.cdw10 = 15u << 16 | 2;
    s.cdw11 = 2u << 16 | 1;
    REQUIRE(b.command(0, s) == 0); // only its use shows it
    b.write32(NVME_REG_DOORBELL + 16, 3);
    b.run(1_ms);
    CHECK(b.read32(NVME_REG_CSTS) == (NVME_CSTS_RDY | NVME_CSTS_CFS));
    b.come_back();
    b.all_of_version(1);
}

TEST_CASE("a reset under load: what was acknowledged is there, the rest is old or new")
{
    bench b;
    b.load();
    b.run(40_us);
    b.write32(NVME_REG_CC, 0);
    b.run(1_ms);
    const std::set<std::uint32_t> ended = b.acknowledged();
    b.come_back();
    for (std::uint32_t lba = 0; lba < written; ++lba) {
        const std::uint32_t v = b.version(lba);
        INFO("sector " << lba << ", version " << v);
        CHECK((ended.count(lba) != 0 ? v == 2 : v == 1 || (v == 2 && lba < 15)));
    }
}

TEST_CASE("shutdowns, normal and abrupt, under load: complete, and the data are there")
{
    bench b;
    for (const std::uint32_t how : {NVME_CC_SHN_NORMAL, NVME_CC_SHN_ABRUPT}) {
        b.load();
        b.run(20_us);
        b.write32(NVME_REG_CC, b.read32(NVME_REG_CC) | how);
        REQUIRE(b.wait_csts(NVME_CSTS_SHST_MASK, NVME_CSTS_SHST_COMPLETE));
        CHECK(b.acknowledged().size() == 15);
        CHECK((b.read32(NVME_REG_CSTS) & (NVME_CSTS_RDY | NVME_CSTS_CFS)) == NVME_CSTS_RDY);
        b.come_back();
        CHECK(b.read32(NVME_REG_CSTS) == NVME_CSTS_RDY); // SHST is cleared
        for (std::uint32_t lba = 0; lba < 15; ++lba) {
            CHECK(b.version(lba) == 2);
        }
    }
}

TEST_CASE("CC.EN 0 and 1 in a shutdown, and nobody waits for CSTS: what comes next completes")
{
    namespaces b;
    for (const sim_time begun : {1_us, 2_us, 10_us, 50_us, 200_us, 1_ms}) {
        INFO("the shutdown goes on for " << begun.ns() << " ns");
        b.lay_out({128, 16, 64});
        b.put(0, namespaces::deletion(1));
        b.ring(0);
        b.run(1_ms);
        b.write32(NVME_REG_CC, b.read32(NVME_REG_CC) | NVME_CC_SHN_NORMAL);
        b.run(begun);
        b.write32(NVME_REG_CC, 0);
        REQUIRE(b.enable());
        REQUIRE(b.command(0, namespaces::deletion(namespaces::all)) == 0);
    }
    CHECK(b.trouble().empty());
}

TEST_CASE("a queue under load is deleted once, after its commands, and who asks again learns so")
{
    bench b;
    b.load();
    nvme_sqe s{};
    s.opcode = NVME_ADMIN_DELETE_SQ;
    s.cdw10 = 1;
    s.cid = 1;
    b.put(0, s);
    s.cid = 2;
    b.put(0, s);
    b.run(2_us); // the writes are fetched
    b.ring(0);
    b.run(20_ms);
    nvme_cqe e{};
    std::uint32_t status[3] = {};
    for (int i = 0; i < 2; ++i) {
        REQUIRE(b.reap(0, e));
        REQUIRE(e.cid <= 2);
        status[e.cid] = (e.status >> 1u) & 0x7FFu;
    }
    b.ring_head(0);
    CHECK(status[1] == 0);
    CHECK(status[2] == NVME_SC_QID_INVALID);
    CHECK(b.acknowledged().size() == 15); // its completion queue is there still
    CHECK(b.trouble().empty());
    b.come_back();
    for (std::uint32_t lba = 0; lba < 15; ++lba) {
        CHECK(b.version(lba) == 2);
    }
}

TEST_CASE("wrong doorbells change nothing")
{
    bench b;
    for (const std::uint32_t offset : {8u, 12u, 16u, 24u, 28u, 0x200u, 0xFFCu}) {
        for (const std::uint32_t value : {16u, 0xFFFFu, b.tail(1)}) {
            b.write32(NVME_REG_DOORBELL + offset, value);
        }
    }
    b.run(1_ms);
    CHECK(b.read32(NVME_REG_CSTS) == NVME_CSTS_RDY);
    b.all_of_version(1);
}

TEST_CASE("what CAP does not offer is refused at enable, and then the drive works")
{
    bench b;
    for (const std::uint32_t more : {1u << NVME_CC_MPS_SHIFT, 2u << NVME_CC_AMS_SHIFT,
                                     1u << NVME_CC_CSS_SHIFT, 1u << NVME_CC_IOSQES_SHIFT}) {
        REQUIRE(b.disable());
        b.write32(NVME_REG_CC,
                  NVME_CC_EN | 6u << NVME_CC_IOSQES_SHIFT | 4u << NVME_CC_IOCQES_SHIFT | more);
        b.run(10_ms);
        CHECK(b.read32(NVME_REG_CSTS) == NVME_CSTS_CFS);
    }
    b.come_back();
    b.all_of_version(1);
    REQUIRE(b.disable());
    REQUIRE(b.enable(1u << NVME_CC_AMS_SHIFT)); // weighted round robin
    b.queues_made();
    b.all_of_version(1);
}

TEST_CASE("a write whose data cannot come changes nothing, and says why")
{
    bench b;
    const auto status = [&](nvme_sqe s, std::uint8_t flags = 0, std::uint64_t prp2 = 0) {
        s.flags = flags;
        s.prp2 = prp2;
        return b.command(1, s);
    };
    const std::uint8_t sgl = NVME_PSDT_SGL << NVME_PSDT_SHIFT;
    const auto type = [](std::uint64_t t) { return t << 60; };
    const nvme_sqe w = rw(NVME_IO_WRITE, 3, b.page(4));
    b.fill(b.page(4), 3, 3);
    CHECK(status(rw(NVME_IO_WRITE, 3, b.page(4) + 1)) == NVME_SC_PRP_OFFSET_INVALID);
    CHECK(status(rw(NVME_IO_WRITE, 3, 1ull << 44)) == NVME_SC_DATA_TRANSFER_ERROR);
    CHECK(status(w, sgl, 511) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    CHECK(status(w, sgl, 513) == NVME_SC_DATA_SGL_LENGTH_INVALID);
    CHECK(status(w, sgl, type(4) | 512) == NVME_SC_SGL_TYPE_INVALID);
    CHECK(status(w, sgl, type(2) | 16) != 0);
    CHECK(status(w, sgl, type(3) | 15) == NVME_SC_INVALID_SGL_SEGMENT);
    CHECK(status(w, sgl, type(1) | 512) == NVME_SC_DATA_SGL_LENGTH_INVALID); // a bucket
    CHECK(status(w, 0xC0) == NVME_SC_INVALID_FIELD);
    b.all_of_version(1);
    CHECK(status(w, sgl, 512) == 0);
    CHECK(b.version(3) == 3);
    CHECK(b.trouble().empty());
}

TEST_CASE("queues of two entries: one command at a time, and every phase is right")
{
    bench b;
    REQUIRE(b.disable());
    REQUIRE(b.enable());
    CHECK(b.create_queues(2) == std::vector<std::uint32_t>{0, 0, 0, 0});
    for (std::uint32_t i = 0; i < 3; ++i) {
        b.all_of_version(1);
    }
    CHECK(b.trouble().empty());
}

} // namespace nvme_registers_test
