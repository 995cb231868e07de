// SPDX-License-Identifier: Apache-2.0
//
// Energy by hand: DDR3 of 32 bits is 4 parts at 1.5 V, so a mA of each is 6 mW.
#include <catch2/catch.hpp>

#include "models/dram/energy.h"
#include "tests/models/dram_support.h"

namespace dram_energy_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::dram;

namespace {

dram_energy of(const dram_config& c, const dram_stats& s, sim_time elapsed = sim_time())
{
    return energy_of(c, s, elapsed);
}

} // namespace

TEST_CASE("dram energy: each command has its own")
{
    const dram_config c = dram::test::standard_config(dram_standard::ddr3);
    dram_stats s;
    CHECK(of(c, s).total() == 0.0);
    s.activates = 1000;
    // 55 mA for tRC 48.75 ns, less 38 mA for tRAS 35 ns and 32 mA for the rest.
    const double activate = 6e-12 * (55 * 48.75 - 38 * 35.0 - 32 * 13.75);
    CHECK(of(c, s).activate == Approx(1000 * activate));
    CHECK(of(c, s).total() == Approx(of(c, s).activate));
    s = dram_stats();
    s.bursts_read = 1000; // 157 - 38 mA for 5 ns
    CHECK(of(c, s).read == Approx(1000 * 6e-12 * 119 * 5));
    CHECK(of(c, s).total() == Approx(of(c, s).read));
    s = dram_stats();
    s.bursts_written = 1000; // 125 - 38 mA
    CHECK(of(c, s).write == Approx(1000 * 6e-12 * 87 * 5));
    s = dram_stats();
    s.refreshes = 1000; // 235 - 32 mA for 260 ns
    CHECK(of(c, s).refresh == Approx(1000 * 6e-12 * 203 * 260));
    s = dram_stats();
    s.open = 250_ms;
    CHECK(of(c, s, 1_s).background == Approx(6e-3 * (38 * 0.25 + 32 * 0.75)));
    s.open = 2_s; // no more than all of the time
    CHECK(of(c, s, 1_s).background == Approx(6e-3 * 38));
}

TEST_CASE("dram energy: every supply counts, and every part")
{
    dram_config c = dram::test::standard_config(dram_standard::ddr4);
    dram_stats s;
    // Four parts: 34 mA from 1.2 V and 3 mA from 2.5 V.
    const double standby = 4 * (1.2 * 34e-3 + 2.5 * 3e-3);
    CHECK(of(c, s, 1_s).background == Approx(standby));
    c.width = 64;
    CHECK(of(c, s, 1_s).background == Approx(2 * standby));
    // A burst was measured at 2400 MT/s: 8 transfers in 3.334 ns, at any rate of ours.
    s.bursts_read = 1000;
    CHECK(of(c, s).read == Approx(8 * 1000 * 1.2 * (135 - 43) * 1e-3 * 3.334e-9));
}

TEST_CASE("dram energy: the model bandwidth counts an activation per access")
{
    dram_config c = dram::test::standard_config(dram_standard::ddr3);
    dram_stats s;
    s.accesses = 10;
    s.bytes_read = 32000;
    s.bytes_written = 64000;
    s.busy = 5_us;
    dram_config bank = c;
    c.model = dram_model::bandwidth;
    dram_stats same;
    same.activates = 10;
    same.bursts_read = 1000;
    same.bursts_written = 2000;
    same.refreshes = 100;
    same.open = 5_us;
    const dram_energy a = of(c, s, 780_us);
    const dram_energy b = of(bank, same, 780_us);
    CHECK(a.activate == Approx(b.activate));
    CHECK(a.read == Approx(b.read));
    CHECK(a.write == Approx(b.write));
    CHECK(a.refresh == Approx(b.refresh));
    CHECK(a.background == Approx(b.background));
    CHECK(a.total() == Approx(a.activate + a.read + a.write + a.refresh + a.background));
}

TEST_CASE("dram energy: all figures are positive, for each standard and command")
{
    for (const dram_standard standard : dram::test::all_standards) {
        const dram_config c = dram::test::standard_config(standard);
        dram_stats s;
        s.activates = s.bursts_read = s.bursts_written = s.refreshes = 1;
        const dram_energy e = of(c, s, 1_us);
        INFO(table_of(standard).name);
        // pJ per bit of a page: 5 to 60, from core, activation and refresh.
        CHECK(e.activate > 0.1e-9);
        CHECK(e.read > 0.1e-9);
        CHECK(e.write > 0.1e-9);
        CHECK(e.refresh > e.activate);
        CHECK(e.read < 20e-9);
    }
}

} // namespace dram_energy_test
