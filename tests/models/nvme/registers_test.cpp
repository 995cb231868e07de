// SPDX-License-Identifier: Apache-2.0
//
// Registers of both sides, and doorbells that cannot be right.
#include "tests/models/nvme/bench.h"

namespace registers_test {

using namespace ssdvp;
using namespace ssdvp::test;
using namespace ssdvp::literals;

namespace {

tlm::tlm_response_status access(nvme_bench& b, bool device_side, std::uint64_t address,
                                unsigned length)
{
    std::uint64_t value = 0;
    tlm::tlm_generic_payload gp;
    gp.set_read();
    gp.set_address(address);
    gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    gp.set_data_length(length);
    gp.set_streaming_width(length);
    sc_core::sc_time delay;
    // The targets' own interfaces: the address is as the router or the link would give it.
    if (device_side) {
        b.dut.regs.get_base_interface().b_transport(gp, delay);
    } else {
        b.dut.bar.get_base_interface().b_transport(gp, delay);
    }
    return gp.get_response_status();
}

} // namespace

TEST_CASE("CAP.TO counts 500 ms, the last part too, and ends at 127.5 s")
{
    const auto time_to_ready = [](nvme_bench& b) {
        return (b.bar_read64(NVME_REG_CAP) & NVME_CAP_TO_MASK) >> NVME_CAP_TO_SHIFT;
    };
    nvme::front_end_config config = bench_front_end();
    config.ready_limit = 10_s + 1_ms;
    nvme_bench small("small", config);
    config.ready_limit = 200_s;
    nvme_bench large("large", config);
    small.run({});
    CHECK(time_to_ready(small) == 21);
    CHECK(time_to_ready(large) == 255);
}

TEST_CASE("capabilities say what the hardware holds")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    const std::uint64_t cap = b.bar_read64(NVME_REG_CAP);
    CHECK((cap & 0xFFFF) == 63);         // MQES, zero-based
    CHECK(((cap >> 16) & 1) == 1);       // CQR
    CHECK(((cap >> 17) & 3) == 1);       // AMS: round robin only
    CHECK(((cap >> 24) & 0xFF) == 20);   // TO
    CHECK(((cap >> 32) & 0xF) == 0);     // DSTRD
    CHECK(((cap >> 37) & 0xFF) == 0x41); // CSS: NVM, and command sets of Identify 1Ch
    CHECK(((cap >> 48) & 0xFF) == 0);    // MPSMIN, MPSMAX: 4 KiB
    CHECK(b.bar_read(NVME_REG_VS) == NVME_VS_RESET);
    CHECK(b.bar_read(NVME_REG_CSTS) == 0);
    CHECK(b.reg_read(FE_REG_SLOTS) == 16);
    CHECK(b.reg_read(FE_REG_QUEUE_MAX) == 4);
    CHECK(b.reg_read(FE_REG_VECTORS) == 5);
    CHECK(b.reg_read(FE_REG_QUEUE_ENTRIES) == 64);
    CHECK(b.reg_read(FE_REG_INT_STATUS) == 0);
}

TEST_CASE("host registers keep what is written, when it has arrived")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    b.bar_write64(NVME_REG_ASQ, 0x123456789A000 | 0xFFF);
    b.bar_write64(NVME_REG_ACQ, 0xFEDCBA987000);
    b.bar_write(NVME_REG_AQA, 0xF123F456);
    b.bar_write(NVME_REG_INTMS, 0x3);
    CHECK(b.bar_read64(NVME_REG_ASQ) == 0); // still on the way
    b.run(1_us);
    CHECK(b.bar_read64(NVME_REG_ASQ) == 0x123456789A000); // page-aligned
    CHECK(b.bar_read64(NVME_REG_ACQ) == 0xFEDCBA987000);
    CHECK(b.bar_read(NVME_REG_AQA) == 0x01230456);
    CHECK(b.bar_read(NVME_REG_INTMC) == 3);
    b.bar_write(NVME_REG_INTMC, 1);
    b.bar_write(NVME_REG_CAP, 0);
    b.run(1_us);
    CHECK(b.bar_read(NVME_REG_INTMS) == 2);
    CHECK((b.bar_read(NVME_REG_CAP) & 0xFFFF) == 63);
    CHECK(b.bar_read(NVME_REG_DOORBELL) == 0);
    CHECK(b.bar_read(0x44) == 0);                         // reserved
    CHECK(b.bar_read(NVME_REG_MSIX_TABLE + 12) == 1);     // vectors start masked
    CHECK(b.bar_read(NVME_REG_MSIX_TABLE + 5 * 16) == 0); // the hardware has 5
}

TEST_CASE("accesses of a wrong size or place are refused")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    CHECK(access(b, false, NVME_REG_VS, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(access(b, false, NVME_REG_VS, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(access(b, false, NVME_REG_VS + 2, 4) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(access(b, false, 4, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(access(b, false, NVME_BAR_SIZE, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access(b, false, NVME_BAR_SIZE - 4, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(access(b, true, FE_REG_SLOTS, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(access(b, true, FE_REG_SLOTS, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(access(b, true, FE_REG_LOOKUP_SECTORS + 4, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access(b, true, 0x1000, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("a write of the device side takes effect at the core's local time")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    b.reg_write(FE_REG_MDTS, 4096, 10_ns);
    b.run(10_ns - 1_ps);
    CHECK(b.reg_read(FE_REG_MDTS) == 128 * 1024);
    b.run(1_ps);
    CHECK(b.reg_read(FE_REG_MDTS) == 4096);
}

TEST_CASE("ready arms the admin queues, and only when the host enabled the controller")
{
    nvme_bench b("bench", bench_front_end());
    b.run(1_ns);
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY);
    CHECK(b.reg_read(FE_REG_Q_STATE) == 0);
    b.reg_write(FE_REG_CSTS, 0);
    b.start();
    CHECK(b.reg_read(FE_REG_Q_STATE) == (3u | (1u << 16))); // SQ, CQ, one SQ bound
    nvme_sqe s{};
    s.opcode = NVME_ADMIN_IDENTIFY;
    s.cid = 9;
    s.prp1 = nvme_bench::data;
    b.submit(0, s);
    b.run(2_us);
    fe_command c{};
    REQUIRE(b.take(c));
    CHECK(c.sq_id == 0);
    b.memory[nvme_bench::buffer] = 0x42;
    fe_move m = data_move(FE_MOVE_TO_HOST, c.slot, 4096, FE_MOVE_CQE | FE_MOVE_METADATA);
    m.dw0 = 0xABCD;
    b.order(m);
    b.run(5_us);
    nvme_cqe e{};
    REQUIRE(b.reap(0, e));
    CHECK(e.cid == 9);
    CHECK(e.dw0 == 0xABCD);
    CHECK(b.host[nvme_bench::data] == 0x42);
    CHECK(b.messages.at(0).data == 0);
}

TEST_CASE("admin queues that cannot work are a fatal status")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    b.bar_write(NVME_REG_AQA, 0); // one entry each
    b.bar_write(NVME_REG_CC, NVME_CC_EN);
    b.run(1_us);
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY); // firmware need not know
    CHECK(b.bar_read(NVME_REG_CSTS) == NVME_CSTS_CFS);
}

TEST_CASE("doorbells that cannot be right are counted and do nothing")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    b.bar_write(NVME_REG_DOORBELL, 1); // before the controller is enabled
    b.run(1_us);
    CHECK(b.dut.stats().invalid_doorbells == 1);
    b.start();
    b.create_io(1, 8);
    const auto ring = [&](std::uint32_t offset, std::uint32_t value) {
        b.bar_write(NVME_REG_DOORBELL + offset, value);
        b.run(1_us);
        return b.dut.stats().invalid_doorbells;
    };
    CHECK(ring(8, 8) == 2); // beyond the queue's end
    CHECK(ring(8, 0xFFFFFFFF) == 3);
    CHECK(ring(16, 1) == 4);     // queue 2 was not created
    CHECK(ring(8 * 5, 1) == 5);  // the hardware has no queue 5
    CHECK(ring(0x0FF8, 1) == 6); // last doorbell of the window
    CHECK(ring(12, 8) == 7);     // completion head beyond the end
    CHECK(ring(12, 1) == 8);     // nothing was posted
    CHECK(ring(8, 0) == 9);      // the value it has
    CHECK(b.dut.stats().commands_fetched == 0);
    CHECK(ring(8, 3) == 9);
    CHECK(b.dut.stats().commands_fetched == 3);
    CHECK(b.dut.free_slots() == 13);
}

TEST_CASE("a doorbell that passes entries not fetched is refused")
{
    nvme::front_end_config config = bench_front_end();
    config.slots = 2;
    nvme_bench b("bench", config);
    b.start();
    b.create_io(1, 4);
    b.bar_write(NVME_REG_DOORBELL + 8, 3); // 2 fetched: head 2, tail 3
    b.run(3_us);
    CHECK(b.dut.stats().commands_fetched == 2);
    b.bar_write(NVME_REG_DOORBELL + 8, 2); // 3 more would make 4 in a queue of 4
    b.run(1_us);
    CHECK(b.dut.stats().invalid_doorbells == 1);
    b.bar_write(NVME_REG_DOORBELL + 8, 1); // 2 more fit
    b.run(1_us);
    CHECK(b.dut.stats().invalid_doorbells == 1);
}

} // namespace registers_test
