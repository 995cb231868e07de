// SPDX-License-Identifier: Apache-2.0
//
// Instruction caches in whole drives: what they cost, and which way each of their options moves it.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace fetch_test {

using namespace ssdvp;
using ssdvp::test::platform_run;

namespace {

using texts = std::vector<std::string>;

const texts reading = {"device/small", "workload/random-read"};
const texts usual = {"cpu.core=cortex-r82", "run.requests=3000", "precondition.fill=1",
                     "workload.0.queue_depth=1"};

texts with(const texts& more)
{
    texts sets = usual;
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

double misses(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].icache->lines.misses);
}
double lines(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].icache->lines.hits) + misses(r);
}
double stalled(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].icache->stalled.ps());
}
double busy(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].busy.ps());
}
double instructions(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].instructions);
}
double mean_read(const platform_run& r)
{
    return r.reads().latency.mean();
}
double activations(const platform_run& r)
{
    return static_cast<double>(r.measured().kernel_activations);
}

} // namespace

TEST_CASE("fetch: each option of the instruction cache moves the result")
{
    const test::direction table[] = {
        {"cpu.icache.size", "0B", "64KiB", mean_read, {}},
        {"cpu.icache.size", "32KiB", "2KiB", misses, {}},
        {"cpu.icache.size", "32KiB", "2KiB", mean_read, {}},
        {"cpu.icache.ways", "4", "1", misses, {"cpu.icache.size=64KiB"}},
        // Much too small: a long line brings what runs next. In a cache that is nearly large
        // enough it is where the functions lie that decides.
        {"cpu.icache.line", "64B", "16B", misses, {"cpu.icache.size=4KiB"}},
        {"cpu.icache.memory", "sram", "dram", mean_read, {"cpu.icache.size=2KiB"}},
        {"cpu.icache.memory", "dram", "nor", mean_read, {"cpu.icache.size=2KiB"}},
        {"cpu.icache.miss_cycles", "0", "100", mean_read, {"cpu.icache.size=2KiB"}},
        {"dram.latency", "20ns", "400ns", busy, {"cpu.icache.size=2KiB"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, reading, usual);
    }
}

// One read at a time: nothing of the core's stalls hides, and the DRAM has nobody else's data.
TEST_CASE("fetch: a miss costs the memory's latency once, and its own cycles")
{
    const texts cache = {"cpu.icache.size=4KiB", "cpu.clock=1GHz"};
    const auto measured = [&](const texts& more, test::measure_fn what) {
        texts sets = with(cache);
        sets.insert(sets.end(), more.begin(), more.end());
        return test::measure_apart(reading, sets, what);
    };
    const double count = measured({"dram.latency=200ns"}, misses);
    CHECK(count > 3000);
    CHECK(measured({"dram.latency=400ns"}, misses) == Approx(count).epsilon(0.01));
    CHECK(measured({"dram.latency=400ns"}, stalled) - measured({"dram.latency=200ns"}, stalled) ==
          Approx(200e3 * count).epsilon(0.02));
    const texts fast = {"cpu.icache.memory=sram", "cpu.icache.miss_cycles=0"};
    const texts slow = {"cpu.icache.memory=sram", "cpu.icache.miss_cycles=20"};
    CHECK(measured(fast, stalled) == Approx(5e3 * measured(fast, misses)).epsilon(1e-9));
    CHECK(measured(slow, stalled) == Approx(25e3 * measured(slow, misses)).epsilon(1e-9));
    CHECK(measured(slow, busy) - measured(fast, busy) ==
          Approx(20e3 * measured(slow, misses)).epsilon(0.02));
}

TEST_CASE(
    "fetch: instructions are those of a core without the cache, and the kernel has no more to do")
{
    const texts cached = with({"cpu.icache.size=1MiB", "cpu.icache.memory=sram"});
    CHECK(test::measure_apart(reading, cached, instructions) ==
          Approx(test::measure_apart(reading, usual, instructions)).epsilon(0.002));
    CHECK(test::measure_apart(reading, cached, activations) ==
          Approx(test::measure_apart(reading, usual, activations)).epsilon(0.01));
    CHECK(test::measure_apart(reading, cached, misses) <
          1e-3 * // all code is in
              test::measure_apart(reading, cached, lines));
}

TEST_CASE("fetch: each of several cores has a cache of its own, also behind a loss of power")
{
    const texts sets = {
        "cpu.core=cortex-r82",  "run.requests=6000",    "precondition.fill=1",      "cpu.cores=2",
        "cpu.icache.size=2KiB", "power.cut.every=1000", "workload.0.flush_every=16"};
    const auto both = [](const platform_run& r) {
        CHECK(r.measured().cpu.size() == 2);
        return std::min(static_cast<double>(r.measured().cpu[0].icache->lines.misses),
                        static_cast<double>(r.measured().cpu[1].icache->lines.misses));
    };
    CHECK(test::measure_apart({"device/small", "workload/mixed"}, sets, both) > 1000);
}

} // namespace fetch_test
