// SPDX-License-Identifier: Apache-2.0
//
// Interrupt coalescing, features 08h and 09h. NVM Express base 1.4 sections 5.21.1.8, 5.21.1.9.
#include "tests/models/nvme/bench.h"

namespace coalescing_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint32_t coalescing(std::uint32_t completions, std::uint32_t time)
{
    return (completions - 1) << FE_COALESCING_THR_SHIFT | time << FE_COALESCING_TIME_SHIFT;
}

struct bench : nvme_bench {
    explicit bench(std::uint32_t value, const char* name = "bench")
        : nvme_bench(name, bench_front_end()), registers(value)
    {}
    void begin()
    {
        start();
        reg_write(FE_REG_COALESCING, registers);
        for (std::uint32_t q = 1; q <= 2; ++q) {
            create_io(q, 64);
        }
    }
    /// A command of the queue ends; returns when.
    sim_time complete(std::uint32_t id)
    {
        if (id == 0) {
            nvme_sqe s{};
            s.opcode = NVME_ADMIN_GET_FEATURES;
            submit(0, s);
        } else {
            submit(id, read_sqe(next++, 512, data));
        }
        run(3_us);
        fe_command c{};
        REQUIRE(take(c));
        const std::uint64_t before = dut.stats().completions;
        order(completion_move(c.slot));
        while (dut.stats().completions == before) {
            run(1_ns);
        }
        const sim_time when = now();
        run(1_us);
        nvme_cqe e{};
        REQUIRE(reap(id, e));
        ring_cq(id);
        run(1_us);
        return when;
    }
    void complete(std::uint32_t id, std::uint32_t times)
    {
        for (std::uint32_t i = 0; i < times; ++i) {
            complete(id);
        }
    }
    std::uint32_t registers;
    std::uint16_t next = 0;
};

} // namespace

TEST_CASE("a message waits for so many completions, and no more")
{
    bench two(coalescing(2, 255), "two"), three(coalescing(3, 255), "three");
    bench ten(coalescing(10, 255), "ten");
    for (bench* const each : {&two, &three, &ten}) {
        bench& b = *each;
        const std::uint32_t threshold = (b.registers & 0xFFu) + 1;
        b.begin();
        for (std::uint32_t round = 1; round <= 3; ++round) {
            b.complete(1, threshold - 1);
            CHECK(b.messages.size() == round - 1);
            b.complete(1);
            CHECK(b.messages.size() == round);
        }
        CHECK(b.messages.back().data == 1);
        CHECK(b.dut.stats().host_interrupts == 3);
    }
}

TEST_CASE("a message waits so long, from the first completion on")
{
    bench b(coalescing(10, 2));
    b.begin();
    const sim_time first = b.complete(1);
    b.complete(1, 2);
    b.run(first + 200_us - 1_ns - now()); // `first` is exact to a nanosecond
    CHECK(b.messages.empty());
    b.run(2_us);
    REQUIRE(b.messages.size() == 1);
    const sim_time wait = b.messages[0].when - first;
    CHECK(wait >= 200_us - 1_ns);
    CHECK(wait <= 200_us + 1_us); // and the message's own way
    b.run(1_ms);
    CHECK(b.messages.size() == 1);
    const sim_time again = b.complete(1); // the time begins anew
    b.run(again + 200_us - 1_ns - now());
    CHECK(b.messages.size() == 1);
    b.run(2_us);
    CHECK(b.messages.size() == 2);
}

TEST_CASE("a message that the count sent begins the time anew too")
{
    bench b(coalescing(2, 1));
    b.begin();
    b.complete(1);
    b.run(50_us);
    b.complete(1);
    CHECK(b.messages.size() == 1);
    const sim_time third = b.complete(1);
    b.run(third + 100_us - 1_ns - now());
    CHECK(b.messages.size() == 1);
    b.run(2_us);
    CHECK(b.messages.size() == 2);
}

TEST_CASE("each vector has its own count")
{
    bench b(coalescing(2, 255));
    b.begin();
    b.complete(1);
    b.complete(2);
    CHECK(b.messages.empty());
    b.complete(2);
    REQUIRE(b.messages.size() == 1);
    CHECK(b.messages[0].data == 2);
}

TEST_CASE("without count or time, or with coalescing disabled, every completion has its message")
{
    bench count(coalescing(1, 255), "count"), time(coalescing(10, 0), "time");
    bench b(coalescing(10, 255));
    for (bench* const each : {&count, &time}) {
        each->begin();
        each->complete(1, 3);
        CHECK(each->messages.size() == 3);
    }
    b.begin();
    b.reg_write(FE_REG_VEC_ID, 1);
    b.reg_write(FE_REG_VEC_CONTROL, FE_VEC_CONTROL_CD);
    CHECK(b.reg_read(FE_REG_VEC_CONTROL) == FE_VEC_CONTROL_CD);
    b.complete(1, 2);
    CHECK(b.messages.size() == 2);
    b.complete(2, 2);
    CHECK(b.messages.size() == 2);
    b.complete(0); // admin
    CHECK(b.messages.size() == 3);
    b.reg_write(FE_REG_VEC_ID, 5); // the hardware has 0..4
    b.reg_write(FE_REG_VEC_CONTROL, FE_VEC_CONTROL_CD);
    b.expected_faults = 1;
    CHECK(b.reg_read(FE_REG_VEC_CONTROL) == 0);
}

TEST_CASE("a message that waited comes due masked, and leaves when the mask goes")
{
    bench b(coalescing(2, 255));
    b.begin();
    const std::uint64_t control = NVME_REG_MSIX_TABLE + 16 + 12;
    b.bar_write(control, 1);
    b.run(1_us);
    b.complete(1);
    CHECK(b.bar_read(NVME_REG_MSIX_PBA) == 0); // not due
    b.complete(1);
    CHECK(b.bar_read(NVME_REG_MSIX_PBA) == 2);
    CHECK(b.messages.empty());
    b.bar_write(control, 0);
    b.run(1_us);
    CHECK(b.messages.size() == 1);
    CHECK(b.bar_read(NVME_REG_MSIX_PBA) == 0);
}

TEST_CASE("a controller reset forgets counts, times and settings")
{
    bench b(coalescing(2, 1));
    b.begin();
    b.reg_write(FE_REG_VEC_ID, 2);
    b.reg_write(FE_REG_VEC_CONTROL, FE_VEC_CONTROL_CD);
    b.complete(1);
    b.bar_write(NVME_REG_CC, 0);
    b.run(1_us);
    CHECK(b.reg_read(FE_REG_COALESCING) == 0);
    CHECK(b.reg_read(FE_REG_VEC_CONTROL) == 0);
    b.run(1_ms);
    CHECK(b.messages.empty());
    b.reg_write(FE_REG_CSTS, 0);
    b.enable();
    b.create_io(1, 8);
    b.complete(1);
    CHECK(b.messages.size() == 1);
}

} // namespace coalescing_test
