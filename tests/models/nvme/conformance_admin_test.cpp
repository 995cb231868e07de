// SPDX-License-Identifier: Apache-2.0
//
// Admin commands on a whole drive, from the registers: NVM Express base 1.4 section 5.
#include <cstring>
#include <set>

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_admin_test {

namespace {
constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;
} // namespace

TEST_CASE("Identify tells what the drive does, and lists agree")
{
    conformance_bench b;
    b.enable();
    const bytes c = b.identify(1);
    CHECK(get(c, 0, 2) == 0x1B36);
    CHECK(c[77] == 5);         // MDTS: 128 KiB
    CHECK(get(c, 78, 2) == 1); // CNTLID
    CHECK(get(c, 80, 4) == b.read32(NVME_REG_VS));
    CHECK(get(c, 256, 2) == 0x0E); // OACS: format, firmware, namespaces
    CHECK(c[258] == 3);            // ACL
    CHECK(c[259] == 3);            // AERL
    CHECK(c[260] == 0x17);         // FRMW: three slots, the first read only; no reset needed
    CHECK(c[261] == 0x0E);         // LPA
    CHECK(c[262] == 63);           // ELPE
    CHECK(c[263] == 1);            // NPSS
    CHECK(get(c, 280, 8) == b.sectors() * 512);
    CHECK(get(c, 296, 8) == 0);
    CHECK(c[512] == 0x66);
    CHECK(c[513] == 0x44);
    CHECK(get(c, 516, 4) == 16);
    CHECK(get(c, 520, 2) == 0x1DF);
    CHECK(c[2048 + 32 + 3] == 2); // the second power state does not work
    const bytes n = b.identify(0, 1);
    CHECK(get(n, 0, 8) == b.sectors());
    CHECK(get(n, 128, 4) == 9u << 16);
    CHECK(b.identify(0x11, 1) == n);
    CHECK(b.identify(0, 2) == bytes(4096));
    const bytes common = b.identify(0, 0xFFFFFFFF);
    CHECK(get(common, 0, 8) == 0);
    CHECK(get(common, 128, 4) == 9u << 16);
    CHECK(get(b.identify(2, 0), 0, 8) == 1);
    CHECK(get(b.identify(2, 1), 0, 4) == 0);
    CHECK(get(b.identify(0x10, 0), 0, 8) == 1);
    CHECK(get(b.identify(0x12, 1), 0, 4) == (1 | 1 << 16));
    CHECK(get(b.identify(0x13, 0), 0, 4) == (1 | 1 << 16));
    CHECK(get(b.identify(0x13 | 2 << 16, 0), 0, 4) == 0);
    CHECK(std::memcmp(b.identify(3, 1).data() + 4, n.data() + 120, 8) == 0);
    bytes page(4096);
    for (const std::uint32_t nsid : {0u, 17u, 0xFFFFFFFEu}) {
        CHECK(b.status(0, of(nsid, command(NVME_ADMIN_IDENTIFY, 0)), &page) ==
              (NVME_SC_INVALID_NAMESPACE | dnr));
    }
    for (const std::uint32_t cns : {0x04u, 0x0Fu, 0x14u, 0xFFu}) {
        CHECK(b.status(0, command(NVME_ADMIN_IDENTIFY, cns), &page) == invalid_field);
    }
    CHECK(b.status(0, of(0xFFFFFFFE, command(NVME_ADMIN_IDENTIFY, 2)), &page) ==
          (NVME_SC_INVALID_NAMESPACE | dnr));
}

TEST_CASE("every opcode that is none is refused, on both kinds of queue")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    const std::set<int> admin = {0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x08, 0x09,
                                 0x0A, 0x0C, 0x0D, 0x10, 0x11, 0x15, 0x80};
    const std::set<int> nvm = {0x00, 0x01, 0x02, 0x04, 0x05, 0x08, 0x09, 0x0C, 0x19};
    for (int opcode = 0; opcode < 256; ++opcode) {
        INFO("opcode " << opcode);
        const auto o = static_cast<std::uint8_t>(opcode);
        if (admin.count(opcode) == 0) {
            CHECK(b.status(0, command(o)) == (NVME_SC_INVALID_OPCODE | dnr));
        }
        if (nvm.count(opcode) == 0) {
            CHECK(b.status(1, of(1, command(o))) == (NVME_SC_INVALID_OPCODE | dnr));
        }
    }
    CHECK(get(b.log_page(NVME_LOG_SMART, 512), 176, 8) == 256 - 15 + 256 - 9);
}

TEST_CASE("fused admin commands and admin SGLs are refused")
{
    conformance_bench b;
    b.enable();
    for (const unsigned flags : {1u, 2u, 3u, 0x40u, 0x80u, 0xC0u}) {
        for (const std::uint8_t opcode :
             {NVME_ADMIN_IDENTIFY, NVME_ADMIN_GET_FEATURES, NVME_ADMIN_CREATE_CQ, NVME_ADMIN_FORMAT,
              NVME_ADMIN_ASYNC_EVENT}) {
            nvme_sqe q = command(opcode, 1);
            q.flags = static_cast<std::uint8_t>(flags);
            CHECK(b.status(0, q) == invalid_field);
        }
    }
}

TEST_CASE("features keep what was saved through reset and loss of power")
{
    conformance_bench b;
    b.enable();
    struct row {
        std::uint32_t id, initial, value;
    };
    const row rows[] = {{0x02, 0, 1}, {0x04, 343, 350}, {0x06, 1, 0}, {0x0B, 0, 0x11F}};
    for (const row& r : rows) {
        INFO("feature " << r.id);
        CHECK(b.get_feature(r.id).dw0 == r.initial);
        CHECK(b.get_feature(r.id | 0x300).dw0 == 5);
        REQUIRE(b.set_feature(r.id, r.value) == 0);
        CHECK(b.get_feature(r.id).dw0 == r.value);
        CHECK(b.get_feature(r.id | 0x200).dw0 == r.initial);
    }
    b.disable();
    b.enable();
    for (const row& r : rows) {
        CHECK(b.get_feature(r.id).dw0 == r.initial);
        REQUIRE(b.set_feature(r.id | 0x80000000u, r.value) == 0);
    }
    b.power_cycle();
    for (const row& r : rows) {
        CHECK(b.get_feature(r.id).dw0 == r.value);
        CHECK(b.get_feature(r.id | 0x100).dw0 == r.initial);
        CHECK(b.get_feature(r.id | 0x200).dw0 == r.value);
    }
    CHECK(b.set_feature(0x80000007u, 0) == (NVME_SC_FEATURE_NOT_SAVEABLE | dnr));
    CHECK(b.set_feature(0x8000000Au, 1) == (NVME_SC_FEATURE_NOT_SAVEABLE | dnr));
    CHECK(b.set_feature(0x03, 0) == invalid_field);
    CHECK(b.get_feature(0x03).status >> 1 == invalid_field);
    CHECK(b.get_feature(0x402).status >> 1 == invalid_field);
    CHECK(b.status(0, of(1, command(NVME_ADMIN_SET_FEATURES, 6, 1))) ==
          (NVME_SC_FEATURE_NOT_NAMESPACE | dnr));
    CHECK(b.get_feature(0x07).dw0 == 0x00030003);
    b.create_queues(1, 16);
    CHECK(b.set_feature(0x07, 0) == (NVME_SC_COMMAND_SEQUENCE | dnr));
}

TEST_CASE("features that the hardware carries out")
{
    conformance_bench b;
    b.enable();
    CHECK(b.get_feature(0x01).dw0 == 3);
    REQUIRE(b.set_feature(0x01, 0x04030202) == 0);
    CHECK(b.get_feature(0x01).dw0 == 0x04030202);
    REQUIRE(b.set_feature(0x08 | 0x80000000u, 0x0207) == 0);
    CHECK(b.get_feature(0x08).dw0 == 0x0207);
    REQUIRE(b.set_feature(0x09, 2 | 0x10000) == 0);
    CHECK(b.get_feature(0x09, 2).dw0 == (2 | 0x10000));
    CHECK(b.set_feature(0x09, 5) == invalid_field);
    b.disable();
    b.enable();
    CHECK(b.get_feature(0x01).dw0 == 3);
    CHECK(b.get_feature(0x08).dw0 == 0x0207);
    CHECK(b.get_feature(0x09, 2).dw0 == 2);
}

TEST_CASE("data of features: timestamp and host identifier")
{
    conformance_bench b;
    b.enable();
    bytes data(4096);
    put(data, 0, 0x1000);
    REQUIRE(b.status(0, command(NVME_ADMIN_SET_FEATURES, 0x0E), &data) == 0);
    b.run(5000000);
    bytes page(4096, 0xEE);
    REQUIRE(b.status(0, command(NVME_ADMIN_GET_FEATURES, 0x0E), &page) == 0);
    CHECK(get(page, 0, 6) - 0x1005 <= 1);
    CHECK(page[6] == 2);
    CHECK(page[8] == 0xEE); // and no byte more
    put(data, 0, 77);
    REQUIRE(b.status(0, command(NVME_ADMIN_SET_FEATURES, 0x81), &data) == 0);
    CHECK(b.status(0, command(NVME_ADMIN_SET_FEATURES, 0x81), &data) ==
          (NVME_SC_COMMAND_SEQUENCE | dnr));
    REQUIRE(b.status(0, command(NVME_ADMIN_GET_FEATURES, 0x81), &page) == 0);
    CHECK(get(page, 0, 8) == 77);
}

TEST_CASE("log pages: lengths, offsets, PRPs that cross pages")
{
    conformance_bench b;
    b.enable();
    const bytes whole = b.log_page(NVME_LOG_EFFECTS, 4096);
    CHECK(get(whole, NVME_ADMIN_FORMAT * 4, 4) == 0x20007);
    CHECK(get(whole, 1024 + NVME_IO_COPY * 4, 4) == 3);
    nvme_sqe q = command(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS | 1023u << 16);
    b.point(q, 4096, 0x804); // starts in the middle of a page
    std::memset(b.data(), 0xEE, 3 * 4096);
    REQUIRE(b.await(0, b.submit(0, q)).status >> 1 == 0);
    CHECK(std::memcmp(b.data() + 0x804, whole.data(), 4096) == 0);
    CHECK(b.data()[0x803] == 0xEE);
    CHECK(b.data()[0x1804] == 0xEE);
    bytes part(8);
    q = command(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS | 1u << 16);
    q.cdw12 = 1024;
    REQUIRE(b.status(0, q, &part) == 0);
    CHECK(std::memcmp(part.data(), whole.data() + 1024, 8) == 0);
    for (const std::uint32_t offset : {4u, 12u, 1028u, 4088u}) {
        q.cdw12 = offset;
        REQUIRE(b.status(0, q, &part) == 0);
        CHECK(std::memcmp(part.data(), whole.data() + offset, 8) == 0);
    }
    bytes last(4);
    q = command(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS);
    q.cdw12 = 4092;
    REQUIRE(b.status(0, q, &last) == 0);
    CHECK(std::memcmp(last.data(), whole.data() + 4092, 4) == 0);
    q = command(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS | 1u << 16);
    q.cdw12 = 4100;
    CHECK(b.status(0, q, &part) == invalid_field);
    q.cdw12 = 2;
    CHECK(b.status(0, q, &part) == invalid_field);
    CHECK(b.status(0, command(NVME_ADMIN_GET_LOG_PAGE, 0x70 | 1u << 16), &part) ==
          (NVME_SC_INVALID_LOG_PAGE | dnr));
    CHECK(b.status(0, of(1, command(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_SMART | 127u << 16)),
                   &part) == invalid_field);
    CHECK(b.status(0, command(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_SMART | 32768u << 16)) ==
          invalid_field); // 128 KiB and a dword
}

TEST_CASE("the error log names queue, command and block")
{
    conformance_bench b;
    b.enable();
    b.create_queues(2, 8);
    bytes data(512);
    nvme_sqe q = io(NVME_IO_READ, b.sectors(), 1);
    b.point(q, 512);
    const std::uint16_t cid = b.submit(2, q);
    CHECK(b.await(2, cid).status >> 1 == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    const bytes log = b.log_page(NVME_LOG_ERROR, 4096);
    CHECK(get(log, 0, 8) == 1);
    CHECK(get(log, 8, 2) == 2);
    CHECK(get(log, 10, 2) == cid);
    CHECK(get(log, 12, 2) == (NVME_SC_LBA_OUT_OF_RANGE | dnr) << 1);
    CHECK(get(log, 16, 8) == b.sectors());
    CHECK(get(log, 24, 4) == 1);
    CHECK(get(log, 64, 8) == 0);
}

TEST_CASE("SMART counts work, power cycles and unsafe shutdowns")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    bytes data(128 * 1024);
    for (int i = 0; i < 10; ++i) {
        REQUIRE(b.status(1, io(NVME_IO_WRITE, 0, 256), &data) == 0);
    }
    REQUIRE(b.status(1, io(NVME_IO_READ, 0, 256), &data) == 0);
    bytes s = b.log_page(NVME_LOG_SMART, 512);
    CHECK(s[0] == 0);
    CHECK(get(s, 1, 2) == 300);
    CHECK(get(s, 32, 8) == 1);
    CHECK(get(s, 48, 8) == 3); // 2560 sectors
    CHECK(get(s, 64, 8) == 1);
    CHECK(get(s, 80, 8) == 10);
    CHECK(get(s, 112, 8) == 1);
    b.shut_down();
    b.power_cycle();
    s = b.log_page(NVME_LOG_SMART, 512);
    CHECK(get(s, 80, 8) == 10);
    CHECK(get(s, 112, 8) == 2);
    CHECK(get(s, 144, 8) == 0);
    b.create_queues(1, 16);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 0, 256), &data) == 0);
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.power_cycle();
    s = b.log_page(NVME_LOG_SMART, 512);
    CHECK(get(s, 112, 8) == 3);
    CHECK(get(s, 144, 8) == 1);
}

TEST_CASE("telemetry of host and controller carry the counters of the drive")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    const bytes before = b.log_page(NVME_LOG_TELEMETRY_HOST | 1u << 8, 3584);
    CHECK(before[0] == NVME_LOG_TELEMETRY_HOST);
    CHECK(get(before, 8, 2) == 6);
    CHECK(get(before, 12, 2) == 6);
    CHECK(get(before, 528, 4) == TELEMETRY_MAGIC);
    bytes data(128 * 1024);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 0, 256), &data) == 0);
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.run(1000000);
    CHECK(b.log_page(NVME_LOG_TELEMETRY_HOST, 3584) == before);
    const bytes now = b.log_page(NVME_LOG_TELEMETRY_CONTROLLER, 3584);
    const std::size_t written = 528 + offsetof(telemetry, host_units_written);
    CHECK(get(before, written, 8) == 0);
    CHECK(get(now, written, 8) == 32);
}

TEST_CASE("telemetry of a drive with two partitions is that of both")
{
    conformance_bench b({"cpu.ftl_cores=2"});
    b.enable();
    b.create_queues(1, 16);
    bytes data(128 * 1024);
    for (const std::uint64_t lba : {0, 256, 512}) { // stripes of the partitions in turn
        REQUIRE(b.status(1, io(NVME_IO_WRITE, lba, 256), &data) == 0);
    }
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.run(1000000);
    const bytes log = b.log_page(NVME_LOG_TELEMETRY_CONTROLLER, 3584);
    telemetry told{};
    std::memcpy(&told, log.data() + 528, sizeof told);
    CHECK(told.host_units_written == 3 * 32);
    const telemetry counted = b.drive().firmware_telemetry();
    CHECK(std::memcmp(&told, &counted, sizeof told) == 0);
    const std::size_t life = 528 + sizeof told; // struct drive_life
    CHECK(get(log, life + 40, 8) == 3 * 256);   // sectors written
    CHECK(get(log, life + 56, 8) == 3);         // by so many commands
}

} // namespace ssdvp::test::conformance_admin_test
