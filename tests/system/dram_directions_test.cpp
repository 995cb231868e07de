// SPDX-License-Identifier: Apache-2.0
//
// No dead options: those of the DRAM's banks.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace dram_directions_test {

using namespace ssdvp;
using test::mean_read;

namespace {

double activates(const test::platform_run& r)
{
    return static_cast<double>(r.measured().dram->activates);
}
double conflicts(const test::platform_run& r)
{
    return static_cast<double>(r.measured().dram->row_conflicts);
}
double refreshes_per_time(const test::platform_run& r)
{
    return static_cast<double>(r.measured().dram->refreshes) /
           static_cast<double>(r.measured().when.ps());
}

void hold(const std::vector<test::direction>& table, const char* model)
{
    const std::vector<std::string> common = {"precondition.fill=1", "run.requests=1000",
                                             "cpu.instructions_per_call=50", model};
    for (const test::direction& d : table) {
        test::check_direction(d, {"device/small", "workload/random-read"}, common);
    }
}

} // namespace

TEST_CASE("options of the DRAM's banks move reads the right way")
{
    const std::vector<const char*> slow = {"dram.rate=400MT/s", "dram.width=8"};
    const std::vector<const char*> narrow = {"dram.mapping=bank_interleaved", "dram.width=8"};
    hold(
        {
            {"dram.standard", "lpddr5", "ddr3", mean_read, {"dram.width=16"}},
            {"dram.page_policy", "open", "closed", activates, {}},
            {"dram.mapping", "row_bank_column", "bank_interleaved", activates, {}},
            {"dram.interleave", "4KiB", "512B", activates, {"dram.mapping=bank_interleaved"}},
            {"dram.banks", "32", "4", conflicts, {}},
            {"dram.row_size", "16KiB", "512B", activates, {}},
            {"dram.refresh_group", "1", "8", mean_read, {"dram.timing.tRFC=1us"}},
            {"dram.controller_latency", "0ns", "2us", mean_read, {}},
            {"dram.timing.tRCD", "5ns", "2us", mean_read, {}},
            {"dram.timing.tCL", "5ns", "2us", mean_read, {}},
            {"dram.timing.tCWL", "5ns", "2us", mean_read, {}},
            {"dram.timing.tRP", "5ns", "1us", mean_read, {"dram.banks=4"}},
            {"dram.timing.tRAS", "30ns", "2us", mean_read, {"dram.banks=4"}},
            {"dram.timing.tRC", "50ns", "3us", mean_read, {"dram.banks=4"}},
            {"dram.timing.tRRD", "2500ps", "1us", mean_read, narrow},
            {"dram.timing.tRRD_L", "5ns", "1us", mean_read, narrow},
            {"dram.timing.tFAW", "10ns", "2us", mean_read, narrow},
            {"dram.timing.tCCD", "2500ps", "50ns", mean_read, {}},
            {"dram.timing.tCCD_L", "5ns", "100ns", mean_read, {}},
            {"dram.timing.tWR", "10ns", "3us", mean_read, {"dram.banks=4"}},
            {"dram.timing.tWTR", "5ns", "1us", mean_read, {}},
            {"dram.timing.tRTP", "5ns", "3us", mean_read, {"dram.banks=4"}},
            {"dram.timing.tRTW", "1ns", "1us", mean_read, slow},
            {"dram.timing.tRFC", "100ns", "3us", mean_read, {}},
            {"dram.timing.tREFI", "50us", "3us", refreshes_per_time, {}},
        },
        "dram.model=bank");
}

TEST_CASE("the model of the DRAM decides whether there are rows")
{
    hold({{"dram.model", "bandwidth", "bank", activates, {}}}, "dram.rate=3200MT/s");
}

} // namespace dram_directions_test
