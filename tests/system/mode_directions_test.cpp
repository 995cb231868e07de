// SPDX-License-Identifier: Apache-2.0
//
// Program modes in a whole drive: what the shallow program gains and costs, and word lines that are
// programmed in one pass.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace mode_directions_test {

using namespace ssdvp;
using test::mean_write;

namespace {

double median_write(const test::platform_run& r)
{
    return static_cast<double>(r.writes().latency.percentile(500000).ps());
}
double corrected_per_read(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->corrected_bits) /
           static_cast<double>(r.measured().flash.reads);
}
double bandwidth(const test::platform_run& r)
{
    return r.bytes_per_second();
}

} // namespace

TEST_CASE("shallow programs write faster")
{
    const std::vector<std::string> files = {"device/small", "workload/random-write"};
    const std::vector<std::string> common = {"precondition.fill=1", "run.requests=20000",
                                             "cpu.instructions_per_call=50"};
    test::check_direction(
        {"write.mode", "shallow", "normal", mean_write, {"nand.shallow.tPROG=350us"}}, files,
        common);
    test::check_direction(
        {"nand.shallow.tPROG", "200us", "600us", mean_write, {"write.mode=shallow"}}, files,
        common);
}

TEST_CASE("shallow programs err more")
{
    const std::vector<std::string> files = {"device/small", "workload/mixed", "policy/errors-tlc"};
    const std::vector<std::string> common = {
        "precondition.fill=0.5",      "run.requests=40000",         "cpu.instructions_per_call=50",
        "nand.errors.program_fail=0", "nand.errors.erase_fail=0",   "nand.shallow.tPROG=700us",
        "cache.capacity=512KiB",      "workload.0.range.size=64MiB"};
    test::check_direction({"write.mode", "normal", "shallow", corrected_per_read, {}}, files,
                          common);
    test::check_direction(
        {"nand.errors.shallow_factor", "1.5", "4", corrected_per_read, {"write.mode=shallow"}},
        files, common);
}

TEST_CASE("one pass: sequential writes reach the rate of the word lines")
{
    // 2 channels x 2 LUNs x 2 planes x 3 pages of 16 KiB per word line: three transfers of two
    // planes with their cycles, two loads of tDBSY, one program; one program per LUN at a time.
    const std::vector<std::string> sets = {"nand.pages_per_block=66",
                                           "nand.one_pass=true",
                                           "nand.tPROG_word_line=1800us",
                                           "cpu.instructions_per_call=20",
                                           "host.pcie.generation=4",
                                           "host.pcie.lanes=4",
                                           "workload.0.queue_depth=32",
                                           "cache.capacity=4MiB",
                                           "ftl.checkpoint_interval=1GiB",
                                           "run.warmup=400",
                                           "run.requests=1200"};
    const double measured =
        test::measure_apart({"device/small", "workload/sequential-write"}, sets, bandwidth);
    constexpr double transfer = 2 * (9296 * 3e-9 + 245e-9) + 0.7e-6;
    constexpr double word_line = 3 * transfer + 2 * 0.5e-6 + 1800e-6;
    const double formula = 4 * 2 * 3 * 16384 / word_line;
    INFO("measured " << measured * 1e-6 << " MB/s, formula " << formula * 1e-6);
    CHECK(measured <= formula * 1.01);
    CHECK(measured >= formula * 0.93);
}

TEST_CASE("one pass: the time of a word line decides, and the data stay right")
{
    const std::vector<std::string> files = {"device/small", "workload/random-write"};
    const std::vector<std::string> common = {"precondition.fill=1", "precondition.overwrite=0.3",
                                             "run.requests=20000", "cpu.instructions_per_call=50"};
    // Not given, it is three times nand.tPROG, which 700 us for two pages undercuts.
    test::check_direction(
        {"nand.tPROG_word_line", "1400us", "0s", mean_write, {"nand.one_pass=true"}}, files,
        common);
    // Two of three programs that the host waits for only load.
    test::check_direction({"nand.one_pass",
                           "true",
                           "false",
                           median_write,
                           {"workload.0.fua=true", "workload.0.queue_depth=1", "run.requests=2000",
                            "precondition.overwrite=0"}},
                          files, common);
}

} // namespace mode_directions_test
