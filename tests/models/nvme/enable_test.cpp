// SPDX-License-Identifier: Apache-2.0
//
// CC.EN with values that CAP does not offer, the fatal state, and the way out. NVM Express base
// 1.4 sections 3.1.5, 3.1.6, 7.6.
#include "tests/models/nvme/bench.h"

namespace enable_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

/// CSTS when firmware says ready to what the host has asked for.
std::uint32_t enabled_with(nvme_bench& b, std::uint32_t cc, std::uint32_t aqa = 7u | 7u << 16)
{
    b.bar_write(NVME_REG_AQA, aqa);
    b.bar_write64(NVME_REG_ASQ, nvme_bench::sq_base(0));
    b.bar_write64(NVME_REG_ACQ, nvme_bench::cq_base(0));
    b.bar_write(NVME_REG_CC, cc | NVME_CC_EN);
    b.run(1_us);
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY);
    const std::uint32_t first = b.bar_read(NVME_REG_CSTS);
    b.bar_write(NVME_REG_CC, 0);
    b.run(1_us);
    CHECK((b.bar_read(NVME_REG_CSTS) & NVME_CSTS_CFS) == 0); // a reset is the way out
    b.reg_write(FE_REG_CSTS, 0);
    return first;
}

constexpr std::uint32_t sizes(std::uint32_t sqes, std::uint32_t cqes)
{
    return sqes << NVME_CC_IOSQES_SHIFT | cqes << NVME_CC_IOCQES_SHIFT;
}

} // namespace

TEST_CASE("the controller gets ready with what CAP offers, and else is in a fatal state")
{
    nvme_bench b("bench", bench_front_end());
    b.prepare();
    CHECK(enabled_with(b, sizes(6, 4)) == NVME_CSTS_RDY);
    CHECK(enabled_with(b, sizes(0, 0)) == NVME_CSTS_RDY); // set before there are I/O queues
    CHECK(enabled_with(b, sizes(5, 4)) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, sizes(7, 4)) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, sizes(6, 3)) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, sizes(6, 5)) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, 1u << NVME_CC_MPS_SHIFT) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, 1u << NVME_CC_AMS_SHIFT) == NVME_CSTS_RDY); // weighted round robin
    CHECK(enabled_with(b, 2u << NVME_CC_AMS_SHIFT) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, 7u << NVME_CC_AMS_SHIFT) == NVME_CSTS_CFS); // vendor specific
    CHECK(enabled_with(b, 1u << NVME_CC_CSS_SHIFT) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, 6u << NVME_CC_CSS_SHIFT) == NVME_CSTS_RDY); // all command sets
    CHECK(enabled_with(b, 7u << NVME_CC_CSS_SHIFT) == NVME_CSTS_CFS); // admin alone: not offered
    CHECK(enabled_with(b, 0, 0u | 7u << 16) == NVME_CSTS_CFS);        // one entry
    CHECK(enabled_with(b, 0, 7u) == NVME_CSTS_CFS);
    CHECK(enabled_with(b, 0, 1u | 1u << 16) == NVME_CSTS_RDY);
    CHECK(enabled_with(b, 0, 4095u | 4095u << 16) == NVME_CSTS_RDY);
    b.enable(); // after all that
}

TEST_CASE("in a fatal state nothing more is fetched, and what firmware says does not end it")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.create_io_at(2, 8, nvme_bench::ram + 0x7FFFC0, nvme_bench::cq_base(2),
                   FE_PRIORITY_LOW); // one entry of memory
    b.submit(1, read_sqe(0, 512, nvme_bench::data));
    b.run(3_us);
    b.bar_write(NVME_REG_DOORBELL + 16, 2);
    b.run(3_us);
    CHECK(b.bar_read(NVME_REG_CSTS) == (NVME_CSTS_RDY | NVME_CSTS_CFS));
    b.submit(1, read_sqe(1, 512, nvme_bench::data));
    b.run(3_us);
    CHECK(b.dut.stats().commands_fetched == 1);
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY);
    CHECK(b.bar_read(NVME_REG_CSTS) == (NVME_CSTS_RDY | NVME_CSTS_CFS));
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(completion_move(c.slot)); // what was under way may end
    b.run(3_us);
    nvme_cqe e{};
    CHECK(b.reap(1, e));
    b.bar_write(NVME_REG_CC, 0);
    b.run(1_us);
    b.reg_write(FE_REG_CSTS, 0);
    b.enable();
    b.create_io(1, 8);
    b.submit(1, read_sqe(2, 512, nvme_bench::data));
    b.run(3_us);
    CHECK(b.dut.stats().commands_fetched == 2);
    CHECK(b.dut.stats().fatal_states == 1);
}

TEST_CASE("a completion queue without memory behind it is a fatal state")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.delete_io(1);
    b.reg_write(FE_REG_Q_BASE_LO, 0);
    b.reg_write(FE_REG_Q_BASE_HI, 0x1000);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_CQ);
    b.reg_write(FE_REG_Q_BASE_LO, static_cast<std::uint32_t>(nvme_bench::sq_base(1)));
    b.reg_write(FE_REG_Q_BASE_HI, nvme_bench::ram >> 32);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_SQ);
    b.submit(1, read_sqe(0, 512, nvme_bench::data));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(completion_move(c.slot));
    b.run(3_us);
    CHECK(b.bar_read(NVME_REG_CSTS) == (NVME_CSTS_RDY | NVME_CSTS_CFS));
    CHECK(b.dut.free_slots() == bench_front_end().slots);
}

TEST_CASE("shutdown under load: commands and completions go on until firmware says complete")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 16);
    for (std::uint16_t i = 0; i < 10; ++i) {
        b.put(1, read_sqe(i, 4096, nvme_bench::data));
    }
    b.ring_sq(1);
    b.run(2_us);
    for (const std::uint32_t how : {NVME_CC_SHN_NORMAL, NVME_CC_SHN_ABRUPT}) {
        b.bar_write(NVME_REG_CC, NVME_CC_EN | how);
        b.run(1_us);
        CHECK((b.reg_read(FE_REG_INT_STATUS) & FE_INT_CC) != 0);
        CHECK((b.reg_read(FE_REG_CC) & NVME_CC_SHN_MASK) == how);
        CHECK((b.bar_read(NVME_REG_CSTS) & NVME_CSTS_SHST_MASK) == 0); // firmware's to say
    }
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY | NVME_CSTS_SHST_OCCURRING);
    fe_command c{};
    while (b.take(c)) {
        b.order(data_move(FE_MOVE_TO_HOST, c.slot, 4096, FE_MOVE_CQE));
    }
    b.run(50_us);
    nvme_cqe e{};
    for (std::uint16_t i = 0; i < 10; ++i) {
        CHECK(b.reap(1, e));
    }
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY | NVME_CSTS_SHST_COMPLETE);
    CHECK(b.bar_read(NVME_REG_CSTS) == (NVME_CSTS_RDY | NVME_CSTS_SHST_COMPLETE));
    b.bar_write(NVME_REG_CC, 0);
    b.run(1_us);
    b.reg_write(FE_REG_CSTS, 0);
    b.enable();
}

} // namespace enable_test
