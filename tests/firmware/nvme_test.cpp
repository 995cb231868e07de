// SPDX-License-Identifier: Apache-2.0
//
// NVMe commands: what each returns, and every status code. NVM Express base 1.4.
#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::nvme_test {
namespace {

nvme_sqe create_cq(std::uint32_t id, std::uint32_t entries, std::uint32_t vector = 0,
                   std::uint32_t flags = 3)
{
    return admin(NVME_ADMIN_CREATE_CQ, id | ((entries - 1) << 16), (vector << 16) | flags);
}

nvme_sqe create_sq(std::uint32_t id, std::uint32_t entries, std::uint32_t cq,
                   std::uint32_t flags = 1)
{
    return admin(NVME_ADMIN_CREATE_SQ, id | ((entries - 1) << 16), (cq << 16) | flags);
}

} // namespace

TEST_CASE("identify controller, namespace and list")
{
    drive d(tiny_drive());
    std::vector<std::uint8_t> page(4096, 0xEE);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    CHECK(page[77] == 4); // 64 KiB = 2^4 pages of 4 KiB
    CHECK(get(page, 80, 4) == NVME_VS_RESET);
    CHECK(page[512] == 0x66);
    CHECK(page[513] == 0x44);
    CHECK(get(page, 516, 4) == 16);
    CHECK(get(page, 520, 2) == 0x1DF);
    CHECK(page[525] == 7);
    CHECK(page[24] == 's');
    CHECK(page[4095] == 0);

    REQUIRE(d.nand.execute(0, identify(0, 1), &page).status == 0);
    CHECK(get(page, 0, 8) == 17 * 128 * 8);
    CHECK(get(page, 8, 8) == 17 * 128 * 8);
    CHECK(get(page, 16, 8) == 0);
    CHECK(page[25] == 1);
    CHECK(page[26] == 0);
    CHECK(get(page, 128, 4) == 9u << 16);
    CHECK(get(page, 132, 4) == 12u << 16);

    REQUIRE(d.nand.execute(0, identify(2, 0), &page).status == 0);
    CHECK(get(page, 0, 4) == 1);
    CHECK(get(page, 4, 4) == 0);
    REQUIRE(d.nand.execute(0, identify(2, 1), &page).status == 0);
    CHECK(get(page, 0, 4) == 0);

    REQUIRE(d.nand.execute(0, identify(0, 2), &page).status == 0); // inactive: zeroes
    CHECK(page == std::vector<std::uint8_t>(4096));
    CHECK(d.nand.execute(0, identify(0, 17), &page).status == (NVME_SC_INVALID_NAMESPACE | dnr));
    CHECK(d.nand.execute(0, identify(2, 0xFFFFFFFF), &page).status ==
          (NVME_SC_INVALID_NAMESPACE | dnr));
    CHECK(d.nand.execute(0, identify(0x77, 1), &page).status == (NVME_SC_INVALID_FIELD | dnr));
    CHECK(d.nand.execute(0, admin(0x7F)).status == (NVME_SC_INVALID_OPCODE | dnr));
    // The buffers of pages come back: many more pages than there are buffers.
    for (int i = 0; i < 100; ++i) {
        REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    }
    d.check_rules();
}

TEST_CASE("identify without a cache has no volatile write cache")
{
    ram_config c = tiny_drive();
    c.params.cache.policy = CACHE_POLICY_NONE;
    drive d(c);
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    CHECK(page[525] == 6);
}

TEST_CASE("queue creation and deletion return the specification's errors")
{
    drive d(tiny_drive());
    ram_nand& n = d.nand;
    CHECK(n.execute(0, create_cq(0, 64)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, create_cq(5, 64)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, create_cq(1, 1)).status == (NVME_SC_QUEUE_SIZE_INVALID | dnr));
    CHECK(n.execute(0, create_cq(1, 257)).status == (NVME_SC_QUEUE_SIZE_INVALID | dnr));
    CHECK(n.execute(0, create_cq(1, 64, 5)).status == (NVME_SC_INTERRUPT_VECTOR_INVALID | dnr));
    CHECK(n.execute(0, create_cq(1, 64, 0, 2)).status == (NVME_SC_INVALID_FIELD | dnr));
    nvme_sqe odd = create_cq(1, 64);
    odd.prp1 = 0x1008;
    CHECK(n.execute(0, odd).status == (NVME_SC_PRP_OFFSET_INVALID | dnr));
    CHECK(n.execute(0, create_cq(1, 256, 4)).status == 0);
    CHECK(n.execute(0, create_cq(1, 64)).status == (NVME_SC_QID_INVALID | dnr));

    CHECK(n.execute(0, create_sq(0, 64, 1)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, create_sq(9, 64, 1)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, create_sq(1, 1, 1)).status == (NVME_SC_QUEUE_SIZE_INVALID | dnr));
    CHECK(n.execute(0, create_sq(1, 64, 1, 0)).status == (NVME_SC_INVALID_FIELD | dnr));
    CHECK(n.execute(0, create_sq(1, 64, 2)).status == (NVME_SC_CQ_INVALID | dnr));
    CHECK(n.execute(0, create_sq(1, 64, 0)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, create_sq(1, 64, 1)).status == 0);
    CHECK(n.execute(0, create_sq(1, 64, 1)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, create_sq(2, 64, 1)).status == 0);
    CHECK(n.sq_exists(2));

    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_CQ, 1)).status ==
          (NVME_SC_INVALID_QUEUE_DELETION | dnr));
    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_CQ, 2)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_SQ, 3)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_SQ, 0)).status == (NVME_SC_QID_INVALID | dnr));
    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_SQ, 2)).status == 0);
    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_SQ, 1)).status == 0);
    CHECK_FALSE(n.sq_exists(1));
    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_CQ, 1)).status == 0);
    CHECK(n.execute(0, admin(NVME_ADMIN_DELETE_CQ, 1)).status == (NVME_SC_QID_INVALID | dnr));
    d.create_queues();
    d.check_rules();
}

TEST_CASE("features: number of queues and volatile write cache")
{
    drive d(tiny_drive());
    ram_nand& n = d.nand;
    host_completion c = n.execute(0, admin(NVME_ADMIN_SET_FEATURES, 7, 0x00070007));
    CHECK(c.status == 0);
    CHECK(c.dw0 == 0x00030003);
    c = n.execute(0, admin(NVME_ADMIN_GET_FEATURES, 7));
    CHECK(c.dw0 == 0x00030003);
    CHECK(n.execute(0, admin(NVME_ADMIN_SET_FEATURES, 7, 0xFFFF)).status ==
          (NVME_SC_INVALID_FIELD | dnr));
    CHECK(n.execute(0, admin(NVME_ADMIN_GET_FEATURES, 6)).dw0 == 1);
    CHECK(n.execute(0, admin(NVME_ADMIN_SET_FEATURES, 6, 0)).status == 0);
    CHECK(n.execute(0, admin(NVME_ADMIN_GET_FEATURES, 6)).dw0 == 0);
    CHECK(n.execute(0, admin(NVME_ADMIN_GET_FEATURES, 0x106)).dw0 == 1); // the default
    CHECK(n.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x80000007, 1)).status ==
          (NVME_SC_FEATURE_NOT_SAVEABLE | dnr));
    CHECK(n.execute(0, admin(NVME_ADMIN_GET_FEATURES, 0x20)).status ==
          (NVME_SC_INVALID_FIELD | dnr));
    CHECK(n.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x20)).status ==
          (NVME_SC_INVALID_FIELD | dnr));
}

TEST_CASE("a disabled write cache makes every write durable")
{
    drive d(tiny_drive());
    d.create_queues();
    d.start_write(0, 8);
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 0);
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, 6, 0)).status == 0);
    d.start_write(64, 8);
    d.drain();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 1);
}

TEST_CASE("log pages: error and SMART with real counters")
{
    drive d(tiny_drive());
    d.create_queues();
    std::vector<std::uint8_t> page(512);
    d.start_write(0, 100);
    d.drain();
    d.start_read(0, 50);
    d.start_read(50, 50);
    d.drain();
    nvme_sqe q = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_SMART | (127u << 16));
    REQUIRE(d.nand.execute(0, q, &page).status == 0);
    CHECK(page[0] == 0);
    CHECK(page[3] == 100);
    CHECK(get(page, 32, 8) == 1); // 100 sectors, in thousands rounded up
    CHECK(get(page, 64, 8) == 2);
    CHECK(get(page, 80, 8) == 1);
    CHECK(get(page, 176, 8) == 0);
    CHECK(d.nand.execute(0, admin(NVME_ADMIN_GET_LOG_PAGE, 0x55 | (15u << 16)), &page).status ==
          (NVME_SC_INVALID_LOG_PAGE | dnr));
    q = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_ERROR | (15u << 16));
    REQUIRE(d.nand.execute(0, q, &page).status == 0);
    CHECK(get(page, 0, 8) == 1);
    q = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_SMART | (127u << 16));
    q.cdw12 = 1024;
    CHECK(d.nand.execute(0, q, &page).status == (NVME_SC_INVALID_FIELD | dnr));
    d.check_rules();
}

TEST_CASE("I/O commands return the specification's errors")
{
    drive d(tiny_drive());
    d.create_queues();
    ram_nand& n = d.nand;
    std::vector<std::uint8_t> data(65536 + 512);
    const std::uint64_t end = d.sectors();
    CHECK(n.execute(1, io(NVME_IO_READ, end - 1, 1), &data).status == 0);
    CHECK(n.execute(1, io(NVME_IO_READ, end - 1, 2), &data).status ==
          (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(n.execute(1, io(NVME_IO_WRITE, end, 1), &data).status ==
          (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(n.execute(1, io(NVME_IO_READ, ~0ull, 8), &data).status ==
          (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(n.execute(1, io(NVME_IO_WRITE_ZEROES, end - 4, 5)).status ==
          (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(n.execute(1, io(NVME_IO_READ, 0, 128), &data).status == 0);
    CHECK(n.execute(1, io(NVME_IO_READ, 0, 129), &data).status == (NVME_SC_INVALID_FIELD | dnr));
    CHECK(n.execute(1, io(NVME_IO_WRITE, 0, 129), &data).status == (NVME_SC_INVALID_FIELD | dnr));
    CHECK(n.execute(1, io(NVME_IO_WRITE_ZEROES, 0, 129)).status == 0); // no data, no MDTS
    CHECK(n.execute(1, io(0x55, 0, 1)).status == (NVME_SC_INVALID_OPCODE | dnr));
    for (const int opcode :
         {NVME_IO_READ, NVME_IO_WRITE, NVME_IO_FLUSH, NVME_IO_WRITE_ZEROES, NVME_IO_DSM}) {
        nvme_sqe q = io(static_cast<std::uint8_t>(opcode), 0, 1);
        q.nsid = 2;
        CHECK(n.execute(1, q, &data).status == (NVME_SC_INVALID_FIELD | dnr));
        q.nsid = 17;
        CHECK(n.execute(1, q, &data).status == (NVME_SC_INVALID_NAMESPACE | dnr));
        q.nsid = 1;
        for (const unsigned flags :
             {0x01u, 0x02u, 0x04u, 0x20u, 0xC0u}) { // fused, reserved, PSDT 11b
            q.flags = static_cast<std::uint8_t>(flags);
            CHECK(n.execute(1, q, &data).status == (NVME_SC_INVALID_FIELD | dnr));
        }
    }
    nvme_sqe flush = io(NVME_IO_FLUSH, 0, 1);
    flush.nsid = 0xFFFFFFFF;
    CHECK(n.execute(1, flush).status == 0);
    nvme_sqe trim{};
    trim.opcode = NVME_IO_DSM;
    trim.nsid = 1;
    trim.cdw11 = NVME_DSM_DEALLOCATE;
    const nvme_dsm_range r{0, 2, end - 1};
    std::vector<std::uint8_t> ranges(sizeof r);
    std::memcpy(ranges.data(), &r, sizeof r);
    CHECK(n.execute(1, trim, &ranges).status == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    trim.cdw11 = 0; // only a hint: nothing is read
    CHECK(n.execute(1, trim, &ranges).status == 0);
    d.check_rules();
}

TEST_CASE("an unreadable page ends the read with an error")
{
    ram_config c = tiny_drive();
    bool bad = false;
    c.unreadable = [&bad](const nand_place&, std::uint32_t) { return bad; };
    drive d(c);
    d.create_queues();
    d.start_write(0, 64);
    d.start_flush();
    d.idle();
    bad = true;
    std::vector<std::uint8_t> data(64 * 512);
    CHECK(d.nand.execute(1, io(NVME_IO_READ, 0, 64), &data).status ==
          NVME_SC_UNRECOVERED_READ_ERROR);
    bad = false;
    CHECK(d.nand.execute(1, io(NVME_IO_READ, 0, 64), &data).status == 0);
    d.nand.settle();
    CHECK(d.nand.counters().read_errors == 1);
}

TEST_CASE("shutdown flushes the buffer, then reports complete")
{
    drive d(tiny_drive());
    d.create_queues();
    d.start_write(0, 80);
    d.drain();
    d.nand.settle();
    CHECK(d.nand.counters().buffer_dirty == 10);
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 0);
    d.nand.write_cc(NVME_CC_EN | (1u << NVME_CC_SHN_SHIFT));
    bool occurring = false;
    for (int i = 0; i < 3; ++i) {
        d.nand.step();
        occurring = occurring || (d.nand.csts() & NVME_CSTS_SHST_MASK) == NVME_CSTS_SHST_OCCURRING;
    }
    CHECK(occurring);
    d.nand.settle();
    CHECK((d.nand.csts() & NVME_CSTS_SHST_MASK) == NVME_CSTS_SHST_COMPLETE);
    CHECK(d.nand.counters().buffer_dirty == 0);
    CHECK(d.nand.counters().mapped == 10);
    d.check_identities();
}

TEST_CASE("controller reset under load: comes back, keeps completed writes")
{
    ram_config c = tiny_drive();
    c.seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    drive d(c);
    std::mt19937_64 random(c.seed);
    for (int round = 0; round < 40; ++round) {
        d.create_queues();
        for (int i = 0; i < 200; ++i) {
            const std::uint64_t lba = random() % (d.sectors() - 40);
            const auto len = static_cast<std::uint32_t>(1 + random() % 40);
            switch (random() % 8) {
            case 0:
                d.start_flush();
                break;
            case 1:
                d.start_trim({{lba, len}, {0, 8}});
                break;
            case 2:
                d.start_write(lba, len, true);
                break;
            case 3:
            case 4:
                d.start_read(lba, len);
                break;
            default:
                d.start_write(lba, len);
            }
            for (std::uint64_t k = random() % 8; k != 0; --k) {
                d.pump();
            }
        }
        d.nand.write_cc(0);
        d.forget();
        while ((d.nand.csts() & NVME_CSTS_RDY) != 0) {
            REQUIRE(d.nand.step());
        }
        d.nand.enable();
    }
    d.create_queues();
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("deleting a queue waits for its commands")
{
    drive d(tiny_drive());
    d.create_queues();
    std::vector<std::uint8_t> data(40 * 512);
    for (std::uint64_t i = 0; i < 20; ++i) {
        REQUIRE(d.nand.submit(1, io(NVME_IO_WRITE, i * 40, 40, true), &data) > 0);
    }
    CHECK(d.nand.free_slots() == 12);
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_DELETE_SQ, 1)).status == 0);
    CHECK(d.nand.free_slots() == 32);
    d.check_rules();
}

TEST_CASE("a command that is smaller than a unit of the map touches two of them")
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.ftl.user_units /= p.geometry.page_size / p.ftl.map_unit;
    p.ftl.map_unit = p.geometry.page_size;
    p.host.mdts = 4096;
    drive d(c);
    d.create_queues();
    const std::uint64_t sectors = p.ftl.map_unit / 512;
    for (std::uint64_t n = 1; n < 200; ++n) { // many at a time
        while (!d.start_write(n * sectors - 4, 8)) {
            REQUIRE(d.pump());
        }
    }
    d.idle();
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

} // namespace ssdvp::test::nvme_test
