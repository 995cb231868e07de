// SPDX-License-Identifier: Apache-2.0
//
// The data cache of a core: its sets, and what it makes the core and the DRAM do, in picoseconds.
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <vector>

#include "models/cpu/native_core.h"
#include "models/dram/dram.h"
#include "models/dram/standards.h"
#include "models/interconnect/interconnect.h"
#include "models/irq/irq_controller.h"
#include "models/regs/memory_map.h"
#include "tests/support/register_master.h"

namespace data_cache_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

/// Lines that are touched in turn; which of them were misses, and which lines had to be written.
struct trace {
    std::vector<bool> hits;
    std::vector<std::uint64_t> left;
};

trace touch_all(cpu::data_cache& dut, const std::vector<std::uint64_t>& lines, bool write = false)
{
    trace t;
    for (const std::uint64_t line : lines) {
        std::optional<std::uint64_t> leaving;
        t.hits.push_back(dut.touch(line, write, leaving));
        if (leaving) {
            t.left.push_back(*leaving);
        }
    }
    return t;
}

cpu::cache_geometry four_ways()
{
    return {4096, 4, 64}; // 16 sets
}

struct script : cpu::program {
    std::function<void()> body;
    void run() override { body(); }
};

cpu::core_config core_config()
{
    cpu::core_config c;
    c.clock = rate(1000000000);
    c.instructions_per_call = 0;
    c.dcache = {1024, 4, 64};
    c.dcache_hit_cycles = 3;
    return c;
}

dram::dram_config bandwidth_model()
{
    dram::dram_config c;
    c.capacity = 64 << 20;
    c.bandwidth = rate(6400000000); // 64 bytes in 10 ns
    c.latency = 37_ns;
    return c;
}

dram::dram_config bank_model()
{
    dram::dram_config c = bandwidth_model();
    c.model = dram::dram_model::bank;
    c.standard = dram::dram_standard::ddr4;
    c.transfers = dram::table_of(c.standard).transfers;
    c.bandwidth = rate(c.transfers.per_second() * 4);
    c.banks = dram::table_of(c.standard).banks;
    c.row_size = dram::row_of(c.standard, c.width);
    c.timing = dram::timing_of(c.standard, c.transfers);
    c.controller_latency = 20_ns;
    return c;
}

/// A core before a crossbar and a DRAM.
struct board : sc_core::sc_module {
    fault_log faults;
    cpu::native_core core{"core", core_config(), faults};
    interconnect::interconnect bus;
    irq::irq_controller irq{"irq"};
    test::register_master setup{"setup"};
    dram::dram memory;
    script program;
    board(const sc_core::sc_module_name& name, const dram::dram_config& config)
        : sc_module(name), bus("bus", {"core"}, {{"dram", MAP_DRAM_BASE, config.capacity}}),
          memory("memory", config)
    {
        core.bus.bind(bus.in(0));
        bus.out(0).bind(memory.in);
        core.irq.bind(irq.core);
        setup.out.bind(irq.regs);
        core.load(program);
    }
    void run(std::function<void()> body)
    {
        program.body = std::move(body);
        sc_core::sc_start(sim_time(1000000000000).to_sc()); // 1 s
    }
    void read(std::uint64_t offset, std::uint32_t bytes = 4)
    {
        core.touch(MAP_DRAM_BASE + offset, bytes, false);
    }
    /// What the core has waited for lines, with its time come.
    sim_time stalled()
    {
        due.notify(sc_core::SC_ZERO_TIME);
        core.fence();
        return core.stats().stalled;
    }
    sc_core::sc_event due; // something that the core must not be ahead of
};

} // namespace

TEST_CASE("data cache: as many lines of a set as it has ways stay, one more throws the oldest out")
{
    cpu::data_cache dut(four_ways());
    touch_all(dut, {0, 16, 32, 48}); // all of set 0
    CHECK(touch_all(dut, {0, 16, 32, 48}).hits == std::vector<bool>(4, true));
    CHECK(dut.stats().misses == 4);
    touch_all(dut, {0});  // now 16 is the one used longest ago
    touch_all(dut, {64}); // ways + 1
    CHECK(touch_all(dut, {0, 32, 48, 64}).hits == std::vector<bool>(4, true));
    CHECK_FALSE(touch_all(dut, {16}).hits[0]);
    CHECK(touch_all(dut, {1, 17, 33, 49}).hits == std::vector<bool>(4, false)); // another set
    CHECK(dut.stats().hits == 4 + 1 + 4);
    CHECK(dut.stats().misses == 4 + 1 + 1 + 4);
    CHECK(dut.stats().writebacks == 0);
}

TEST_CASE("data cache: ways + 1 lines in turn never hit, ways lines always do")
{
    cpu::data_cache dut({1024, 8, 32}); // 4 sets
    for (int round = 0; round < 10; ++round) {
        touch_all(dut, {0, 4, 8, 12, 16, 20, 24, 28, 32});
    }
    CHECK(dut.stats().hits == 0);
    CHECK(dut.stats().misses == 90);
    cpu::data_cache one({64, 1, 64}); // a single line
    CHECK(touch_all(one, {7, 7, 8, 7}).hits == std::vector<bool>{false, true, false, false});
}

TEST_CASE("data cache: a line that was written goes back once, when it leaves")
{
    cpu::data_cache dut(four_ways());
    touch_all(dut, {16}, true);
    touch_all(dut, {16}); // read again: dirty all the same
    touch_all(dut, {0, 32, 48});
    CHECK(touch_all(dut, {64}).left == std::vector<std::uint64_t>{16});
    CHECK(touch_all(dut, {80}).left.empty()); // 0 was only read
    CHECK(dut.stats().writebacks == 1);
    touch_all(dut, {64}, true);
    dut.clear(); // power goes
    CHECK(touch_all(dut, {64, 0, 16, 32, 48}).left.empty());
}

TEST_CASE("data cache: random look-ups in a great table cost misses times the DRAM's latency")
{
    board b("board", bandwidth_model());
    constexpr std::uint64_t count = 20000;
    std::uint64_t ns = 0;
    b.run([&] {
        std::mt19937_64 random(1);
        for (std::uint64_t i = 0; i < count; ++i) {
            b.read(random() % (1 << 20) * 4);
        }
        ns = b.core.time_ns();
    });
    const cpu::cache_stats& s = b.core.caches().dcache.stats();
    CHECK(s.hits + s.misses == count);
    CHECK(s.misses > count * 99 / 100); // 1 KiB of 4 MiB
    CHECK(s.writebacks == 0);
    // 64 bytes at 6.4 GB/s, and 37 ns; 3 cycles of each look-up
    CHECK(b.core.stats().stalled == s.misses * 47_ns);
    CHECK(b.core.stats().busy == s.misses * 47_ns + count * 3_ns);
    CHECK(ns == b.core.stats().busy.ns());
    CHECK(b.core.stats().cycles == 3 * count);
    CHECK(b.memory.stats().bytes_read == s.misses * 64);
    CHECK(b.core.activations() == 1); // not one kernel switch for any of them
}

TEST_CASE("data cache: DRAM of banks: a miss takes what the bank takes, row by row")
{
    board b("board", bank_model());
    const dram::timing_figures t = bank_model().timing;
    std::vector<sim_time> took;
    const auto timed = [&](std::uint64_t offset) {
        const sim_time before = b.stalled();
        b.read(offset);
        took.push_back(b.stalled() - before);
    };
    b.run([&] {
        timed(0);    // opens the row
        timed(64);   // another line of it
        timed(0);    // still cached
        timed(8192); // another bank or row: opens it
    });
    REQUIRE(took.size() == 4);
    CHECK(took[1] + t.tRCD == took[0]); // an open row saves tRCD
    CHECK(took[1] > 20_ns + t.tCL);
    CHECK(took[2] == sim_time());
    CHECK(took[3] >= took[0]);
    CHECK(b.core.caches().dcache.stats().misses == 3);
}

TEST_CASE("data cache: nobody waits for a write-back, but the DRAM's bus is taken")
{
    board b("board", bandwidth_model());
    sim_time first;
    sim_time second;
    b.run([&] {
        for (std::uint64_t way = 0; way < 4; ++way) {
            b.core.touch(MAP_DRAM_BASE + way * 256, 8, true);
        }
        first = b.stalled();
        b.read(4 * 256); // the set is full of dirty lines
        second = b.stalled();
    });
    CHECK(first == 4 * 47_ns);
    CHECK(second - first == 47_ns);
    CHECK(b.core.caches().dcache.stats().writebacks == 1);
    CHECK(b.memory.stats().bytes_written == 64);
    CHECK(b.memory.stats().bytes_read == 5 * 64);
    CHECK(b.memory.data()[0] == 0); // a model of time: the bytes stay as they are
}

TEST_CASE("data cache: an entry over the end of a line touches two")
{
    board b("board", bandwidth_model());
    b.run([&] {
        b.read(60, 4);
        b.read(60, 5);
        b.read(128, 128);
    });
    CHECK(b.core.caches().dcache.stats().misses == 4);
    CHECK(b.core.caches().dcache.stats().hits == 1);
}

} // namespace data_cache_test
