// SPDX-License-Identifier: Apache-2.0
//
// Queues: create, delete, wrap, full.
#include "tests/models/nvme/bench.h"

namespace queues_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

void window(nvme_bench& b, std::uint32_t id, fe_queue_command command)
{
    b.reg_write(FE_REG_Q_ID, id);
    b.reg_write(FE_REG_Q_COMMAND, command);
}

std::uint32_t state(nvme_bench& b, std::uint32_t id)
{
    b.reg_write(FE_REG_Q_ID, id);
    return b.reg_read(FE_REG_Q_STATE);
}

} // namespace

TEST_CASE("queues are created and deleted through the window")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    CHECK(state(b, 1) == 0);
    b.create_io(1, 8);
    CHECK(state(b, 1) == (3u | (1u << 16)));
    b.reg_write(FE_REG_Q_ID, 2); // a second submission queue on the same completion queue
    b.reg_write(FE_REG_Q_SIZE, 8);
    b.reg_write(FE_REG_Q_CQID, 1);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_SQ);
    CHECK(b.reg_read(FE_REG_Q_COMMAND) == 0);
    CHECK(state(b, 2) == 1);
    CHECK(state(b, 1) == (3u | (2u << 16)));
    window(b, 1, FE_Q_DELETE_SQ);
    CHECK(state(b, 1) == (2u | (1u << 16)));
    window(b, 2, FE_Q_DELETE_SQ);
    window(b, 1, FE_Q_DELETE_CQ);
    CHECK(state(b, 1) == 0);
    CHECK(state(b, 2) == 0);
    CHECK(state(b, 5) == 0); // beyond the hardware
}

TEST_CASE("the window refuses what the hardware cannot do, and says so")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const auto refused = [&](std::uint32_t id, std::uint32_t size, std::uint32_t cq,
                             std::uint32_t vector, fe_queue_command command) {
        b.reg_write(FE_REG_Q_SIZE, size);
        b.reg_write(FE_REG_Q_CQID, cq);
        b.reg_write(FE_REG_Q_VECTOR, vector);
        window(b, id, command);
        const bool fault = b.faults.count() == b.expected_faults + 1;
        b.expected_faults = b.faults.count();
        return fault;
    };
    CHECK(refused(5, 8, 1, 0, FE_Q_CREATE_CQ));  // no such hardware
    CHECK(refused(0, 8, 1, 0, FE_Q_DELETE_SQ));  // the admin queue
    CHECK(refused(1, 8, 1, 0, FE_Q_CREATE_CQ));  // exists
    CHECK(refused(1, 8, 1, 0, FE_Q_DELETE_CQ));  // in use
    CHECK(refused(2, 1, 1, 0, FE_Q_CREATE_CQ));  // one entry
    CHECK(refused(2, 65, 1, 0, FE_Q_CREATE_CQ)); // beyond CAP.MQES
    CHECK(refused(2, 8, 1, 5, FE_Q_CREATE_CQ));  // no such vector
    CHECK(refused(2, 8, 2, 0, FE_Q_CREATE_SQ));  // completion queue does not exist
    CHECK(refused(2, 8, 2, 0, FE_Q_DELETE_SQ));  // does not exist
    CHECK_FALSE(refused(2, 64, 1, 4, FE_Q_CREATE_CQ));
}

TEST_CASE("entries and completions wrap, phases flip")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 4);
    for (std::uint16_t i = 0; i < 50; ++i) {
        b.submit(1, read_sqe(i, 512, nvme_bench::data));
        b.run(3_us);
        fe_command c{};
        REQUIRE(b.take(c));
        CHECK(c.sqe.cid == i);
        b.order(completion_move(c.slot));
        b.run(3_us);
        nvme_cqe e{};
        REQUIRE(b.reap(1, e));
        CHECK(e.cid == i);
        CHECK(e.sq_head == (i + 1) % 4);
        CHECK((e.status & 1) == 1 - (i / 4) % 2);
        CHECK_FALSE(b.reap(1, e));
        b.ring_cq(1);
    }
    CHECK(b.dut.stats().completions == 50);
    CHECK(b.dut.stats().invalid_doorbells == 0);
    CHECK(b.dut.free_slots() == 16);
}

TEST_CASE("a full completion queue holds completions until the host reads")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.reg_write(FE_REG_Q_ID, 2); // a small completion queue for a larger submission queue
    b.reg_write(FE_REG_Q_SIZE, 4);
    b.reg_write(FE_REG_Q_BASE_LO, static_cast<std::uint32_t>(nvme_bench::cq_base(2)));
    b.reg_write(FE_REG_Q_VECTOR, 2 | (1u << 16));
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_CQ);
    window(b, 1, FE_Q_DELETE_SQ);
    b.reg_write(FE_REG_Q_CQID, 2);
    b.reg_write(FE_REG_Q_SIZE, 8);
    b.reg_write(FE_REG_Q_BASE_LO, static_cast<std::uint32_t>(nvme_bench::sq_base(1)));
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_SQ);
    for (std::uint16_t i = 0; i < 6; ++i) {
        b.put(1, read_sqe(i, 512, nvme_bench::data));
    }
    b.ring_sq(1);
    b.run(3_us);
    fe_command c{};
    fe_move_done d{};
    std::uint32_t tag = 100;
    while (b.take(c)) {
        fe_move m = completion_move(c.slot);
        m.flags |= FE_MOVE_NOTIFY;
        m.tag = tag++;
        b.order(m);
    }
    b.run(5_us);
    const auto* cq = &b.at<nvme_cqe>(nvme_bench::cq_base(2));
    CHECK(b.messages.size() == 3); // one entry stays free
    CHECK(cq[2].cid == 2);
    CHECK(cq[3].status == 0);
    CHECK(b.dut.free_slots() == 13);
    for (std::uint32_t i = 0; i < 6; ++i) { // firmware's buffers do not wait
        REQUIRE(b.done(d));
        CHECK(d.tag >= 100);
    }
    b.bar_write(NVME_REG_DOORBELL + 8 * 2 + 4, 2); // two read
    b.run(5_us);
    CHECK(b.messages.size() == 5);
    CHECK(cq[3].cid == 3);
    CHECK(cq[0].cid == 4);
    CHECK(cq[0].status == 0); // second round: phase 0
    CHECK(b.dut.free_slots() == 15);
    b.bar_write(NVME_REG_DOORBELL + 8 * 2 + 4, 1);
    b.run(5_us);
    CHECK(b.messages.size() == 6);
    CHECK(cq[1].cid == 5);
    CHECK(b.dut.free_slots() == 16);
}

TEST_CASE("a longer burst asks once, and its entries come with fewer bytes")
{
    nvme::front_end_config one = bench_front_end();
    nvme::front_end_config eight = bench_front_end();
    one.fetch_burst = 1;
    eight.fetch_burst = 8;
    nvme_bench a("one", one);
    nvme_bench b("eight", eight);
    const auto fetch = [](nvme_bench& bench) {
        bench.start();
        bench.create_io(1, 16);
        bench.irqs.clear();
        for (std::uint16_t i = 0; i < 8; ++i) {
            bench.put(1, read_sqe(i, 512, nvme_bench::data));
        }
        const auto before = bench.wire.stats();
        const sim_time t = now();
        bench.ring_sq(1);
        bench.run(5_us);
        CHECK(bench.dut.stats().commands_fetched >= 8);
        pcie::link_stats s = bench.wire.stats();
        s.tlps_up -= before.tlps_up;
        s.tlps_down -= before.tlps_down;
        s.bytes_up -= before.bytes_up;
        s.bytes_down -= before.bytes_down;
        REQUIRE_FALSE(bench.irqs.empty());
        return std::make_pair(s, (bench.irqs.back() - t).ps());
    };
    const auto [singly, singly_last] = fetch(a);
    const auto [burst, burst_last] = fetch(b);
    // 8 MRd of 24 B and 8 CplD of 84 B; or one MRd and 512 B in two CplD. A doorbell of 24 B.
    CHECK(singly.tlps_up == 8);
    CHECK(singly.bytes_up == 8 * 24);
    CHECK(singly.tlps_down == 1 + 8);
    CHECK(singly.bytes_down == 24 + 8 * 84);
    CHECK(burst.tlps_up == 1);
    CHECK(burst.bytes_up == 24);
    CHECK(burst.tlps_down == 1 + 2);
    CHECK(burst.bytes_down == 24 + 512 + 2 * 20);
    // The last entry is there earlier by the wire time of the bytes saved: 8 x 84 B, each rounded
    // up to 21,329 ps, against 552 B.
    CHECK(singly_last - burst_last == 8 * 21329 - 140157);
}

TEST_CASE("fetching stops when slots run out and goes on when one is free")
{
    nvme::front_end_config config = bench_front_end();
    config.slots = 2;
    nvme_bench b("bench", config);
    b.start();
    b.create_io(1, 8);
    for (std::uint16_t i = 0; i < 5; ++i) {
        b.put(1, read_sqe(i, 512, nvme_bench::data));
    }
    b.ring_sq(1);
    for (std::uint16_t i = 0; i < 5; ++i) {
        b.run(5_us);
        CHECK(b.dut.stats().commands_fetched == std::min(5u, i + 2u));
        fe_command c{};
        REQUIRE(b.take(c));
        CHECK(c.sqe.cid == i);
        b.order(completion_move(c.slot));
    }
    b.run(5_us);
    CHECK(b.dut.free_slots() == 2);
    CHECK(b.dut.stats().completions == 5);
}

TEST_CASE("fetching stops when the command ring is full and goes on when firmware reads")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.reg_write(FE_REG_CMD_SIZE, 4); // holds 3
    for (std::uint16_t i = 0; i < 5; ++i) {
        b.put(1, read_sqe(i, 512, nvme_bench::data));
    }
    b.ring_sq(1);
    b.run(5_us);
    CHECK(b.dut.stats().commands_fetched == 3);
    b.reg_write(FE_REG_CMD_HEAD, 1, 1_us);
    b.run(1_us);
    CHECK(b.dut.stats().commands_fetched == 3); // not before firmware's local time
    b.run(1_us);
    CHECK(b.dut.stats().commands_fetched == 4);
    b.reg_write(FE_REG_CMD_HEAD, 3);
    b.run(5_us);
    CHECK(b.dut.stats().commands_fetched == 5);
}

TEST_CASE("completions for a deleted queue are dropped, the slot goes free")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(1, 512, nvme_bench::data));
    b.put(1, read_sqe(2, 512, nvme_bench::data));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    window(b, 1, FE_Q_DELETE_SQ);
    window(b, 1, FE_Q_DELETE_CQ);
    b.create_io(1, 8); // a new queue of the same number
    b.order(completion_move(c.slot));
    b.run(3_us);
    CHECK(b.messages.empty());
    CHECK(b.at<nvme_cqe>(nvme_bench::cq_base(1)).status == 0);
    CHECK(b.dut.free_slots() == 16);
}

TEST_CASE("queues where the host has no memory stop the controller")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    window(b, 1, FE_Q_DELETE_SQ);
    b.reg_write(FE_REG_Q_BASE_HI, 0x1000);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_SQ);
    b.ring_sq(1);
    b.bar_write(NVME_REG_DOORBELL + 8, 1);
    b.run(3_us);
    CHECK((b.bar_read(NVME_REG_CSTS) & NVME_CSTS_CFS) != 0);
    CHECK(b.dut.stats().commands_fetched == 0);
    CHECK(b.dut.stats().fatal_states == 1);
}

TEST_CASE("a queue of 65,536 entries takes 65,535, and its doorbells wrap")
{
    nvme::front_end_config config = bench_front_end();
    config.queue_entries = 65536;
    nvme_bench b("bench", config);
    b.start();
    CHECK((b.bar_read(NVME_REG_CAP) & NVME_CAP_MQES_MASK) == 65535);
    b.create_io_at(1, 65536, nvme_bench::data, nvme_bench::ram + 0x200000, FE_PRIORITY_URGENT);
    std::uint32_t tail = 0;
    std::uint32_t head = 0;
    std::uint16_t phase = 1;
    const auto fill = [&](std::uint32_t entries) {
        for (std::uint32_t i = 0; i < entries; ++i, tail = (tail + 1) % 65536) {
            b.at<nvme_sqe>(nvme_bench::data + tail * 64) =
                read_sqe(static_cast<std::uint16_t>(tail), 512, nvme_bench::data);
        }
        b.bar_write(NVME_REG_DOORBELL + 8, tail);
        b.run(1_us);
    };
    std::uint32_t ended = 0;
    const auto serve = [&](std::uint32_t commands) {
        fe_command c{};
        for (const std::uint32_t until = ended + commands; ended < until;) {
            while (ended < until && b.take(c)) {
                CHECK(c.sqe.cid == ended % 65536);
                ++ended;
                b.order(completion_move(c.slot));
                b.run(100_ns);
            }
            b.run(1_us);
            const auto* cq = &b.at<nvme_cqe>(nvme_bench::ram + 0x200000);
            const std::uint32_t before = head;
            while ((cq[head].status & 1) == phase) {
                head = (head + 1) % 65536;
                phase ^= head == 0 ? 1 : 0;
            }
            if (head != before) {
                b.bar_write(NVME_REG_DOORBELL + 12, head);
            }
        }
        b.run(5_us);
    };
    fill(3);
    serve(3);
    fill(65532);
    fill(3); // 65,535 in all: tail at 2
    CHECK(tail == 2);
    CHECK(b.dut.stats().invalid_doorbells == 0);
    serve(200);
    b.bar_write(NVME_REG_DOORBELL + 8, 65535); // would pass what is not fetched
    b.run(1_us);
    CHECK(b.dut.stats().invalid_doorbells == 1);
    serve(1000);
    CHECK(b.dut.stats().completions >= 1203);
    CHECK(b.dut.stats().invalid_doorbells == 1);
}

TEST_CASE("a queue deleted under load: what is in the drive ends, the rest is never fetched")
{
    nvme::front_end_config config = bench_front_end();
    config.slots = 4;
    nvme_bench b("bench", config);
    b.start();
    b.create_io(1, 16);
    b.create_io(2, 16);
    for (std::uint16_t i = 0; i < 10; ++i) {
        b.put(1, read_sqe(i, 512, nvme_bench::data));
    }
    b.ring_sq(1);
    b.run(3_us);
    CHECK(b.dut.stats().commands_fetched == 4);
    b.submit(2, read_sqe(99, 512, nvme_bench::data));
    b.run(1_us);
    window(b, 1, FE_Q_DELETE_SQ);
    fe_command c{};
    for (int i = 0; i < 4; ++i) {
        REQUIRE(b.take(c));
        CHECK(c.sq_id == 1);
        b.order(completion_move(c.slot));
    }
    b.run(5_us);
    nvme_cqe e{};
    for (std::uint16_t i = 0; i < 4; ++i) {
        REQUIRE(b.reap(1, e)); // its completion queue is there still
        CHECK(e.cid == i);
    }
    REQUIRE(b.take(c));
    CHECK(c.sq_id == 2);
    CHECK(c.sqe.cid == 99);
    CHECK_FALSE(b.take(c));
    CHECK(b.dut.stats().commands_fetched == 5);
    b.bar_write(NVME_REG_DOORBELL + 8, 12);
    b.run(1_us);
    CHECK(b.dut.stats().invalid_doorbells == 1);
    b.reg_write(FE_REG_Q_ID, 1);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_DELETE_CQ);
    CHECK(state(b, 1) == 0);
}

} // namespace queues_test
