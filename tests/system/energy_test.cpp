// SPDX-License-Identifier: Apache-2.0
//
// Energy of a whole drive: operations times current, voltage and time; and which way each figure
// moves it.
#include <catch2/catch.hpp>

#include "models/dram/energy.h"
#include "platform/config/config.h"
#include "platform/report/energy.h"
#include "tests/support/direction.h"

namespace energy_test {

using namespace ssdvp;

namespace {

const std::vector<std::string> currents = {"nand.voltage=3V",           "nand.current.read=10mA",
                                           "nand.current.program=20mA", "nand.current.erase=30mA",
                                           "nand.current.bus=5mA",      "nand.current.idle=50uA"};

std::vector<std::string> with_currents(std::vector<std::string> sets)
{
    sets.insert(sets.end(), currents.begin(), currents.end());
    return sets;
}

double total(const test::platform_run& r)
{
    return platform::joules(platform::energy_of(r.result.measured).sum());
}
/// Joules of the arrays at one use, over those of so many operations on one plane of `seconds`.
double array_ratio(const test::platform_run& r, std::size_t use, std::uint64_t operations,
                   double seconds)
{
    const auto& f = r.result.measured.energy;
    const double watts = f.array_ua[use] * 1e-6 * f.voltage_mv * 1e-3;
    return platform::joules(platform::energy_of(r.result.measured).array[use]) /
           (static_cast<double>(operations) * watts * seconds);
}

} // namespace

TEST_CASE("tiny: each read, program and erase takes its current for its time")
{
    // One request at a time, and each is on the flash when it completes.
    const std::vector<std::string> files = {"device/tiny", "workload/random-write"};
    const std::vector<std::string> common =
        with_currents({"workload.0.block_size=4KiB", "workload.0.queue_depth=1",
                       "workload.0.fua=true", "workload.0.read_fraction=0.5", "precondition.fill=1",
                       "precondition.overwrite=2", "run.requests=2000", "cache.policy=none"});
    CHECK(test::measure_apart(files, common, [](const test::platform_run& r) {
              return array_ratio(r, 0, r.measured().flash.reads, 25e-6);
          }) == Approx(1.0).epsilon(1e-3));
    CHECK(test::measure_apart(files, common, [](const test::platform_run& r) {
              return array_ratio(r, 1, r.measured().flash.programs, 200e-6);
          }) == Approx(1.0).epsilon(1e-3));
    CHECK(test::measure_apart(files, common, [](const test::platform_run& r) {
              CHECK(r.measured().flash.erases > 100);
              return array_ratio(r, 2, r.measured().flash.erases, 700e-6);
          }) == Approx(1.0).epsilon(1e-2));
    CHECK(test::measure_apart(files, common, [](const test::platform_run& r) {
              const auto& c = r.measured();
              const double bus = static_cast<double>(c.channels[0].busy.ps()) * 1e-12;
              const double idle =
                  static_cast<double>((c.when - c.channels[0].luns[0].busy).ps()) * 1e-12;
              const auto e = platform::energy_of(r.result.measured);
              return platform::joules(e.bus + e.nand_idle) / (3.0 * (5e-3 * bus + 50e-6 * idle));
          }) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("multi-plane: a page of two planes costs half of 1 + extra_plane")
{
    const auto ratio = [](const char* share) {
        return test::measure_apart(
            {"device/small", "workload/sequential-write"},
            with_currents({"run.requests=1000", "ftl.checkpoint_interval=1GiB",
                           std::string("nand.current.extra_plane=") + share}),
            [](const test::platform_run& r) {
                return array_ratio(r, 1, r.measured().flash.programs, 700e-6);
            });
    };
    CHECK(ratio("0") == Approx(0.5).epsilon(0.01));
    CHECK(ratio("0.4") == Approx(0.7).epsilon(0.01));
    CHECK(ratio("1") == Approx(1.0).epsilon(0.01));
}

TEST_CASE("suspend: an erase takes the time of its pulses, not that in which it is suspended")
{
    const std::vector<std::string> files = {"device/small", "workload/zipf-70-30",
                                            "policy/erase-suspend-immediate"};
    const double excess = test::measure_apart(
        files,
        with_currents({"precondition.fill=1", "precondition.overwrite=0.5", "run.requests=20000",
                       "nand.current.extra_plane=0", "flash.erase.suspend_overhead=100us",
                       "flash.erase.resume_overhead=50us"}),
        [](const test::platform_run& r) {
            const auto& m = r.measured();
            REQUIRE(*m.flash.suspends > 100);
            // Two planes of a LUN are erased together; each suspend recovers, each resume ramps.
            const double seconds = static_cast<double>(m.flash.erases) / 2 * 5e-3 +
                                   static_cast<double>(*m.flash.suspends) * 100e-6 +
                                   static_cast<double>(*m.flash.resumes) * 50e-6;
            return array_ratio(r, 2, 1, seconds);
        });
    CHECK(excess == Approx(1.0).epsilon(0.03)); // an erase under way at either end
}

TEST_CASE("the DRAM takes what its model says of the measured part")
{
    for (const char* model : {"dram.model=bandwidth", "dram.model=bank"}) {
        const std::vector<std::string> files = {"device/small", "workload/zipf-70-30"};
        const std::vector<std::string> common =
            with_currents({"precondition.fill=1", "run.requests=5000", "run.warmup=1000", model});
        CHECK(test::measure_apart(files, common, [](const test::platform_run& r) {
                  const auto& m = r.measured();
                  const auto e = dram::energy_of(r.sim->drive().config().dram, *m.dram, m.when);
                  CHECK(e.activate > 0.0);
                  CHECK(e.background > 0.0);
                  return platform::joules(platform::energy_of(r.result.measured).memory()) /
                         e.total();
              }) == Approx(1.0).epsilon(1e-6));
    }
}

TEST_CASE("each figure of energy moves the total the right way")
{
    const std::vector<std::string> files = {"device/small", "workload/zipf-70-30"};
    const std::vector<std::string> common = {"precondition.fill=1", "precondition.overwrite=0.5",
                                             "run.requests=10000"};
    const auto moves = [&](const char* key, const char* less, const char* more,
                           const std::vector<const char*>& also) {
        test::check_direction({key, less, more, total, also}, files, common);
    };
    moves("nand.voltage", "1.8V", "3.3V", {"nand.current.read=10mA"});
    moves("nand.current.read", "0mA", "10mA", {});
    moves("nand.current.program", "10mA", "20mA", {});
    moves("nand.current.erase", "10mA", "20mA", {});
    moves("nand.current.extra_plane", "0.2", "0.8", {"nand.current.program=10mA"});
    moves("nand.current.bus", "5mA", "6mA", {});
    moves("nand.current.idle", "10uA", "20uA", {});
    moves("energy.link.active", "50mW", "80mW", {});
    moves("energy.link.idle", "10mW", "20mW", {});
    moves("energy.core.active", "100mW", "150mW", {});
    moves("energy.core.idle", "10mW", "20mW", {});
    moves("nand.current.io", "0mA", "90mA", {});
    moves("nand.io_voltage", "1.2V", "1.8V", {"nand.current.io=90mA"});
    moves("energy.channel.active", "0mW", "60mW", {});
    moves("energy.channel.idle", "0mW", "20mW", {});
    moves("energy.ecc.active", "0mW", "30mW", {});
    moves("energy.ecc.idle", "0mW", "5mW", {});
    moves("energy.dram_phy.active", "0mW", "200mW", {});
    moves("energy.dram_phy.idle", "0mW", "50mW", {});
    moves("energy.link.generation", "5", "4", {"energy.link.idle=20mW"});
}

TEST_CASE("energy follows the work: a faster link costs what it carries, and more while it idles")
{
    test::check_direction({"host.pcie.generation",
                           "4",
                           "5",
                           total,
                           {"energy.link.idle=20mW", "energy.link.generation=4"}},
                          {"device/small", "workload/random-read"},
                          {"precondition.fill=0.5", "run.requests=2000"});
}

TEST_CASE("energy follows the work: as many dies on more channels idle on more PHYs")
{
    const auto drawn = [](const char* channels, const char* luns) {
        return test::measure_apart(
            {"device/small", "workload/random-read"},
            {"precondition.fill=0.5", "run.requests=500", std::string("flash.channels=") + channels,
             std::string("flash.luns_per_channel=") + luns, "energy.channel.idle=20mW",
             "energy.ecc.idle=5mW"},
            [](const test::platform_run& r) {
                return total(r) * 1e12 / static_cast<double>(r.measured().when.ps());
            });
    };
    CHECK(drawn("4", "2") - drawn("2", "4") == Approx(2 * 25e-3).margin(5e-3)); // watts
}

TEST_CASE("energy follows the work: a wider link idles on more lanes")
{
    test::check_direction({"host.pcie.lanes", "2", "8", total, {"energy.link.idle=20mW"}},
                          {"device/small", "workload/random-read"},
                          {"precondition.fill=0.5", "run.requests=2000"});
}

} // namespace energy_test
