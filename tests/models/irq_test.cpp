// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "models/irq/irq_controller.h"
#include "models/regs/irq_regs.h"
#include "tests/support/register_master.h"

namespace irq_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

struct bench : sc_core::sc_module {
    irq::irq_controller dut{"dut"};
    test::register_master cpu{"cpu"};
    int wakes = 0;

    explicit bench(const sc_core::sc_module_name& name) : sc_module(name)
    {
        cpu.out.bind(dut.regs);
        SC_HAS_PROCESS(bench);
        SC_THREAD(count);
    }
    void count()
    {
        for (;; ++wakes) {
            calendar::get().sleep(dut.view(0).wake());
        }
    }
    static void settle() { sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS)); }
};

} // namespace

TEST_CASE("a raised line stays latched until acknowledged and wakes only when enabled")
{
    bench b("bench");
    b.dut.view(0).arm(now());
    bench::settle();
    b.dut.raise(3);
    bench::settle();
    CHECK(b.wakes == 0);
    CHECK(b.dut.view(0).pending() == 0);
    CHECK(b.cpu.read(IRQ_REG_PENDING_LO) == 8);

    b.cpu.write(IRQ_REG_ENABLE_LO, 8);
    bench::settle();
    CHECK(b.wakes == 1);
    CHECK(b.dut.view(0).pending() == 8);

    b.dut.raise(3);
    bench::settle();
    CHECK(b.wakes == 1);

    b.dut.view(0).acknowledge(8);
    CHECK(b.dut.view(0).pending() == 0);
    b.dut.raise(3); // the core is awake: latched, but nobody to wake
    bench::settle();
    CHECK(b.wakes == 1);
    b.dut.view(0).acknowledge(8);
    b.dut.view(0).arm(now());
    b.dut.raise(3);
    bench::settle();
    CHECK(b.wakes == 2);

    b.dut.view(0).acknowledge(8);
    b.dut.view(0).rouse(); // armed or not, and without a line
    bench::settle();
    CHECK(b.wakes == 3);
    CHECK(b.dut.view(0).pending() == 0);
}

TEST_CASE("lines 32 and above live in the high registers")
{
    bench b("bench");
    b.cpu.write(IRQ_REG_ENABLE_HI, 1u << 5);
    b.dut.view(0).arm(now());
    bench::settle();
    b.dut.raise(37);
    bench::settle();
    CHECK(b.wakes == 1);
    CHECK(b.dut.view(0).pending() == 1ull << 37);
    CHECK(b.cpu.read(IRQ_REG_PENDING_HI) == 1u << 5);
    CHECK(b.cpu.read(IRQ_REG_ENABLE_HI) == 1u << 5);
    b.cpu.write(IRQ_REG_PENDING_HI, 1u << 5);
    CHECK(b.dut.view(0).pending() == 0);
}

namespace {

/// Raises its line late, once.
struct worker final : late_device {
    irq::irq_controller& dut;
    sim_time done; // when it was told to catch up

    worker(irq::irq_controller& d, unsigned line) : late_device(line), dut(d) {}
    void order(sim_time when)
    {
        set_late(when, when);
        dut.foresee(line(), when);
    }
    void catch_up() override
    {
        done = now();
        set_late(never, never);
        dut.raise(line());
    }
};

} // namespace

TEST_CASE(
    "a core that sleeps wakes for a line that will be raised late, and the device does it then")
{
    bench b("bench");
    worker w(b.dut, 3);
    REQUIRE(b.dut.attend(w));
    b.cpu.write(IRQ_REG_ENABLE_LO, 8);
    bench::settle();
    const sim_time t = now();

    b.dut.view(0).arm(t); // asleep before the work is foreseen
    w.order(t + 10_ns);
    sc_core::sc_start((9_ns).to_sc());
    b.dut.view(0).catch_up(); // too early
    CHECK(w.done == sim_time());
    b.dut.view(0).arm(now());
    sc_core::sc_start((1_ns).to_sc()); // up to that time, without what happens then
    CHECK(b.wakes == 0);
    sc_core::sc_start((1_ps).to_sc());
    CHECK(b.wakes == 1);
    CHECK(b.dut.view(0).pending() == 0);
    b.dut.view(0).catch_up();
    CHECK(w.done == now());
    CHECK(b.dut.view(0).pending() == 8);
    b.dut.view(0).acknowledge(8);

    w.order(now() + 10_ns); // foreseen before it sleeps, and it works on for longer
    b.dut.view(0).arm(now() + 15_ns);
    sc_core::sc_start((15_ns).to_sc());
    CHECK(b.wakes == 1);
    sc_core::sc_start((1_ps).to_sc());
    CHECK(b.wakes == 2);
    b.dut.view(0).catch_up();
    CHECK(b.dut.view(0).pending() == 8);
}

TEST_CASE("late work on a line that no core wants wakes none, and a core that is awake finds it")
{
    bench b("bench");
    worker w(b.dut, 3);
    REQUIRE(b.dut.attend(w));
    b.dut.view(0).arm(now());
    w.order(now() + 10_ns);
    sc_core::sc_start((20_ns).to_sc());
    CHECK(b.wakes == 0);
    b.dut.view(0).catch_up();
    CHECK(b.cpu.read(IRQ_REG_PENDING_LO) == 8);

    b.cpu.write(IRQ_REG_PENDING_LO, 8);
    b.cpu.write(IRQ_REG_ENABLE_LO, 8);
    w.order(now() + 10_ns); // awake: nobody is notified
    sc_core::sc_start((20_ns).to_sc());
    CHECK(b.wakes == 0);
    b.dut.view(0).catch_up();
    CHECK(b.dut.view(0).pending() == 8);
}

TEST_CASE("a wrong register access is refused")
{
    bench b("bench");
    std::uint64_t wide = 0;
    CHECK(b.cpu.write(0x14, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.cpu.write(0x1000, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.cpu.access(tlm::TLM_READ_COMMAND, 0, &wide, 8, sim_time()) ==
          tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("power goes: nothing is pending or enabled")
{
    bench b("bench");
    bench::settle();
    b.cpu.write(IRQ_REG_ENABLE_LO, ~0u);
    b.dut.raise(3);
    b.dut.view(0).arm(now());
    b.dut.power_off();
    CHECK(b.dut.view(0).pending() == 0);
    CHECK(b.cpu.read(IRQ_REG_PENDING_LO) == 0);
    CHECK(b.cpu.read(IRQ_REG_ENABLE_LO) == 0);
    b.dut.raise(3);
    bench::settle();
    CHECK(b.wakes == 0);
}

TEST_CASE("a core that works on while its wait has begun is woken once, when it is through")
{
    bench b("bench");
    b.cpu.write(IRQ_REG_ENABLE_LO, 3);
    const sim_time through = now() + 5_ns;
    b.dut.view(0).arm(through);
    b.dut.raise(0);
    sc_core::sc_start((4_ns).to_sc());
    CHECK(b.wakes == 0);
    b.dut.raise(1);
    sc_core::sc_start((2_ns).to_sc());
    CHECK(b.wakes == 1);
    CHECK(b.dut.view(0).pending() == 3);
    b.dut.view(0).acknowledge(3);
    b.dut.view(0).arm(now() + 5_ns);
    b.dut.view(0).rouse(); // somebody else wants it: now
    bench::settle();
    CHECK(b.wakes == 2);
}

TEST_CASE("each core has enables of its own, and a line wakes the core that wants it")
{
    bench b("bench");
    b.cpu.write(IRQ_REG_ENABLE_LO, 1);
    b.cpu.write(2 * IRQ_CORE_STRIDE + IRQ_REG_ENABLE_LO, 6);
    CHECK(b.cpu.read(IRQ_REG_ENABLE_LO) == 1);
    CHECK(b.cpu.read(2 * IRQ_CORE_STRIDE + IRQ_REG_ENABLE_LO) == 6);
    CHECK(b.cpu.write(MAP_CORES_MAX * IRQ_CORE_STRIDE, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    b.dut.view(0).arm(now());
    b.dut.view(2).arm(now());
    b.dut.raise(2);
    bench::settle();
    CHECK(b.wakes == 0); // core 0's
    CHECK(b.dut.view(0).pending() == 0);
    CHECK(b.dut.view(2).pending() == 4);
    b.dut.view(2).acknowledge(4);
    CHECK(b.cpu.read(IRQ_REG_PENDING_LO) == 0);
}

TEST_CASE("a doorbell arrives at the time of the core that writes it, and not before")
{
    bench b("bench");
    const std::uint32_t line = 1u << (IRQ_LINE_MAILBOX0 + 1 - 32);
    irq::core_view& to = b.dut.view(1);
    b.cpu.write(IRQ_CORE_STRIDE + IRQ_REG_ENABLE_HI, line);
    b.cpu.write(IRQ_CORE_STRIDE + IRQ_REG_DOORBELL, 1, sim_time(5000));
    CHECK_FALSE(b.dut.idle());
    b.cpu.write(IRQ_CORE_STRIDE + IRQ_REG_DOORBELL, 1, sim_time(9000)); // the first tells of both
    sc_core::sc_start(sim_time(4999).to_sc());
    CHECK(to.pending() == 0);
    sc_core::sc_start(sim_time(1).to_sc());
    CHECK(to.pending() == std::uint64_t{line} << 32);
    CHECK(b.dut.view(0).pending() == 0);
    CHECK(b.dut.idle());
    to.acknowledge(to.pending());
    sc_core::sc_start(sim_time(9000).to_sc());
    CHECK(to.pending() == 0);

    b.cpu.write(IRQ_CORE_STRIDE + IRQ_REG_DOORBELL, 1, sim_time(9000));
    b.cpu.write(IRQ_CORE_STRIDE + IRQ_REG_DOORBELL, 1, sim_time(2000)); // a later one is sooner
    sc_core::sc_start(sim_time(2000).to_sc());
    CHECK(to.pending() != 0);

    b.cpu.write(IRQ_REG_DOORBELL, 1, sim_time(2000));
    b.dut.power_off();
    CHECK(b.dut.idle());
    sc_core::sc_start(sim_time(3000).to_sc());
    CHECK(b.cpu.read(IRQ_REG_PENDING_HI) == 0);
}

} // namespace irq_test
