// SPDX-License-Identifier: Apache-2.0
//
// Whole drives whose firmware is timed by its own instructions.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace timing_test {

using namespace ssdvp;
using test::iops;
using test::mean_read;

namespace {

const std::vector<std::string> files = {"device/small", "workload/random-read"};
constexpr double reads = 3000;

std::vector<std::string> common(const std::vector<std::string>& more = {})
{
    std::vector<std::string> sets = {"precondition.fill=1", "run.requests=3000",
                                     "workload.0.queue_depth=1"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

double instructions(const test::platform_run& r)
{
    return static_cast<double>(r.measured().cpu.at(0).instructions);
}

} // namespace

TEST_CASE("timing: the summary names level and core")
{
    const auto r = test::run(files, common({"cpu.core=rv64"}));
    const platform::core_statistics& core = r.measured().cpu.at(0);
    CHECK(core.timing == SSDVP_LEVEL);
    CHECK(core.core == "rv64");
    CHECK(core.cycles > core.instructions); // one at a time, and loads take longer
}

TEST_CASE("timing: a read costs the instructions of its path, the same in every run")
{
    const auto sets = common({"cpu.core=cortex-r82"});
    const double n = test::measure_apart(files, sets, instructions);
    CHECK(n > 1000 * reads);
    CHECK(n < 20000 * reads);
    CHECK(test::measure_apart(files, sets, instructions) == n);
}

TEST_CASE("timing: a lone read takes the same cycles at any clock")
{
    const auto cycles = [](const test::platform_run& r) {
        return static_cast<double>(r.measured().cpu.at(0).cycles);
    };
    const double slow =
        test::measure_apart(files, common({"cpu.core=cortex-r82", "cpu.clock=500MHz"}), cycles);
    const double fast =
        test::measure_apart(files, common({"cpu.core=cortex-r82", "cpu.clock=2GHz"}), cycles);
    CHECK(fast == Approx(slow).margin(1)); // less than a cycle is carried into the measured part
}

TEST_CASE("timing: one core is what a deep queue waits for")
{
    const std::vector<std::string> deep = {"cpu.core=cortex-r82", "precondition.fill=1",
                                           "run.requests=6000", "workload.0.queue_depth=32",
                                           "cpu.clock=50MHz"};
    const auto busy = [](const test::platform_run& r) {
        return static_cast<double>(r.measured().cpu.at(0).busy.ps()) /
               static_cast<double>(r.measured().when.ps());
    };
    CHECK(test::measure_apart(files, deep, busy) > 0.99);
    auto faster = deep;
    faster.emplace_back("cpu.timing.issue_width=3");
    CHECK(test::measure_apart(files, faster, iops) > test::measure_apart(files, deep, iops));
}

TEST_CASE("timing: options of a core move reads the right way")
{
    const std::vector<test::direction> table = {
        {"cpu.core", "cortex-r82", "rv32", mean_read, {}},
        {"cpu.timing.issue_width", "3", "1", mean_read, {}},
        {"cpu.timing.alu", "1", "3", mean_read, {}},
        {"cpu.timing.multiply", "1", "30", mean_read, {}},
        {"cpu.timing.load", "1", "9", mean_read, {}},
        {"cpu.timing.store", "1", "9", mean_read, {}},
        {"cpu.timing.branch", "1", "5", mean_read, {}},
        {"cpu.timing.call", "1", "9", mean_read, {}},
        {"cpu.timing.taken", "0", "9", mean_read, {}},
    };
    for (const test::direction& d : table) {
        const bool names_core = std::string(d.option) == "cpu.core";
        test::check_direction(d, files,
                              common(names_core ? std::vector<std::string>{}
                                                : std::vector<std::string>{"cpu.core=cortex-r82"}));
    }
}

// A read divides nowhere; the places of blocks whose pages are no power of two do.
TEST_CASE("timing: divisions cost what is said")
{
    const std::vector<std::string> writes = {"device/small", "workload/random-write"};
    const auto cycles = [](const test::platform_run& r) {
        return static_cast<double>(r.measured().cpu.at(0).cycles) /
               static_cast<double>(r.measured().cpu.at(0).instructions);
    };
    auto sets = common({"nand.pages_per_block=60", "cpu.core=cortex-r82", "cpu.timing.divide=1"});
    const double quick = test::measure_apart(writes, sets, cycles);
    sets.back() = "cpu.timing.divide=500";
    CHECK(test::measure_apart(writes, sets, cycles) > quick);
}

} // namespace timing_test
