// SPDX-License-Identifier: Apache-2.0
//
// The instruction cache of a core: which lines blocks touch, and what a line that is not there
// costs, in picoseconds, out of each memory that code may lie in.
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "models/cpu/native_core.h"
#include "models/dram/dram.h"
#include "models/interconnect/interconnect.h"
#include "models/irq/irq_controller.h"
#include "models/nor/nor_flash.h"
#include "models/regs/memory_map.h"
#include "models/sram/sram.h"
#include "tests/support/register_master.h"

namespace instruction_cache_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

/// Lines of 64 bytes, two ways: even lines are in set 0, odd ones in set 1.
constexpr cpu::cache_geometry two_sets{256, 2, 64};

// Blocks of the program.
constexpr std::uint64_t LINE_0 = 0, LINES_0_1 = 1, LINE_2 = 2, LINE_4 = 3, COPIES_1_5 = 4,
                        NOTHING = 5, LINES_0_4 = 6;

cpu::code_map program_code()
{
    return {384,
            {{{{0, 64}}},                 // a whole line, and no byte more
             {{{60, 68}}},                // over the end of one
             {{{128, 132}}},              //
             {{{256, 320}}},              //
             {{{64, 128}}, {{320, 384}}}, // twice in the code: one of them runs
             {},                          // the compiler made nothing of it
             {{{8, 12}, {264, 268}}}}};   // and a part of its own elsewhere
}

/// Misses, in the order in which they come.
std::vector<std::uint64_t> missed(cpu::instruction_cache& dut,
                                  const std::vector<std::uint64_t>& blocks)
{
    std::vector<std::uint64_t> lines;
    for (const std::uint64_t block : blocks) {
        dut.fetch(block, [&](std::uint64_t line) { lines.push_back(line); });
    }
    return lines;
}

using lines = std::vector<std::uint64_t>;

/// A program that tells which blocks it runs; each costs so many cycles, which are charged when the
/// core asks.
class telling_cost final : public cpu::instruction_cost {
public:
    cpu::instruction_charge charge(cpu::port_call) override
    {
        const std::uint64_t cycles = m_cycles;
        m_cycles = 0;
        return {cycles, cycles};
    }
    void tell_fetches(cpu::fetch_listener& to) override { m_to = &to; }
    [[nodiscard]] const char* level() const override { return "full"; }
    void run(std::uint64_t block, std::uint64_t cycles)
    {
        m_to->fetch(block);
        m_cycles += cycles;
    }

private:
    cpu::fetch_listener* m_to = nullptr;
    std::uint64_t m_cycles = 0;
};

struct script : cpu::program {
    std::function<void()> body;
    void run() override { body(); }
};

struct no_loader final : nor::image_loader {
    bool load(std::uint32_t, const std::vector<unsigned char>&) override { return false; }
    void stop() override {}
    [[nodiscard]] bool stopped() const override { return true; }
    void start(std::uint32_t, bool) override {}
};

struct line_sink final : sc_core::sc_module, irq_line_if {
    explicit line_sink(const sc_core::sc_module_name& name) : sc_module(name) {}
    void raise(unsigned) override {}
};

cpu::core_config core_config()
{
    cpu::core_config c;
    c.clock = rate(1000000000);
    c.mmio_read_cycles = 0;
    c.icache.cache = two_sets;
    c.icache.miss_cycles = 3;
    return c;
}

dram::dram_config dram_config()
{
    dram::dram_config c;
    c.capacity = 64 << 20;
    c.bandwidth = rate(6400000000); // 64 bytes in 10 ns
    c.latency = 37_ns;
    return c;
}

/// A core before a crossbar and the memories of a controller.
struct board : sc_core::sc_module {
    fault_log faults;
    cpu::native_core core{"core", core_config(), faults};
    interconnect::interconnect bus;
    irq::irq_controller irq{"irq"};
    test::register_master setup{"setup"};
    sram::sram fast{"fast", 1 << 20, 5_ns};
    dram::dram memory{"memory", dram_config()};
    no_loader loader;
    nor::nor_flash nor{"nor", loader, 1};
    line_sink nor_line{"nor_line"};
    test::register_master other{"other"}; // another core
    script program;
    telling_cost* cost;

    explicit board(const sc_core::sc_module_name& name, std::uint64_t code = MAP_DRAM_BASE)
        : sc_module(name), bus("bus", {"core", "other"},
                               {{"sram", MAP_SRAM_BASE, 1 << 20},
                                {"dram", MAP_DRAM_BASE, 64 << 20},
                                {"boot_flash", MAP_NOR_CODE_BASE, 16 << 20},
                                {"irq", MAP_IRQ_BASE, MAP_IRQ_SIZE}})
    {
        core.bus.bind(bus.in(0));
        other.out.bind(bus.in(1));
        bus.out(0).bind(fast.in);
        bus.out(1).bind(memory.in);
        bus.out(2).bind(nor.code);
        bus.out(3).bind(irq.regs);
        core.irq.bind(irq.core);
        setup.out.bind(nor.regs);
        nor.irq.bind(nor_line);
        auto telling = std::make_unique<telling_cost>();
        cost = telling.get();
        core.set_cost(std::move(telling));
        core.set_code(program_code(), code);
        core.load(program);
    }
    void start(std::function<void()> body) { program.body = std::move(body); }
    static void run(sim_time t) { sc_core::sc_start(t.to_sc()); }
};

} // namespace

TEST_CASE("instruction cache: a block touches the lines that its bytes are in, and no other")
{
    cpu::instruction_cache dut(two_sets);
    dut.load(program_code());
    CHECK(missed(dut, {LINE_0}) == lines{0});
    CHECK(missed(dut, {LINE_0}).empty());
    CHECK(missed(dut, {LINES_0_1}) == lines{1}); // the other one is there
    CHECK(missed(dut, {NOTHING}).empty());
    CHECK(missed(dut, {LINE_2}) == lines{2});
    CHECK(dut.stats().hits == 2);
    CHECK(dut.stats().misses == 3);
}

TEST_CASE("instruction cache: the line used longest ago leaves its set")
{
    cpu::instruction_cache dut(two_sets);
    dut.load(program_code());
    CHECK(missed(dut, {LINE_0, LINE_2}) == lines{0, 2});            // set 0 is full
    CHECK(missed(dut, {LINE_0, LINE_4}) == lines{4});               // 2 leaves
    CHECK(missed(dut, {LINE_0, LINE_4}).empty());                   //
    CHECK(missed(dut, {LINE_2, LINE_0, LINE_4}) == lines{2, 0, 4}); // one more than ways, in turn
    CHECK(missed(dut, {LINES_0_4}) == lines{});                     // both of its parts
    CHECK(dut.stats().misses == 6);
    CHECK(dut.stats().hits == 1 + 2 + 2);
    dut.clear(); // power goes
    CHECK(missed(dut, {LINE_4}) == lines{4});
}

TEST_CASE("instruction cache: of several copies that one is fetched which lies beside what ran")
{
    cpu::instruction_cache dut(two_sets);
    dut.load(program_code());
    CHECK(missed(dut, {LINE_0, COPIES_1_5}) == lines{0, 1});
    CHECK(missed(dut, {LINE_4, COPIES_1_5}) == lines{4, 5});
    CHECK(missed(dut, {COPIES_1_5}).empty()); // it is still the nearer one
}

TEST_CASE("instruction cache: another program finds nothing of the one before")
{
    cpu::instruction_cache dut(two_sets);
    dut.load(program_code());
    CHECK(missed(dut, {LINE_0}) == lines{0});
    dut.load({128, {{{{64, 128}}}}});
    CHECK(missed(dut, {0}) == lines{1});
    CHECK(missed(dut, {0}).empty());
}

namespace {

/// What two misses of a program of 300 cycles cost, with its code at `address`.
sim_time fetching(std::uint64_t address)
{
    board b("board", address);
    b.start([&b] {
        b.cost->run(LINE_0, 100);
        b.cost->run(LINE_0, 100);
        b.cost->run(LINES_0_1, 100);
        b.core.fence();
    });
    board::run(1_ms);
    CHECK(b.core.caches().icache.stats().misses == 2);
    CHECK(b.core.caches().icache.stats().hits == 2);
    CHECK(b.core.stats().instructions == 300);
    CHECK(b.core.stats().cycles == 300 + 2 * 3);
    CHECK(b.core.stats().busy == 300_ns + b.core.stats().fetching);
    CHECK(b.core.stats().stalled == sim_time()); // that is the data cache's
    CHECK(b.core.activations() == 1);            // not one kernel switch
    return b.core.stats().fetching;
}

} // namespace

// The core takes 3 cycles of 1 ns beside what the memory takes.
TEST_CASE("instruction cache: a line out of DRAM takes its bytes and the latency")
{
    CHECK(fetching(MAP_DRAM_BASE + 4096) == 2 * (10_ns + 37_ns + 3_ns));
}

TEST_CASE("instruction cache: a line out of SRAM takes its latency")
{
    CHECK(fetching(MAP_SRAM_BASE + 4096) == 2 * (5_ns + 3_ns));
}

TEST_CASE("instruction cache: a line out of the boot flash takes an address and its bytes")
{
    CHECK(fetching(MAP_NOR_CODE_BASE) == 2 * (120_ns + 64 * 20_ns + 3_ns));
}

TEST_CASE("instruction cache: what is behind a miss is 50 ns later, not a picosecond less or more")
{
    board b("board");
    sim_time reached;
    b.start([&] {
        b.cost->run(LINE_0, 100); // 50 ns, then 100 ns
        b.cost->run(LINE_2, 20);  // 50 ns, then 20 ns
        b.core.read32(MAP_IRQ_BASE);
        reached = now();
    });
    board::run(220_ns - 1_ps);
    CHECK(b.core.stats().busy == 220_ns - 1_ps);
    board::run(1_ps); // to the edge: what is due then is next
    CHECK(reached == sim_time());
    board::run(1_ps);
    CHECK(reached == 220_ns);
}

TEST_CASE("instruction cache: cores that want a line of the boot flash take turns")
{
    board b("board", MAP_NOR_CODE_BASE);
    b.start([&] {
        b.cost->run(LINE_0, 0);
        b.core.fence();
    });
    board::run(1_ps);
    unsigned char bytes[64];
    b.other.access(tlm::TLM_READ_COMMAND, MAP_NOR_CODE_BASE, bytes, 64,
                   700_ns); // beside the core's
    CHECK(b.other.last_delay + now() == 2 * 1400_ns);
    board::run(2_us);
    CHECK(b.core.stats().fetching == 1403_ns);
}

TEST_CASE("instruction cache: a core waits for code no longer than it has power")
{
    board b("board", MAP_NOR_CODE_BASE);
    b.start([&] {
        b.cost->run(LINE_0, 0); // 1403 ns
        b.core.fence();
    });
    board::run(1000_ns);
    CHECK(b.core.stats().fetching == 1000_ns);
    b.core.power_off();
    board::run(2_us);
    CHECK(b.core.stats().fetching == 1000_ns);
    CHECK(b.core.stats().busy == 1000_ns);
}

TEST_CASE("boot flash: its areas can be read as memory, and only read")
{
    board b("board");
    b.start([] {});
    b.nor.restore(1, {'c', 'o', 'd', 'e'});
    board::run(1_ps);
    unsigned char bytes[6];
    const auto read = [&](std::uint64_t offset, unsigned length) {
        return b.other.access(tlm::TLM_READ_COMMAND, MAP_NOR_CODE_BASE + offset, bytes, length,
                              0_ns);
    };
    CHECK(read(NOR_AREA_SIZE + 2, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(std::vector<unsigned char>(bytes, bytes + 4) ==
          std::vector<unsigned char>{'d', 'e', 0xFF, 0xFF});
    CHECK(b.other.last_delay == 120_ns + 4 * 20_ns);
    CHECK(read(2 * NOR_AREA_SIZE - 4, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(read(2 * NOR_AREA_SIZE - 4, 6) != tlm::TLM_OK_RESPONSE); // over the end of an area
    CHECK(b.other.write(MAP_NOR_CODE_BASE, 1) != tlm::TLM_OK_RESPONSE);
    CHECK(b.nor.area(1) == std::vector<unsigned char>{'c', 'o', 'd', 'e'});
}

TEST_CASE("instruction cache: power that goes takes its lines, preconditioning needs none")
{
    board b("board");
    b.start([&] {
        b.cost->run(LINE_0, 0);
        b.core.wait_irq();
    });
    board::run(1_us);
    b.core.set_functional(true);
    b.cost->run(LINE_4, 0); // outside of simulated time
    b.core.set_functional(false);
    CHECK(b.core.caches().icache.stats().misses == 1);
    b.core.power_off();
    board::run(1_us);
    b.core.power_on();
    board::run(1_us);
    CHECK(b.core.caches().icache.stats().misses == 2);
}

} // namespace instruction_cache_test
