// SPDX-License-Identifier: Apache-2.0
//
// One core at 1 GHz with 100 instructions a call: a call costs 100 ns, a register read 40 ns more,
// a write 10 ns, an interrupt 60 ns.
#include <catch2/catch.hpp>
#include <functional>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/cpu/native_core.h"
#include "models/cpu/table_cost.h"
#include "models/irq/irq_controller.h"
#include "tests/support/register_master.h"

namespace cpu_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

struct device : sc_core::sc_module {
    tlm_utils::simple_target_socket<device> in;
    struct seen {
        bool write;
        sim_time at;
        std::uint64_t address;
    };
    std::vector<seen> log;
    sim_time takes; // annotated to each access
    explicit device(const sc_core::sc_module_name& name) : sc_module(name), in("in")
    {
        in.register_b_transport(this, &device::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
    {
        log.push_back({gp.is_write(), now() + sim_time::from_sc(delay), gp.get_address()});
        delay += takes.to_sc();
        gp.set_response_status(gp.get_address() == 0xBAD ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                         : tlm::TLM_OK_RESPONSE);
    }
};

struct script : cpu::program {
    std::function<void()> body;
    std::vector<std::string> told;
    void run() override { body(); }
    void panicking(const std::string& why) override { told.push_back(why); }
};

cpu::core_config config()
{
    cpu::core_config c;
    c.clock = rate(1000000000);
    c.instructions_per_call = 100;
    return c;
}

struct bench : sc_core::sc_module {
    fault_log faults;
    cpu::native_core dut;
    irq::irq_controller irq{"irq"};
    test::register_master setup{"setup"};
    device dev{"dev"};
    script program;
    explicit bench(const sc_core::sc_module_name& name, const cpu::core_config& c = config())
        : sc_module(name), dut("dut", c, faults)
    {
        dut.bus.bind(dev.in);
        dut.irq.bind(irq.core);
        setup.out.bind(irq.regs);
        dut.load(program);
        setup.write(8, ~0u);
    }
    static void run(sim_time t) { sc_core::sc_start(t.to_sc()); }
};

} // namespace

TEST_CASE("writes are annotated with local time, reads synchronise, each call is charged")
{
    bench b("bench");
    sim_time at_read;
    std::uint64_t ns = 0;
    b.program.body = [&] {
        b.dut.write32(0x10, 1); // at 100 ns
        b.dut.write32(0x14, 1); // 110 + 100 = 210 ns
        b.dut.read32(0x18);     // 220 + 100 = 320 ns
        at_read = now();
        ns = b.dut.time_ns();
    };
    bench::run(1_us);
    REQUIRE(b.dev.log.size() == 3);
    CHECK(b.dev.log[0].at == 100_ns);
    CHECK(b.dev.log[1].at == 210_ns);
    CHECK(b.dev.log[2].at == 320_ns);
    CHECK(at_read == 320_ns);
    CHECK(ns == 360);
    CHECK(b.dut.stats().instructions == 300);
    CHECK(b.dut.stats().cycles == 360);
    CHECK(b.dut.stats().busy == 360_ns);
    CHECK(b.dut.activations() == 2); // reset, and the catch-up before the read
}

TEST_CASE("a core is busy as time goes on, however far it computes ahead")
{
    bench b("bench");
    b.program.body = [&] {
        b.dut.write32(0x10, 1);
        b.dut.write32(0x14, 1);
        b.dut.read32(0x18);  // waits for its 320 ns, then takes 40
        b.dut.wait_irq();    // 100 more, and sleeps
        b.dut.write32(0, 1); // wakes at 1 us: 60, 110
        b.dut.wait_irq();
    };
    const auto busy_at = [&](sim_time t) {
        bench::run(t - now());
        // A cycle counts when it has passed. All cycles are those of calls, none is a wait.
        CHECK(b.dut.stats().cycles == b.dut.stats().busy.ns());
        return b.dut.stats().busy;
    };
    CHECK(busy_at(1_ps) == 1_ps);
    CHECK(busy_at(319999_ps) == 319999_ps);
    CHECK(busy_at(459999_ps) == 459999_ps);
    CHECK(b.dut.busy_until() == 460_ns);
    CHECK(busy_at(461_ns) == 460_ns);
    CHECK(b.dut.busy_until() == now());
    CHECK(busy_at(1_us) == 460_ns);
    b.irq.raise(1);
    CHECK(busy_at(1_us + 3_ns) == 463_ns);
    CHECK(busy_at(5_us) == 460_ns + 60_ns + 110_ns + 100_ns);
}

TEST_CASE("what a core computes ahead when power goes was never done")
{
    bench b("bench");
    b.program.body = [&] { b.dut.read32(0x18); }; // waits for 100 ns
    bench::run(30_ns);
    b.dut.power_off();
    CHECK(b.dut.stats().busy == 30_ns);
    bench::run(1_us);
    CHECK(b.dut.stats().busy == 30_ns);
    CHECK(b.dut.stats().cycles == 30);
}

TEST_CASE("a core that others look at in the middle of a call has done nothing ahead of its time")
{
    bench b("bench");
    cpu::core_stats seen;
    b.program.body = [&] {
        b.dut.read32(0x18); // until 140 ns, of which the kernel has seen 100
        b.dut.write32(0x10, 1);
        seen = b.dut.stats(); // as a device would that the write reaches
    };
    bench::run(1_us);
    CHECK(seen.busy == 100_ns);
    CHECK(seen.cycles == 100);
}

TEST_CASE("cycles are told evenly over computing and waiting for a device")
{
    bench b("bench");
    b.dev.takes = 300_ns;
    b.program.body = [&] {
        b.dut.read32(0x18); // at 100 ns, answered at 400, until 440
        b.dut.read32(0x1C); // charged 100: the kernel catches up at 540
    };
    bench::run(320_ns); // half of the 440 ns from 100 to 540, with 140 cycles
    CHECK(b.dut.stats().busy == 320_ns);
    CHECK(b.dut.stats().cycles == 100 + 70);
    bench::run(220_ns);
    CHECK(b.dut.stats().cycles == 240);
}

namespace {

/// Four entries of 4 KiB, a walk of 60 cycles; nothing else takes time.
cpu::core_config translated()
{
    cpu::core_config c = config();
    c.instructions_per_call = 0;
    c.tlb = {4, 4096, 60};
    return c;
}

/// Cycles of touches at these addresses, of so many bytes each.
std::uint64_t cycles_of(bench& b, const std::vector<std::uint64_t>& addresses, std::uint32_t bytes)
{
    const std::uint64_t before = b.dut.time_ns();
    for (const std::uint64_t a : addresses) {
        b.dut.touch(0x80000000 + a, bytes, false);
    }
    return b.dut.time_ns() - before;
}

} // namespace

TEST_CASE("TLB: k misses cost k walks: as many pages as entries stay, one more never hits")
{
    bench b("bench", translated());
    std::vector<std::uint64_t> took;
    b.program.body = [&] {
        const std::vector<std::uint64_t> four = {0, 4096, 8192, 12288};
        took.push_back(cycles_of(b, four, 4));    // four walks
        took.push_back(cycles_of(b, four, 4));    // none
        took.push_back(cycles_of(b, {16380}, 4)); // the last bytes of the fourth page
        took.push_back(
            cycles_of(b, {16380}, 5)); // and one of the fifth, which the first leaves for
        took.push_back(cycles_of(b, {4096, 8192, 12288, 16384}, 4));
        took.push_back(cycles_of(b, {0, 4096, 8192, 12288, 16384}, 4)); // each is gone when needed
    };
    bench::run(1_ms);
    CHECK(took == std::vector<std::uint64_t>{4 * 60, 0, 0, 60, 0, 5 * 60});
    CHECK(b.dut.caches().tlb.stats().misses == 10);
    CHECK(b.dut.caches().tlb.stats().hits == 4 + 1 + 1 + 4);
    CHECK(b.dut.stats().cycles == 10 * 60);
    CHECK(b.dut.stats().instructions == 0);
    CHECK(b.dev.log.empty()); // without a data cache nothing goes to the DRAM
}

TEST_CASE("TLB: power that goes takes its entries")
{
    bench b("bench", translated());
    b.program.body = [&] {
        (void)cycles_of(b, {0, 0}, 4);
        b.dut.wait_irq();
    };
    bench::run(1_us);
    CHECK(b.dut.caches().tlb.stats().misses == 1);
    b.dut.power_off();
    bench::run(1_us);
    b.dut.power_on();
    bench::run(1_us);
    CHECK(b.dut.caches().tlb.stats().misses == 2);
}

TEST_CASE("sleep ends with the interrupt, and not before the time already spent has passed")
{
    bench b("bench");
    std::vector<std::pair<std::uint64_t, std::uint64_t>> woken;
    b.program.body = [&] {
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t lines = b.dut.wait_irq();
            woken.emplace_back(lines, b.dut.time_ns());
        }
    };
    bench::run(50_ns);
    b.irq.raise(1); // while the 100 ns of the call still run
    bench::run(950_ns);
    b.irq.raise(2);
    bench::run(1_us);
    REQUIRE(woken.size() == 2);
    CHECK(woken[0] == std::make_pair(std::uint64_t{2}, std::uint64_t{160})); // 100 + interrupt 60
    CHECK(woken[1] == std::make_pair(std::uint64_t{4}, std::uint64_t{1060}));
    CHECK(b.dut.stats().interrupts == 2);
}

TEST_CASE("marks: cycles between two marks are work on the slot of the first")
{
    bench b("bench");
    cpu::spent_accounts accounts{};
    latency_ledger ledger(2, 2);
    b.dut.count_in(ledger);
    CHECK_FALSE(b.dut.takes_marks()); // at level flat nothing is told between calls
    b.dut.set_cost(std::make_unique<cpu::table_cost>(accounts, "full", nullptr));
    b.dut.count_in(ledger);
    REQUIRE(b.dut.takes_marks());
    const auto work = [&](std::size_t account, std::int64_t cycles) {
        accounts.each.at(account).cycles += cycles * 256;
    };
    b.program.body = [&] {
        work(0, 7); // the loop
        b.dut.mark(0);
        work(0, 100);
        b.dut.mark(1);
        work(1, 10);
        b.dut.write32(0x10, 1); // 10 cycles of the bus; empties the accounts
        work(2, 20);
        b.dut.mark(0);
        work(3, 5);
        b.dev.takes = 3_ns;
        b.dut.read32(0x14); // waits 3 ns for the device, and 40 cycles of the bus
        b.dut.mark(latency_ledger::no_slot);
        work(0, 1000);
        b.dut.mark(1);
        work(0, 50);
        b.dut.mark(latency_ledger::in_vain);
    };
    bench::run(10_us);
    CHECK(ledger.work_on(0) == (100 + 5 + 3 + 40) * 256);
    CHECK(ledger.work_on(1) == (10 + 10 + 20) * 256);
    CHECK(ledger.work_on(latency_ledger::no_slot) == (7 + 1000) * 256);
}

TEST_CASE("marks: until it is known that a command waits for something else it waits for the core")
{
    bench b("bench"); // 1 ns a cycle
    cpu::spent_accounts accounts{};
    latency_ledger ledger(1, 1);
    b.dut.set_cost(std::make_unique<cpu::table_cost>(accounts, "full", nullptr));
    b.dut.count_in(ledger);
    const auto part = [&](latency_part p) { return ledger.parts(0)[static_cast<std::size_t>(p)]; };
    const sim_time t0 = now();
    ledger.open(0, t0);
    ledger.bind(0, 0, t0);
    b.program.body = [&] {
        accounts.each.at(0).cycles += 50 * 256; // the loop
        b.dut.mark(0);
        accounts.each.at(0).cycles += 30 * 256;
        b.dut.mark(latency_ledger::waits);
        accounts.each.at(0).cycles += 1000 * 256;
        b.dut.mark(0); // another look: in vain
        accounts.each.at(0).cycles += 20 * 256;
        b.dut.mark(latency_ledger::in_vain);
        b.dut.mark(0);
        accounts.each.at(0).cycles += 10 * 256;
        b.dut.mark(latency_ledger::no_slot);
    };
    bench::run(10_us);
    ledger.hand_on(0, 0, t0 + 2_us, latency_part::wait_map);
    CHECK(part(latency_part::wait_core) == 50_ns);
    CHECK(part(latency_part::firmware) == 30_ns + 10_ns);
    CHECK(part(latency_part::wait_map) == 2_us - 90_ns);
}

TEST_CASE("doubling the clock halves the firmware's time")
{
    cpu::core_config fast = config();
    fast.clock = rate(2000000000);
    bench b("bench");
    cpu::native_core twice("twice", fast, b.faults);
    device dev("dev2");
    irq::irq_controller irq("irq2");
    twice.bus.bind(dev.in);
    twice.irq.bind(irq.core);
    test::register_master setup("setup2");
    setup.out.bind(irq.regs);
    script program;
    twice.load(program);
    b.program.body = [&] { b.dut.read32(0); };
    program.body = [&] { twice.read32(0); };
    bench::run(1_us);
    CHECK(b.dut.stats().busy == 140_ns);
    CHECK(twice.stats().busy == 70_ns);
}

TEST_CASE("a longer bus makes each register read, and only a read, longer")
{
    cpu::core_config far = config();
    far.mmio_read_cycles = 340; // 300 more than the bench's
    bench b("bench");
    cpu::native_core dut("far", far, b.faults);
    device dev("far_dev");
    irq::irq_controller irq("far_irq");
    dut.bus.bind(dev.in);
    dut.irq.bind(irq.core);
    test::register_master setup("far_setup");
    setup.out.bind(irq.regs);
    script program;
    dut.load(program);
    const auto body = [](cpu::native_core& core) {
        core.write32(0x10, 1);
        core.read32(0x14);
        core.read32(0x18);
    };
    b.program.body = [&] { body(b.dut); };
    program.body = [&] { body(dut); };
    bench::run(2_us);
    CHECK(b.dut.stats().busy == 110_ns + 2 * 140_ns);
    CHECK(dut.stats().busy == b.dut.stats().busy + 2 * 300_ns);
    REQUIRE(dev.log.size() == 3);
    CHECK(dev.log[2].at == b.dev.log[2].at + 300_ns); // the second waits for the first
}

TEST_CASE("what a device annotates to a read is waited for, a write is posted")
{
    bench b("bench");
    b.dev.takes = 7_ns + 3_ps;
    b.program.body = [&] {
        b.dut.read32(0x10);     // at 100 ns, until 140 ns and what the device takes
        b.dut.write32(0x14, 1); // 100 ns later
        b.dut.write32(0x18, 1); // 110 ns later: nobody waited for the device
    };
    bench::run(1_us);
    REQUIRE(b.dev.log.size() == 3);
    CHECK(b.dev.log[1].at == 240_ns + 7_ns + 3_ps);
    CHECK(b.dev.log[2].at == 350_ns + 7_ns + 3_ps);
    CHECK(b.dut.stats().busy == 360_ns + 7_ns + 3_ps);
    CHECK(b.dut.stats().stalled == sim_time()); // that is the data cache's
}

TEST_CASE("a cycle that is no whole number of picoseconds is rounded up once a call")
{
    cpu::core_config odd = config();
    odd.clock = rate(1200000000); // 833 1/3 ps
    odd.instructions_per_call = 1;
    odd.mmio_read_cycles = 5;
    odd.mmio_write_cycles = 2;
    odd.interrupt_cycles = 7;
    bench b("bench");
    cpu::native_core dut("odd", odd, b.faults);
    device dev("odd_dev");
    irq::irq_controller irq("odd_irq");
    dut.bus.bind(dev.in);
    dut.irq.bind(irq.core);
    test::register_master setup("odd_setup");
    setup.out.bind(irq.regs);
    setup.write(8, ~0u);
    irq.raise(1);
    script program;
    dut.load(program);
    b.program.body = [] {};
    program.body = [&] {
        dut.write32(0x10, 1); // 834 ps, then 2 cycles: 1667 ps
        dut.read32(0x14);     // at 3335 ps, then 5 cycles: 4167 ps
        dut.wait_irq();       // 834 ps, then 7 cycles: 5834 ps
    };
    bench::run(1_us);
    REQUIRE(dev.log.size() == 2);
    CHECK(dev.log[0].at == 834_ps);
    CHECK(dev.log[1].at == 3335_ps);
    CHECK(dut.stats().busy == 3335_ps + 4167_ps + 834_ps + 5834_ps);
    CHECK(dut.stats().cycles == 1 + 2 + 1 + 5 + 1 + 7);
}

TEST_CASE("a fence: what was written before is there when the kernel's time is the core's")
{
    bench b("bench");
    sc_core::sc_event other; // somebody could look at what is shared
    other.notify((110_ns).to_sc());
    int shared = 0;
    b.program.body = [&] {
        b.dut.write32(0x10, 1); // local time is 110 ns
        b.dut.fence();
        shared = 1;
        b.dut.write32(0x14, 1);
    };
    bench::run(110_ns - 1_ps);
    CHECK(shared == 0);
    bench::run(2_ps);
    CHECK(shared == 1);
    CHECK(b.dev.log.back().at == 210_ns);
    CHECK(b.dut.activations() == 2);
}

TEST_CASE("a fence takes no kernel activation where nobody else runs before the core's time")
{
    bench b("bench");
    sc_core::sc_event other;
    other.notify((110_ns + 1_ps).to_sc());
    b.program.body = [&] {
        b.dut.write32(0x10, 1); // local time is 110 ns
        b.dut.fence();
        b.dut.write32(0x14, 1);
    };
    bench::run(1_us);
    CHECK(b.dev.log.back().at == 210_ns);
    CHECK(b.dut.activations() == 1);
}

TEST_CASE("functional calls cost nothing and never wait")
{
    bench b("bench");
    b.program.body = [&] { b.dut.wait_irq(); };
    bench::run(1_us);
    const auto before = b.dut.stats();
    b.dut.set_functional(true);
    b.dut.write32(0x20, 7);
    b.dut.read32(0x24);
    CHECK(b.dut.wait_irq() == 0);
    CHECK_THROWS_AS(b.dut.panic("x.c:1", "boom"), cpu::program_panic);
    b.dut.set_functional(false);
    CHECK(b.dut.stats().cycles == before.cycles);
    CHECK(b.dev.log.back().at == now());
}

TEST_CASE("a panic and a bus error stop the run with a fault that says where")
{
    bench b("bench");
    b.program.body = [&] { b.dut.read32(0xBAD); };
    bench::run(1_us);
    CHECK(b.dut.panicked());
    REQUIRE(b.faults.count() == 1);
    CHECK(b.faults.faults()[0].what.find("0xbad") != std::string::npos);
    CHECK(sc_core::sc_get_status() == sc_core::SC_STOPPED);
}

TEST_CASE("stop() ends the sleep and the program returns")
{
    bench b("bench");
    bool returned = false;
    b.program.body = [&] {
        while (!b.dut.stopping()) {
            b.dut.wait_irq();
        }
        returned = true;
    };
    bench::run(1_us);
    CHECK(b.dut.asleep());
    b.dut.stop();
    bench::run(1_us);
    CHECK(returned);
}

TEST_CASE("stop(): an interrupt that is pending by then is not told, for nobody works on it")
{
    bench b("bench");
    std::vector<std::uint64_t> told;
    b.program.body = [&] {
        while (!b.dut.stopping()) {
            told.push_back(b.dut.wait_irq());
        }
    };
    bench::run(1_us);
    b.dut.stop();
    b.irq.raise(1);
    bench::run(1_us);
    CHECK(told == std::vector<std::uint64_t>{0});
    CHECK(b.dut.stats().interrupts == 0);
    CHECK(b.irq.core->pending() == 2);
}

TEST_CASE("power goes while the program sleeps or computes: it leaves, and starts from reset")
{
    bench b("bench");
    int starts = 0;
    int left = 0;
    std::vector<sim_time> began;
    b.program.body = [&] {
        struct frame {
            int& count;
            ~frame() { ++count; }
        } f{left};
        began.push_back(now());
        if (++starts == 1) {
            b.dut.wait_irq(); // for ever
        }
        for (;;) {
            b.dut.read32(0x10);
        }
    };
    bench::run(1_us);
    CHECK(b.dut.asleep());
    b.dut.power_off();
    bench::run(1_us);
    CHECK(left == 1);
    CHECK_FALSE(b.dut.asleep());
    const std::size_t accesses = b.dev.log.size();
    b.dut.power_on();
    bench::run(1_us);
    CHECK(began == std::vector<sim_time>{sim_time(), 2_us});
    CHECK(b.dev.log.size() > accesses);
    b.dut.power_off(); // in the middle of a read
    const std::size_t last = b.dev.log.size();
    bench::run(1_us);
    CHECK(left == 2);
    CHECK(b.dev.log.size() == last);
    b.dut.power_on();
    bench::run(1_us);
    CHECK(starts == 3);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("halt() ends the program at its next call of the port, whichever that is")
{
    bench b("bench");
    int calls = 0;
    b.program.body = [&] {
        b.dut.halt("enough");
        ++calls;
        (void)b.dut.stopping();
        ++calls;
    };
    CHECK_FALSE(b.dut.running());
    bench::run(1_us);
    CHECK(calls == 1);
    CHECK(b.dut.panicked());
    CHECK_FALSE(b.dut.running());
    REQUIRE(b.program.told.size() == 1);
    CHECK(b.program.told[0] == b.faults.faults()[0].what);
    CHECK(b.program.told[0].find("enough") != std::string::npos);
}

TEST_CASE("halt_now() wakes a program that sleeps")
{
    bench b("bench");
    b.program.body = [&] { b.dut.wait_irq(); };
    bench::run(1_us);
    CHECK(b.dut.asleep());
    CHECK(b.dut.running());
    CHECK(b.faults.count() == 0);
    b.dut.halt_now("nobody comes");
    bench::run(1_ns);
    CHECK(b.dut.panicked());
    REQUIRE(b.program.told.size() == 1);
    CHECK(b.program.told[0].find("nobody comes") != std::string::npos);
}

} // namespace cpu_test
