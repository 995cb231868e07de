// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "models/regs/timer_regs.h"
#include "models/timer/timer.h"
#include "tests/support/register_master.h"

namespace timer_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

struct line : sc_core::sc_module, irq_line_if {
    int raised = 0;
    sim_time at;
    explicit line(const sc_core::sc_module_name& name) : sc_module(name) {}
    void raise(unsigned n) override
    {
        CHECK(n == 7);
        ++raised;
        at = now();
    }
};

struct bench : sc_core::sc_module {
    timer::timer dut{"dut", 7};
    line irq{"irq"};
    test::register_master cpu{"cpu"};
    explicit bench(const sc_core::sc_module_name& name) : sc_module(name)
    {
        cpu.out.bind(dut.regs);
        dut.irq.bind(irq);
    }
    static void run(sim_time t) { sc_core::sc_start(t.to_sc()); }
};

} // namespace

TEST_CASE("the one-shot fires at its nanosecond, not a picosecond earlier")
{
    bench b("bench");
    bench::run(1_ns);
    b.cpu.write(TIMER_REG_ONESHOT, 100, 5_ns); // posted: acts 5 ns from now
    bench::run(104999_ps);
    CHECK(b.irq.raised == 0);
    bench::run(2_ps);
    CHECK(b.irq.raised == 1);
    CHECK(b.irq.at == 106_ns);
}

TEST_CASE("a new one-shot replaces the old one and zero cancels")
{
    bench b("bench");
    bench::run(1_ns);
    b.cpu.write(TIMER_REG_ONESHOT, 100);
    b.cpu.write(TIMER_REG_ONESHOT, 300);
    bench::run(200_ns);
    CHECK(b.irq.raised == 0);
    bench::run(200_ns);
    CHECK(b.irq.raised == 1);
    CHECK(b.irq.at == 301_ns);
    b.cpu.write(TIMER_REG_ONESHOT, 100);
    b.cpu.write(TIMER_REG_ONESHOT, 0);
    bench::run(200_ns);
    CHECK(b.irq.raised == 1);
}

TEST_CASE("the counter reads nanoseconds and latches its high half")
{
    bench b("bench");
    bench::run(5_s);
    CHECK(b.cpu.read(TIMER_REG_NOW_LO) == static_cast<std::uint32_t>(5000000000ull));
    CHECK(b.cpu.read(TIMER_REG_NOW_HI) == 1);
    CHECK(b.cpu.write(TIMER_REG_NOW_LO, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("power goes: the one-shot does not fire, the next one does")
{
    bench b("bench");
    bench::run(1_ns);
    b.cpu.write(TIMER_REG_ONESHOT, 100);
    bench::run(50_ns);
    b.dut.power_off();
    bench::run(200_ns);
    CHECK(b.irq.raised == 0);
    b.cpu.write(TIMER_REG_ONESHOT, 100);
    bench::run(200_ns);
    CHECK(b.irq.raised == 1);
}

} // namespace timer_test
