// SPDX-License-Identifier: Apache-2.0
//
// The table of data interface modes against ONFI's Timing Modes, written out once more.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "models/flash/bus/constraints.h"
#include "models/flash/bus/cycle_timing.h"

namespace flash_onfi_modes_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

const interface_mode& mode(data_interface i, unsigned number)
{
    for (const interface_mode& m : interface_modes) {
        if (m.interface == i && m.number == number) {
            return m;
        }
    }
    FAIL("no such mode");
    return interface_modes[0];
}

using di = data_interface;

} // namespace

TEST_CASE("table 8.1: cycles of the modes of each interface, ps")
{
    struct row {
        di interface;
        std::vector<std::uint64_t> tCK;
    };
    const std::vector<std::uint64_t> ddr2 = {30000, 25000, 15000, 12000, 10000,
                                             7500,  6000,  5000,  3750};
    std::vector<std::uint64_t> ddr3 = ddr2;
    ddr3.insert(ddr3.end(), {3000, 2500});
    for (const row& r : {row{di::nv_ddr, {50000, 30000, 20000, 15000, 12000, 10000}},
                         row{di::nv_ddr2, ddr2}, row{di::nv_ddr3, ddr3}}) {
        for (std::size_t n = 0; n < r.tCK.size(); ++n) {
            CHECK(mode(r.interface, static_cast<unsigned>(n)).times.tCK.ps() == r.tCK[n]);
        }
    }
}

TEST_CASE("table 8.1: rates of each interface, slowest and fastest, and what it usually runs at")
{
    constexpr std::uint64_t mega = 1000 * 1000;
    const auto is = [](di i, std::uint64_t min, std::uint64_t max, std::uint64_t usual) {
        const interface_rates r = rates_of(i);
        CHECK(r.min == min * mega);
        CHECK(r.max == max * mega);
        CHECK(r.usual == usual * mega);
    };
    is(di::sdr0, 10, 10, 10);
    is(di::sdr4, 40, 40, 40);
    is(di::nv_ddr, 40, 200, 200);
    is(di::nv_ddr2, 66, 534, 533);
    is(di::nv_ddr3, 66, 2400, 667);
    is(di::nv_lpddr4, 66, 3600, 2400);
    for (std::size_t i = 1; i < interface_modes.size(); ++i) { // slowest first
        if (interface_modes[i].interface == interface_modes[i - 1].interface) {
            CHECK(interface_modes[i].mega_transfers > interface_modes[i - 1].mega_transfers);
            CHECK(interface_modes[i].number == interface_modes[i - 1].number + 1);
        }
    }
}

TEST_CASE("table 8.1: the cycle of a mode and its rate are the same to 2 %")
{
    for (const interface_mode& m : interface_modes) {
        const cycle_timing t({m.interface, rate(m.mega_transfers * 1000 * 1000)});
        const std::uint64_t ps =
            family_of(m.interface) == bus_family::sdr ? 2 * m.times.tRC.ps() : t.tCK().ps();
        INFO(m.mega_transfers << " MT/s");
        CHECK(2000000.0 / static_cast<double>(ps) ==
              Approx(static_cast<double>(m.mega_transfers)).epsilon(0.02));
    }
}

TEST_CASE("table 8.3: constants of each mode, ns")
{
    struct row {
        di interface;
        unsigned number;
        std::vector<std::uint64_t> ns; // tWB tADL tWHR tRHW tRR tCCS tFEAT tWC
    };
    for (const row& r : {row{di::sdr0, 0, {200, 400, 120, 200, 40, 500, 1000, 100}},
                         row{di::sdr1, 1, {100, 400, 80, 100, 20, 500, 1000, 45}},
                         row{di::sdr2, 2, {100, 400, 80, 100, 20, 500, 1000, 35}},
                         row{di::sdr3, 3, {100, 400, 80, 100, 20, 500, 1000, 30}},
                         row{di::sdr4, 4, {100, 400, 80, 100, 20, 500, 1000, 25}},
                         row{di::sdr5, 5, {100, 400, 80, 100, 20, 500, 1000, 20}},
                         row{di::nv_ddr, 0, {100, 400, 80, 100, 20, 500, 1000, 45}},
                         row{di::nv_ddr, 5, {100, 400, 80, 100, 20, 500, 1000, 45}},
                         row{di::nv_ddr2, 8, {100, 70, 80, 100, 20, 300, 1000, 25}},
                         row{di::nv_ddr3, 15, {100, 70, 80, 100, 20, 300, 1000, 25}},
                         row{di::nv_lpddr4, 19, {100, 70, 80, 100, 20, 300, 1000, 25}}}) {
        const cycle_times& t = mode(r.interface, r.number).times;
        const std::vector<std::uint64_t> ns = {t.tWB.ns(), t.tADL.ns(), t.tWHR.ns(),  t.tRHW.ns(),
                                               t.tRR.ns(), t.tCCS.ns(), t.tFEAT.ns(), t.tWC.ns()};
        CHECK(ns == r.ns);
    }
}

TEST_CASE("a rule asks for the constant that it is named after")
{
    constraint_values v; // each constant another value
    v.bus = {1_ns, 2_ns, 4_ns, 8_ns, 16_ns, 32_ns, 64_ns, 128_ns, 256_ns, 512_ns, 1024_ns};
    v.tRST = 2048_ns;
    const std::map<std::string, sim_time> expected = {
        {"tWC", 1_ns},     {"tCAD", 1_ns},    {"tRC", 2_ns},     {"tCK", 4_ns},
        {"tWB", 8_ns},     {"tRR", 16_ns},    {"tADL", 32_ns},   {"tWHR", 64_ns},
        {"tRHW", 128_ns},  {"tCCS", 256_ns},  {"tDBSY", 520_ns}, {"tFEAT", 1032_ns},
        {"tRST", 2056_ns}, {"overlap", 0_ns}, {"R/B#", 0_ns},    {"RDY", 0_ns}};
    std::map<std::string, sim_time> found;
    for (const constraint& c : constraints()) {
        INFO(c.name);
        REQUIRE(expected.count(c.name) == 1);
        CHECK(c.value(v) == expected.at(c.name));
        found[c.name] = c.value(v);
    }
    CHECK(found.size() == expected.size());
}

TEST_CASE("NV-LPDDR4 at 3600 MT/s: a page of 18,592 bytes in 5.16 us")
{
    const cycle_timing t({di::nv_lpddr4, rate(3600ull * 1000 * 1000)});
    CHECK(t.data(18592, false) == sim_time(5164445)); // 18592 / 3.6e9 s, rounded up
}

} // namespace flash_onfi_modes_test
