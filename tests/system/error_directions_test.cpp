// SPDX-License-Identifier: Apache-2.0
//
// No dead options among those of errors: pairs of runs that differ in one key.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace error_directions_test {

using namespace ssdvp;
using test::mean_read;

namespace {

double corrected(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->corrected_bits);
}
double uncorrectable(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->uncorrectable);
}
double soft_decodes(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->soft_decodes);
}
double bad_blocks(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->bad_blocks);
}

double media_errors(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->media_errors);
}
double refreshed(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->refresh_units_moved);
}
double scanned(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_SCAN].reads);
}
double retried(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->retries);
}

void holds(const test::direction& d, const char* workload, const std::vector<std::string>& common)
{
    test::check_direction(d, {"device/small", workload, "policy/errors-tlc"}, common);
}

} // namespace

TEST_CASE("options of error rates and of the code move reads the right way")
{
    const std::vector<std::string> common = {"precondition.fill=1", "run.requests=2000",
                                             "cpu.instructions_per_call=50"};
    const char* aged = "nand.errors.retention_age=365";
    const char* worn = "nand.pe_cycles=2500";
    const std::vector<test::direction> table = {
        {"nand.errors.rber", "0.0001", "0.0002", corrected, {}},
        {"nand.pe_cycles", "1000", "2000", corrected, {}},
        {"nand.endurance", "6000", "3000", corrected, {"nand.pe_cycles=2000"}},
        {"nand.errors.wear", "4", "9", corrected, {worn}},
        {"nand.errors.retention_age", "30", "100", corrected, {}},
        {"nand.errors.retention", "2", "4", corrected, {aged}},
        {"nand.errors.retention_scale", "1000", "1000000000", corrected, {}},
        {"nand.errors.temperature", "30", "55", corrected, {"nand.errors.retention_age=1"}},
        {"nand.errors.activation_energy",
         "0.6",
         "1.1",
         corrected,
         {"nand.errors.temperature=55", "nand.errors.retention_age=1"}},
        {"nand.errors.read_disturb", "5", "100000", corrected, {}},
        {"nand.errors.page_factor", "1", "2", corrected, {}},
        {"nand.errors.block_spread",
         "0",
         "0.4",
         soft_decodes,
         {"nand.errors.rber=0.0055", "nand.errors.page_factor=1"}},
        {"flash.ecc.correctable", "70", "60", soft_decodes, {aged, worn}},
        {"flash.ecc.codeword", "1KiB", "2KiB", soft_decodes, {aged, worn}},
        {"flash.ecc.soft_correctable", "[110, 150]", "[73, 74]", uncorrectable, {aged, worn}},
        {"flash.ecc.soft_latency", "[10us, 20us]", "[100us, 200us]", mean_read, {aged, worn}},
    };
    for (const test::direction& d : table) {
        holds(d, "workload/random-read", common);
    }
}

TEST_CASE("suspends beyond the safe points show in the reads that follow")
{
    const std::vector<std::string> common = {"precondition.fill=1",
                                             "precondition.overwrite=0.5",
                                             "run.requests=60000",
                                             "cpu.instructions_per_call=50",
                                             "nand.pe_cycles=1000",
                                             "flash.suspend.policy=immediate",
                                             "flash.erase.suspend_overhead=1us",
                                             "flash.erase.loops=1",
                                             "nand.tBERS=60ms",
                                             "nand.errors.program_fail=0",
                                             "nand.errors.erase_fail=0"};
    holds({"nand.errors.suspend_gain", "0", "0.01", corrected, {}}, "workload/zipf-70-30", common);
    holds({"nand.errors.suspend_exponent", "2", "3", corrected, {}}, "workload/zipf-70-30", common);
}

TEST_CASE("programs and erases that fail cost blocks")
{
    const std::vector<std::string> common = {
        "precondition.fill=1",          "precondition.overwrite=0.5", "run.requests=30000",
        "cpu.instructions_per_call=50", "nand.errors.program_fail=0", "nand.errors.erase_fail=0"};
    holds({"nand.errors.program_fail", "0", "0.0005", bad_blocks, {}}, "workload/random-write",
          common);
    holds({"nand.errors.erase_fail", "0", "0.05", bad_blocks, {}}, "workload/random-write", common);
}

TEST_CASE("options of read retry move reads the right way")
{
    const std::vector<std::string> common = {"precondition.fill=1", "run.requests=4000",
                                             "cpu.instructions_per_call=50",
                                             "nand.errors.rber=0.025"};
    holds({"nand.errors.retry_gain", "[0.5, 0.2]", "[0.95]", media_errors, {}},
          "workload/random-read", common);
    holds({"nand.tR_retry", "20us", "500us", mean_read, {}}, "workload/random-read", common);
}

TEST_CASE("options of refresh move data, and what moved needs fewer retries")
{
    // Ten years old, the data need retries; written anew they need none.
    const std::vector<std::string> common = {
        "precondition.fill=0.25",       "run.requests=20000",
        "cpu.instructions_per_call=50", "nand.errors.retention_age=3650",
        "nand.pe_cycles=1500",          "nand.errors.rber=0.0012",
        "nand.errors.program_fail=0",   "workload.0.range.size=50MiB",
        "workload.0.queue_depth=4"};
    const std::vector<test::direction> table = {
        {"ftl.refresh.corrected_bits", "0", "60", refreshed, {}},
        {"ftl.refresh.corrected_bits", "150", "60", refreshed, {}},
        {"ftl.refresh.retry_level", "0", "1", refreshed, {}},
        {"ftl.refresh.retry_level", "1", "0", retried, {}},
        {"ftl.refresh.retry_level", "1", "0", mean_read, {}},
        {"ftl.refresh.reads", "0", "50", refreshed, {}},
        {"ftl.refresh.reads", "2000", "50", refreshed, {}},
        {"ftl.refresh.retire", "0", "1", bad_blocks, {"ftl.refresh.retry_level=1"}},
        {"ftl.patrol.interval", "0s", "100ms", scanned, {}},
        {"ftl.patrol.interval", "200ms", "100ms", scanned, {}},
        // What the host does not read only the patrol finds.
        {"ftl.patrol.interval", "0s", "100ms", refreshed, {"ftl.refresh.retry_level=1"}},
    };
    for (const test::direction& d : table) {
        holds(d, "workload/random-read", common);
    }
}

} // namespace error_directions_test
