// SPDX-License-Identifier: Apache-2.0
//
// The unit as firmware sees it: conversions, comparator, what is counted.
#include <catch2/catch.hpp>
#include <cmath>

#include "models/regs/thermal_regs.h"
#include "models/thermal/thermal.h"
#include "tests/support/memory_archive.h"
#include "tests/support/register_master.h"

namespace thermal_unit_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using thermal::thermal_config;
using thermal::thermal_stats;

namespace {

struct alarm : sc_core::sc_module, irq_line_if {
    int raised = 0;
    sim_time at;
    explicit alarm(const sc_core::sc_module_name& name) : sc_module(name) {}
    void raise(unsigned n) override
    {
        CHECK(n == 38);
        ++raised;
        at = now();
    }
};

/// Draws `watts` in the case, from where it was set on.
struct heater final : thermal::energy_source {
    double watts = 0.0;
    double joules = 0.0;
    sim_time since;
    unsigned exponent = 0;
    void set(double w)
    {
        joules = drawn();
        since = now();
        watts = w;
    }
    [[nodiscard]] double drawn() const
    {
        return joules + watts * static_cast<double>((now() - since).ps()) * 1e-12;
    }
    void read(thermal::heat& to) override { to.chassis = drawn(); }
    void divide_clock(unsigned e) override { exponent = e; }
    std::pair<unsigned, bool> state;
    void power_state(unsigned s, bool asleep) override { state = {s, asleep}; }
};

/// One node of 10 K/W and 1 J/K: a time constant of 10 s.
thermal_config one_node()
{
    thermal_config c;
    c.on = true;
    c.ambient = 25.0;
    c.start = 25.0;
    c.die = {1e12, 1.0};
    c.controller = {1e12, 1.0};
    c.chassis = {10.0, 1.0};
    c.step = 10_ms;
    return c;
}

/// The same, whose controller is as warm as the case.
thermal_config as_one()
{
    thermal_config c = one_node();
    c.controller = {1e-6, 1e-6};
    return c;
}

struct bench : sc_core::sc_module {
    heater source;
    thermal::thermal dut;
    alarm irq{"irq"};
    test::register_master cpu{"cpu"};
    bench(const sc_core::sc_module_name& name, const thermal_config& config)
        : sc_module(name), dut("dut", config, 1, source, 38)
    {
        cpu.out.bind(dut.regs);
        dut.irq.bind(irq);
    }
    static void run(sim_time t) { sc_core::sc_start(t.to_sc()); }
};

} // namespace

TEST_CASE("thermal unit: hundredths of a kelvin, 0 C at 273 K, rounded down", "[thermal]")
{
    CHECK(thermal::centikelvin(0.0) == 27300);
    CHECK(thermal::centikelvin(70.0) == 34300);
    CHECK(thermal::centikelvin(69.996) == 34299);
    CHECK(thermal::centikelvin(-300.0) == 0);
}

TEST_CASE("thermal unit: a look converts when the last conversion is a step old, not before",
          "[thermal]")
{
    bench b("bench", as_one());
    bench::run(1_ns);
    b.source.set(100.0); // 1 K per 10 ms
    bench::run(9999_us);
    CHECK(b.cpu.read(THERMAL_REG_COMPOSITE) == 29800);
    bench::run(1_us);
    CHECK(b.cpu.read(THERMAL_REG_COMPOSITE) >= 29899);
    CHECK(b.cpu.read(THERMAL_REG_CONTROLLER) == b.cpu.read(THERMAL_REG_COMPOSITE));
    CHECK(b.cpu.read(THERMAL_REG_NAND) == 29800); // nothing flows there
    CHECK(b.dut.activations() == 0);
}

TEST_CASE("thermal unit: the comparator speaks as the temperature crosses, and once", "[thermal]")
{
    bench b("bench", as_one());
    bench::run(1_ns);
    b.source.set(5.0); // 50 K more in the end
    bench::run(100_ms);
    (void)b.cpu.read(THERMAL_REG_COMPOSITE); // from here on that power is known
    b.cpu.write(THERMAL_REG_LOW, 0);
    b.cpu.write(THERMAL_REG_HIGH, 30800); // 10 K more: at -10 s ln(1 - 10/50)
    bench::run(5_s);
    CHECK(b.irq.raised == 1);
    const double crossing = -10.0 * std::log(0.8);
    const double at = static_cast<double>(b.irq.at.ps()) * 1e-12;
    CHECK(at >= crossing);
    CHECK(at < crossing + 0.02);      // two steps
    CHECK(b.dut.activations() <= 11); // 10 ms, 20 ms, ... 3 s
    bench::run(60_s);
    CHECK(b.irq.raised == 1);
    CHECK(b.dut.activations() <= 11);
}

TEST_CASE("thermal unit: it wakes up as well when the drive has cooled down", "[thermal]")
{
    bench b("bench", as_one());
    bench::run(1_ns);
    b.source.set(5.0);
    bench::run(100_s);
    (void)b.cpu.read(THERMAL_REG_COMPOSITE);
    b.source.set(0.0);
    bench::run(10_ms);
    CHECK(b.cpu.read(THERMAL_REG_COMPOSITE) > 34700);
    b.cpu.write(THERMAL_REG_LOW, 30300); // 5 K above the air: 10 s ln(10) after the power went
    b.cpu.write(THERMAL_REG_HIGH, 0);
    bench::run(600_s);
    CHECK(b.irq.raised == 1);
    const double at = static_cast<double>(b.irq.at.ps()) * 1e-12 - 100.0;
    CHECK(at == Approx(10.0 * std::log(10.0)).margin(0.05));
    CHECK(b.dut.activations() <= 17); // ten minutes of idle time
}

TEST_CASE("thermal unit: it wakes up where the power falls after the last look", "[thermal]")
{
    bench b("bench", as_one());
    bench::run(1_ns);
    b.source.set(5.0);
    bench::run(100_s);
    (void)b.cpu.read(THERMAL_REG_COMPOSITE); // 75 C, and with that power it would stay there
    b.cpu.write(THERMAL_REG_LOW, 30300);
    b.cpu.write(THERMAL_REG_HIGH, 0);
    bench::run(15_ms);
    b.source.set(0.0);
    bench::run(600_s);
    CHECK(b.irq.raised == 1);
    const double cooled = static_cast<double>(b.irq.at.ps()) * 1e-12 - 100.0;
    CHECK(cooled == Approx(10.0 * std::log(10.0)).margin(0.05));
}

TEST_CASE("thermal unit: it wakes up where the power rises while it waits", "[thermal]")
{
    bench b("bench", as_one());
    bench::run(100_ms);
    (void)b.cpu.read(THERMAL_REG_COMPOSITE);
    b.cpu.write(THERMAL_REG_HIGH, 30800); // 10 K more
    bench::run(1_s);
    b.source.set(5.0);
    bench::run(600_s);
    CHECK(b.irq.raised == 1);
    const double after = static_cast<double>(b.irq.at.ps()) * 1e-12 - 1.1;
    CHECK(after >= -10.0 * std::log(0.8));
    CHECK(after < 4.0); // within twice the time since it began to wait
}

TEST_CASE("thermal unit: what raised the interrupt is read, though it is warm again", "[thermal]")
{
    bench b("bench", as_one());
    bench::run(1_ns);
    b.source.set(5.0);
    bench::run(100_s);
    (void)b.cpu.read(THERMAL_REG_COMPOSITE);
    b.source.set(0.0);
    b.cpu.write(THERMAL_REG_LOW, 30300);
    b.cpu.write(THERMAL_REG_HIGH, 0);
    while (b.irq.raised == 0) {
        bench::run(10_ms);
    }
    b.source.set(50.0);
    bench::run(1_s);
    CHECK(b.cpu.read(THERMAL_REG_COMPOSITE) < 30300);
    CHECK(b.cpu.read(THERMAL_REG_COMPOSITE) > 30300); // the next look converts
}

TEST_CASE("thermal unit: a range that is not left costs a few looks, then none", "[thermal]")
{
    bench b("bench", as_one());
    bench::run(100_ms);
    b.source.set(1.0);
    bench::run(10_ms);
    (void)b.cpu.read(THERMAL_REG_COMPOSITE);
    b.cpu.write(THERMAL_REG_HIGH, 31000); // it settles at 35 C
    bench::run(600_s);
    CHECK(b.irq.raised == 0);
    CHECK(b.dut.activations() <= 17); // 10 ms, 20 ms, ... 600 s
}

TEST_CASE("thermal unit: who watches changes nothing", "[thermal]")
{
    bench watched("watched", as_one());
    bench alone("alone", as_one());
    bench::run(1_ns);
    for (bench* b : {&watched, &alone}) {
        b->source.set(2.0);
    }
    for (int i = 0; i < 50; ++i) {
        bench::run(7_ms);
        (void)watched.dut.stats();
    }
    const thermal_stats a = watched.dut.stats();
    const thermal_stats b = alone.dut.stats();
    CHECK(a.composite == b.composite);
    CHECK(a.given_off == b.given_off);
    CHECK(a.stored + a.given_off == Approx(a.taken).epsilon(1e-9));
}

TEST_CASE("thermal unit: levels have times and entries, and a loss of power ends them", "[thermal]")
{
    bench b("bench", one_node());
    bench::run(1_ms);
    b.cpu.write(THERMAL_REG_LEVEL, 1);
    bench::run(2_ms);
    b.cpu.write(THERMAL_REG_LEVEL, 2);
    b.cpu.write(THERMAL_REG_DIVIDER, 3);
    CHECK(b.source.exponent == 3);
    bench::run(3_ms);
    b.cpu.write(THERMAL_REG_LEVEL, 1); // back is no entry
    bench::run(1_ms);
    b.dut.power_off();
    CHECK(b.source.exponent == 0);
    bench::run(1_ms);
    const thermal_stats s = b.dut.stats();
    CHECK(s.time[1] == 3_ms);
    CHECK(s.time[2] == 3_ms);
    CHECK(s.entries[1] == 1);
    CHECK(s.entries[2] == 1);
    CHECK(s.level == 0);
}

TEST_CASE("thermal unit: energy in microjoules, which wrap, and the state for its account",
          "[thermal]")
{
    bench b("bench", one_node());
    b.source.joules = 5000.0; // 2^32 uJ are 4294.967296 J
    CHECK(b.cpu.read(THERMAL_REG_ENERGY) == 705032704);
    b.cpu.write(THERMAL_REG_POWER, 3 | THERMAL_POWER_ASLEEP);
    CHECK(b.source.state == std::pair(3u, true));
    b.dut.power_off();
    CHECK(b.source.state == std::pair(0u, false));
    CHECK(b.cpu.read(THERMAL_REG_POWER) == 0);
}

TEST_CASE("thermal unit: a drive that was kept goes on as if nothing had been", "[thermal]")
{
    bench saved("saved", as_one());
    bench loaded("loaded", as_one()); // whose source has counted nothing
    test::memory_archive file;
    bench::run(1_ns);
    saved.source.set(5.0);
    bench::run(100_ms);
    (void)saved.cpu.read(THERMAL_REG_COMPOSITE);
    saved.cpu.write(THERMAL_REG_HIGH, 30800);
    saved.cpu.write(THERMAL_REG_LEVEL, 2);
    saved.cpu.write(THERMAL_REG_DIVIDER, 3);
    saved.cpu.write(THERMAL_REG_POWER, 1);
    bench::run(3_ms); // in the middle of a step
    saved.dut.keep(file);
    file.rewind();
    loaded.source.set(5.0);
    loaded.dut.keep(file);
    CHECK(file.at_end());
    CHECK(loaded.source.exponent == 3);
    CHECK(loaded.source.state == std::pair(1u, false));
    for (const std::uint32_t reg : {THERMAL_REG_ENERGY, THERMAL_REG_POWER, THERMAL_REG_LEVEL,
                                    THERMAL_REG_DIVIDER, THERMAL_REG_HIGH, THERMAL_REG_COMPOSITE}) {
        CHECK(loaded.cpu.read(reg) == saved.cpu.read(reg));
    }
    bench::run(5_s);
    CHECK(loaded.irq.raised == 1);
    CHECK(loaded.irq.at == saved.irq.at);
    CHECK(loaded.cpu.read(THERMAL_REG_COMPOSITE) == saved.cpu.read(THERMAL_REG_COMPOSITE));
    CHECK(loaded.dut.stats().composite == Approx(saved.dut.stats().composite).epsilon(1e-12));
}

TEST_CASE("thermal unit: cells age by the law of their temperature", "[thermal]")
{
    bench b("bench", one_node());
    b.dut.ages_by([](double celsius) { return celsius > 24.9 ? 3.0 : 1.0; });
    bench::run(1_s);
    CHECK(b.dut.aged(0).ps() == Approx(3e12));
    bench::run(5_ms);
    CHECK(b.dut.aged(0).ps() == Approx(3e12)); // no conversion yet
    bench::run(5_ms);
    CHECK(b.dut.aged(0).ps() == Approx(3.03e12));
}

} // namespace thermal_unit_test
