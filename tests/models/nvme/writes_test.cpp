// SPDX-License-Identifier: Apache-2.0
//
// Data of writes: when the host is asked for them, and what does not wait for them.
#include <vector>

#include "tests/models/nvme/bench.h"

namespace writes_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr sim_time wire_time = sim_time(1'121'250); // 4 KiB from the host: 4416 B, Gen3 x4

nvme::front_end_config asking(sim_time ahead)
{
    nvme::front_end_config c = bench_front_end();
    c.ask_ahead = ahead;
    return c;
}

/// `count` commands of 4 KiB with firmware.
std::vector<std::uint16_t> take(nvme_bench& b, std::uint16_t count)
{
    b.start();
    b.create_io(1, 32);
    for (std::uint16_t i = 0; i < count; ++i) {
        b.submit(1, read_sqe(i, 4096, nvme_bench::data + i * 4096u));
    }
    b.run(5_us);
    std::vector<std::uint16_t> slots;
    for (fe_command c{}; b.take(c);) {
        slots.push_back(c.slot);
    }
    REQUIRE(slots.size() == count);
    b.read.clear();
    return slots;
}

fe_move fetch(std::uint16_t slot, std::uint32_t i, std::uint8_t flags)
{
    fe_move m = data_move(FE_MOVE_FROM_HOST, slot, 4096, flags);
    m.buffer = nvme_bench::buffer + i * 4096;
    m.tag = i;
    return m;
}

/// When the host is read next, to 1 ns.
sim_time next_read(nvme_bench& b)
{
    const std::size_t before = b.read.size();
    for (int ns = 0; b.read.size() == before && ns < 10000; ++ns) {
        b.run(1_ns);
    }
    REQUIRE(b.read.size() > before);
    return now();
}

} // namespace

TEST_CASE("data of writes are asked for as the link can bring them")
{
    nvme_bench b("bench", asking(1_us));
    const auto slots = take(b, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        b.post(fetch(slots[i], i, FE_MOVE_CQE | FE_MOVE_NOTIFY));
    }
    b.ring();
    const sim_time first = now();
    CHECK(b.read.size() == 1); // at once: the link model is told of what is to come
    // The first data end 6,094 ps (MRd) + 2 x 150 ns + 400 ns + their own time after the order
    // took 50 ns; the next are asked for 1 us before that, give or take the step of 1 ns.
    const sim_time second = next_read(b);
    const sim_time wait = 50_ns + sim_time(6'094) + 550_ns + wire_time - 1_us;
    CHECK(second - first + 2_ns > wait);
    CHECK(second - first < wait + 2_ns);
    const sim_time third = next_read(b);
    CHECK(third - second + 2_ns > wire_time); // then the link is never without
    CHECK(third - second < wire_time + 2_ns);
    const sim_time fourth = next_read(b);
    CHECK(fourth - third + 2_ns > wire_time);
    CHECK(fourth - third < wire_time + 2_ns);
    b.run(10_us);
    CHECK(b.messages.size() == 4);
}

TEST_CASE("all data of writes are asked for at once where the link may be that far ahead")
{
    nvme_bench b("bench", asking(1_ms));
    const auto slots = take(b, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        b.post(fetch(slots[i], i, FE_MOVE_CQE));
    }
    b.ring();
    CHECK(b.read.size() == 4);
}

TEST_CASE("a completion stays behind data of its command that are not yet asked for")
{
    nvme_bench b("bench", asking(500_ns));
    const auto slots = take(b, 3);
    b.host[nvme_bench::data + 2 * 4096] = 0x5A;
    for (std::uint32_t i = 0; i < 3; ++i) {
        b.post(fetch(slots[i], i, 0));
        fe_move m{};
        m.op = FE_MOVE_COMPLETE;
        m.slot = slots[i];
        m.flags = FE_MOVE_CQE;
        b.post(m);
    }
    b.ring();
    std::size_t done = 0;
    nvme_cqe e{};
    for (int ns = 0; done < 3 && ns < 20000; ++ns) {
        b.run(1_ns);
        if (b.reap(1, e)) {
            CHECK(e.cid == done);
            ++done;
            CHECK(b.read.size() >= done);
        }
    }
    CHECK(done == 3);
    CHECK(b.memory[nvme_bench::buffer + 2 * 4096] == 0x5A);
}

TEST_CASE("data of reads, and commands, do not wait for those of writes")
{
    nvme_bench b("bench", asking(500_ns));
    const auto slots = take(b, 4);
    for (std::uint32_t i = 0; i < 3; ++i) {
        b.post(fetch(slots[i], i, FE_MOVE_CQE));
    }
    b.post(data_move(FE_MOVE_TO_HOST, slots[3], 4096, FE_MOVE_CQE));
    b.ring();
    b.submit(1, read_sqe(9, 512, nvme_bench::data));
    nvme_cqe e{};
    for (int ns = 0; !b.reap(1, e) && ns < 20000; ++ns) {
        b.run(1_ns);
    }
    CHECK(e.cid == 3); // up, the way was free
    fe_command c{};
    b.run(300_ns);
    CHECK(b.take(c));
    CHECK(b.messages.size() < 3);
}

TEST_CASE("power goes while moves wait for the link: those of the next commands do not")
{
    nvme_bench b("bench", asking(500_ns));
    const auto before = take(b, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        b.post(fetch(before[i], i, FE_MOVE_CQE | FE_MOVE_NOTIFY));
    }
    b.ring();
    REQUIRE(b.read.size() == 1);
    b.dut.power_off();
    b.wire.power_off();
    b.lose_memory();
    b.messages.clear();
    b.run(20_us);
    CHECK(b.read.size() == 1);
    CHECK(b.messages.empty());
    const auto slots = take(b, 4);
    CHECK(slots == before);
    for (std::uint32_t i = 0; i < 4; ++i) { // to the host: none waits for the link
        b.post(data_move(FE_MOVE_TO_HOST, slots[i], 4096, FE_MOVE_CQE));
    }
    b.ring();
    const std::uint64_t bytes = b.dut.stats().bytes_to_host;
    CHECK(bytes == 4 * 4096);
}

TEST_CASE("a reset gives back moves that wait for the link, and asks for none of them")
{
    nvme_bench b("bench", asking(500_ns));
    const auto slots = take(b, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        b.post(fetch(slots[i], i, FE_MOVE_CQE | FE_MOVE_NOTIFY));
    }
    b.ring();
    REQUIRE(b.read.size() == 1);
    b.bar_write(NVME_REG_CC, 0);
    b.run(20_us);
    CHECK(b.read.size() == 1);
    CHECK(b.messages.empty());
    CHECK(b.dut.free_slots() == 16);
    std::uint32_t seen = 0;
    for (fe_move_done d{}; b.done(d);) {
        seen |= 1u << d.tag;
        CHECK(((d.tag == 0) || d.status == FE_DONE_TRANSFER_ERROR));
    }
    CHECK(seen == 0xF);
}

} // namespace writes_test
