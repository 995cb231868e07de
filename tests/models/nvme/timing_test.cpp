// SPDX-License-Identifier: Apache-2.0
//
// The front end's timing against sums by hand, to the picosecond.
#include "tests/models/nvme/bench.h"

namespace timing_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint64_t prop = 150000; // ps
/// Doorbell on the link; SQE requested, answered, decoded.
constexpr std::uint64_t doorbell = 6094 + prop;
constexpr std::uint64_t sqe = 6094 + prop + 400000 + 21329 + prop;
constexpr std::uint64_t decode = 100000;
constexpr std::uint64_t mover = 50000;
constexpr std::uint64_t dram = 300000;
constexpr std::uint64_t list = nvme_bench::ram + 0x300000;
constexpr std::uint64_t cqe_msi = 10157 + 6094 + prop;

std::uint64_t part(const nvme_bench& b, std::size_t command, latency_part p)
{
    return b.ledger.parts(command)[static_cast<std::size_t>(p)].ps();
}

} // namespace

TEST_CASE("a 4 KiB read at depth 1 is the sum of its steps, in bytes and in time")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.memory[nvme_bench::buffer + 4095] = 0xA5;
    const sim_time t0 = now();
    const auto before = b.wire.stats();
    const auto activations = b.dut.activations();
    b.irqs.clear();
    b.ledger.open(64 + 5, t0);
    b.submit(1, read_sqe(5, 4096, nvme_bench::data));
    b.run(2_us);
    REQUIRE(b.irqs.size() == 1);
    CHECK((b.irqs[0] - t0).ps() == doorbell + sqe + decode);
    fe_command c{};
    REQUIRE(b.take(c));
    CHECK(c.sq_id == 1);
    CHECK(c.sqe.cid == 5);
    const sim_time t1 = now() + 3_us;
    b.order(data_move(FE_MOVE_TO_HOST, c.slot, 4096, FE_MOVE_CQE), 3_us);
    b.run(10_us);
    REQUIRE(b.messages.size() == 1);
    CHECK(b.messages[0].data == 1);
    CHECK((b.messages[0].when - t1).ps() == mover + dram + 1137500 + cqe_msi);
    CHECK(b.host[nvme_bench::data + 4095] == 0xA5);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.cid == 5);
    CHECK(e.sq_id == 1);
    CHECK(e.sq_head == 1);
    CHECK(e.status == 1);
    b.ring_cq(1);
    b.run(1_us);
    // Section 9.2: 19 TLPs and 4,568 bytes up, 3 and 132 down.
    const auto after = b.wire.stats();
    CHECK(after.tlps_up - before.tlps_up == 19);
    CHECK(after.bytes_up - before.bytes_up == 4568);
    CHECK(after.tlps_down - before.tlps_down == 3);
    CHECK(after.bytes_down - before.bytes_down == 132);
    // Submission doorbell, command, mover doorbell, completion.
    CHECK(b.dut.activations() - activations == 4);
    CHECK(part(b, 69, latency_part::link) == doorbell + sqe + 1137500);
    CHECK(part(b, 69, latency_part::front_end) == decode + mover);
    CHECK(part(b, 69, latency_part::firmware) == (t1 - t0).ps() - doorbell - sqe - decode);
    CHECK(part(b, 69, latency_part::dram) == dram);
    CHECK(part(b, 69, latency_part::completion) == cqe_msi);
}

TEST_CASE("a 4 KiB write at depth 1")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.host[nvme_bench::data + 7] = 0x3C;
    const auto before = b.wire.stats();
    nvme_sqe s = read_sqe(0, 4096, nvme_bench::data);
    s.opcode = NVME_IO_WRITE;
    const sim_time t0 = now();
    b.ledger.open(64, t0);
    b.submit(1, s);
    b.run(2_us);
    fe_command c{};
    REQUIRE(b.take(c));
    const sim_time t1 = now();
    fe_move m = data_move(FE_MOVE_FROM_HOST, c.slot, 4096, FE_MOVE_NOTIFY | FE_MOVE_IRQ);
    m.tag = 77;
    b.irqs.clear();
    b.order(m);
    b.run(5_us);
    // First request there, first byte back, 16 completions, into DRAM.
    const std::uint64_t data = 6094 + prop + 400000 + 1121250 + prop;
    REQUIRE(b.irqs.size() == 1);
    CHECK((b.irqs[0] - t1).ps() == mover + data + dram);
    fe_move_done d{};
    REQUIRE(b.done(d));
    CHECK(d.tag == 77);
    CHECK(d.slot == c.slot);
    CHECK(d.status == FE_DONE_OK);
    CHECK(b.memory[nvme_bench::buffer + 7] == 0x3C);
    const sim_time t2 = now();
    fe_move end = completion_move(c.slot);
    end.wait = FE_WAIT_GC;
    b.order(end);
    b.run(5_us);
    REQUIRE(b.messages.size() == 1);
    CHECK((b.messages[0].when - t2).ps() == mover + cqe_msi);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    b.ring_cq(1);
    b.run(1_us);
    // 11 TLPs and 280 bytes up, 19 and 4,548 down.
    const auto after = b.wire.stats();
    CHECK(after.tlps_up - before.tlps_up == 11);
    CHECK(after.bytes_up - before.bytes_up == 280);
    CHECK(after.tlps_down - before.tlps_down == 19);
    CHECK(after.bytes_down - before.bytes_down == 4548);
    CHECK(part(b, 64, latency_part::link) == doorbell + sqe + data);
    CHECK(part(b, 64, latency_part::dram) == dram);
    CHECK(part(b, 64, latency_part::wait_gc) == (t2 - t1).ps() - mover - data - dram);
    CHECK(part(b, 64, latency_part::front_end) == decode + 2 * mover);
    CHECK(part(b, 64, latency_part::completion) == cqe_msi);
}

TEST_CASE("a completion waits for the data of earlier moves, its interrupt for it")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(0, 8192, nvme_bench::data, nvme_bench::data + 4096));
    b.run(2_us);
    fe_command c{};
    REQUIRE(b.take(c));
    const sim_time t = now();
    b.order(data_move(FE_MOVE_TO_HOST, c.slot, 4096, 0));
    b.order(data_move(FE_MOVE_TO_HOST, c.slot, 4096, 0, 4096));
    b.order(completion_move(c.slot));
    b.run(10_us);
    // The second piece is read while the first is sent.
    REQUIRE(b.messages.size() == 1);
    CHECK((b.messages[0].when - t).ps() == mover + dram + 2 * 1137500 + cqe_msi);
}

TEST_CASE("completions enter the queue in the order in which they arrive")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.put(1, read_sqe(1, 8192, nvme_bench::data, nvme_bench::data + 4096));
    b.put(1, read_sqe(2, 512, nvme_bench::data));
    b.ring_sq(1);
    b.run(2_us);
    fe_command slow{}, fast{};
    REQUIRE(b.take(slow));
    REQUIRE(b.take(fast));
    b.order(data_move(FE_MOVE_TO_HOST, slow.slot, 8192, FE_MOVE_CQE));
    b.order(completion_move(fast.slot));
    b.run(1_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.cid == 2);
    CHECK_FALSE(b.reap(1, e)); // the host sees no entry before its time
    const sim_time last = b.messages.at(0).when + sim_time(300000 + 2 * 1137500);
    b.run(last - now()); // up to that moment, without it
    CHECK_FALSE(b.reap(1, e));
    b.run(1_ps);
    CHECK(b.messages.at(1).when == last);
    REQUIRE(b.reap(1, e));
    CHECK(e.cid == 1);
}

TEST_CASE("a burst of entries comes with one request and does not cross the queue's end")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    for (std::uint16_t cid = 0; cid < 6; ++cid) {
        b.put(1, read_sqe(cid, 512, nvme_bench::data));
    }
    b.read.clear();
    const auto before = b.wire.stats();
    b.ring_sq(1);
    b.run(3_us);
    const std::uint64_t sq = nvme_bench::sq_base(1);
    CHECK(b.read == std::vector<std::uint64_t>{sq, sq + 4 * 64}); // bursts of 4 and 2
    CHECK(b.wire.stats().tlps_up - before.tlps_up == 2);
    b.read.clear();
    for (std::uint16_t cid = 6; cid < 8; ++cid) { // entries 6, 7
        b.put(1, read_sqe(cid, 512, nvme_bench::data));
    }
    fe_command c{};
    while (b.take(c)) {
        b.order(completion_move(c.slot));
    }
    b.run(3_us);
    b.put(1, read_sqe(8, 512, nvme_bench::data)); // entry 0
    b.ring_sq(1);
    b.run(3_us);
    CHECK(b.read == std::vector<std::uint64_t>{sq + 6 * 64, sq});
    CHECK(b.dut.stats().commands_fetched == 9);
}

TEST_CASE("streaming reads reach the link's payload rate and not more")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 64);
    for (std::uint16_t cid = 0; cid < 16; ++cid) {
        b.put(1, read_sqe(cid, 131072, nvme_bench::data));
        for (std::uint64_t i = 0; i < 31; ++i) { // all commands share list and pages
            b.at<std::uint64_t>(list + 8 * i) = nvme_bench::data + 4096 * (i + 1);
        }
        b.at<nvme_sqe>(nvme_bench::sq_base(1) + 64u * cid).prp2 = list;
    }
    b.ring_sq(1);
    b.run(10_us);
    const sim_time t = now();
    fe_command c{};
    while (b.take(c)) {
        b.order(data_move(FE_MOVE_TO_HOST, c.slot, 131072, FE_MOVE_CQE));
    }
    b.run(1_ms);
    REQUIRE(b.messages.size() == 16);
    // Data of all commands back to back, then the last completion; those before it may delay
    // data, 68 bytes each.
    const std::uint64_t data = 16ull * 32 * 1137500;
    const std::uint64_t took = (b.messages.back().when - t).ps();
    CHECK(took >= data + mover + dram + cqe_msi);
    CHECK(took <= data + mover + dram + cqe_msi + 15 * (10157 + 6094));
}

} // namespace timing_test
