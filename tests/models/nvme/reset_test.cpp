// SPDX-License-Identifier: Apache-2.0
//
// Controller reset: CC.EN 1 -> 0, at rest and under load.
#include "tests/models/nvme/bench.h"

namespace reset_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

void reset(nvme_bench& b)
{
    b.bar_write(NVME_REG_CC, 0);
    b.run(sim_time(160_ns)); // arrives after 157 ns
    CHECK(b.reg_read(FE_REG_CC) == 0);
}

/// What firmware does about it: forgets its commands, gives up ready, and takes the ring anew.
void restart(nvme_bench& b)
{
    fe_command c{};
    while (b.take(c)) {
    }
    b.reg_write(FE_REG_CSTS, 0);
    b.bar_write(NVME_REG_CC, NVME_CC_EN);
    b.run(1_us);
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY);
    b.create_io(1, 8);
}

/// A command is in a slot.
void start_with_one(nvme_bench& b)
{
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(0, 512, nvme_bench::data));
    b.run(3_us);
    CHECK(b.dut.free_slots() == 15);
}

} // namespace

TEST_CASE("a reset drops all queues and frees all slots")
{
    nvme_bench b("bench", bench_front_end());
    start_with_one(b);
    reset(b);
    CHECK(b.dut.free_slots() == 16);
    b.reg_write(FE_REG_Q_ID, 1);
    CHECK(b.reg_read(FE_REG_Q_STATE) == 0);
    b.reg_write(FE_REG_Q_ID, 0);
    CHECK(b.reg_read(FE_REG_Q_STATE) == 0);
    CHECK((b.bar_read(NVME_REG_CSTS) & NVME_CSTS_RDY) != 0); // until firmware clears it
    b.ring_sq(1);
    b.run(1_us);
    CHECK(b.dut.stats().invalid_doorbells == 1);
    restart(b);
    b.submit(1, read_sqe(7, 512, nvme_bench::data));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(completion_move(c.slot));
    b.run(3_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.cid == 7);
    CHECK(e.sq_head == 1);
}

TEST_CASE("an entry on its way when the reset comes never reaches firmware")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(0, 512, nvme_bench::data));
    b.bar_write(NVME_REG_CC, 0);
    b.run(5_us);
    CHECK(b.dut.stats().commands_fetched == 1);
    fe_command c{};
    CHECK_FALSE(b.take(c));
    CHECK(b.dut.free_slots() == 16);
}

TEST_CASE("a completion on its way when the reset comes never reaches the host")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(0, 4096, nvme_bench::data));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    fe_move m = data_move(FE_MOVE_TO_HOST, c.slot, 4096, FE_MOVE_CQE | FE_MOVE_NOTIFY);
    m.tag = 1;
    b.order(m);
    reset(b);
    b.run(10_us);
    CHECK(b.messages.empty());
    CHECK(b.at<nvme_cqe>(nvme_bench::cq_base(1)).status == 0);
    CHECK(b.dut.free_slots() == 16);
    fe_move_done d{};
    REQUIRE(b.done(d)); // firmware has its buffer back
    CHECK(d.tag == 1);
}

TEST_CASE("a move ordered after the reset touches nothing and gives the buffer back")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(0, 4096, nvme_bench::data));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    reset(b);
    b.memory[nvme_bench::buffer] = 0x99;
    fe_move m = data_move(FE_MOVE_TO_HOST, c.slot, 4096, FE_MOVE_CQE | FE_MOVE_NOTIFY);
    m.tag = 8;
    b.order(m);
    b.run(10_us);
    CHECK(b.host[nvme_bench::data] == 0);
    CHECK(b.messages.empty());
    fe_move_done d{};
    REQUIRE(b.done(d));
    CHECK(d.tag == 8);
    CHECK(d.status == FE_DONE_TRANSFER_ERROR);
    CHECK(b.dut.stats().stale_moves == 1);
}

TEST_CASE("a reset at any moment of a loaded drive leaves it whole")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    std::uint64_t completed = 0;
    for (std::uint32_t round = 0; round < 60; ++round) {
        b.create_io(2, 16);
        b.create_io(1, 8);
        for (std::uint16_t i = 0; i < 15; ++i) {
            b.put(2, read_sqe(i, 8192, nvme_bench::data, nvme_bench::data + 0x1000));
        }
        b.put(1, read_sqe(60, 512, nvme_bench::data));
        b.ring_sq(2);
        b.ring_sq(1);
        const sim_time moment = now() + sim_time(137'911) * round;
        fe_command c{};
        while (now() < moment) {
            b.run(50_ns);
            while (b.take(c)) {
                b.order(data_move(FE_MOVE_TO_HOST, c.slot, 512, FE_MOVE_CQE));
            }
        }
        b.bar_write(NVME_REG_CC, 0);
        b.run(20_us);
        CHECK(b.dut.free_slots() == 16);
        completed = b.dut.stats().completions;
        b.run(50_us);
        CHECK(b.dut.stats().completions == completed); // silence after the reset
        restart(b);
        b.reg_write(FE_REG_Q_ID, 1);
        b.reg_write(FE_REG_Q_COMMAND, FE_Q_DELETE_SQ);
        b.reg_write(FE_REG_Q_COMMAND, FE_Q_DELETE_CQ);
    }
    CHECK(completed > 60);
    CHECK(b.dut.stats().stale_moves == 0);
}

/// NVM Express 3.1.5: the host has to wait for CSTS.RDY 0; one that does not finds the drive all
/// the same.
TEST_CASE("CC.EN 1, 0, 1 at once: firmware sees the reset, and the host no RDY of before it")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.reg_write(FE_REG_INT_ENABLE, FE_INT_CC);
    for (const bool late : {false, true}) { // firmware's RDY arrives behind CC.EN 0
        CAPTURE(late);
        if (late) {
            b.reg_write(FE_REG_CSTS, 0);
        }
        b.bar_write(NVME_REG_CC, 0);
        b.run(1_us);
        if (late) {
            b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY);
        }
        b.bar_write(NVME_REG_CC, NVME_CC_EN);
        b.run(1_us);
        CHECK((b.bar_read(NVME_REG_CSTS) & NVME_CSTS_RDY) == 0);
        CHECK(b.reg_read(FE_REG_CC) == 0);
        b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY | NVME_CSTS_SHST_OCCURRING); // it does not know yet
        CHECK(b.reg_read(FE_REG_CC) == 0);
        CHECK((b.bar_read(NVME_REG_CSTS) & NVME_CSTS_RDY) == 0);
        CHECK(b.reg_read(FE_REG_Q_STATE) == 0);
        b.irqs.clear();
        b.reg_write(FE_REG_CSTS, 0);
        CHECK(b.irqs.size() == 1);
        CHECK((b.reg_read(FE_REG_INT_STATUS) & FE_INT_CC) != 0);
        CHECK(b.reg_read(FE_REG_CC) == NVME_CC_EN);
        b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY);
        CHECK(b.bar_read(NVME_REG_CSTS) == NVME_CSTS_RDY);
        b.create_io(1, 8);
        b.delete_io(1);
    }
}

TEST_CASE("queue commands of firmware that does not know yet of a reset do nothing")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    reset(b);
    b.create_io(1, 8); // as if the commands had come before
    b.delete_io(1);
    b.delete_io(2);
    b.reg_write(FE_REG_Q_ID, 1);
    CHECK(b.reg_read(FE_REG_Q_STATE) == 0);
    restart(b); // and creates queue 1
    b.reg_write(FE_REG_Q_ID, 1);
    CHECK(b.reg_read(FE_REG_Q_STATE) == (3u | (1u << 16)));
}

TEST_CASE("power goes: registers, queues and commands are as at power-up")
{
    nvme_bench b("bench", bench_front_end());
    start_with_one(b);
    const std::uint64_t commands = b.dut.stats().commands_fetched;
    b.dut.power_off();
    b.run(10_us);
    CHECK(b.dut.free_slots() == 16);
    CHECK(b.reg_read(FE_REG_CC) == 0);
    CHECK(b.reg_read(FE_REG_CSTS) == 0);
    CHECK(b.reg_read(FE_REG_CMD_SIZE) == 0);
    CHECK(b.reg_read(FE_REG_INT_ENABLE) == 0);
    CHECK(b.dut.stats().commands_fetched == commands); // counters stay
}

} // namespace reset_test
