// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with a DRAM of banks: the rules hold under firmware's and the host's traffic, and
// the kernel has no more to do. Runs are in processes of their own: they are compared.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace dram_drive_test {

using namespace ssdvp;

namespace {

double commands(const test::platform_run& r)
{
    const dram::dram_checker* checker = r.sim->drive().dram().checker();
    return checker == nullptr || checker->violations() != 0
               ? 0.0
               : static_cast<double>(checker->commands());
}
double activations(const test::platform_run& r)
{
    return static_cast<double>(r.measured().kernel_activations) /
           static_cast<double>(r.sim->requests().requests());
}
/// Bytes that the bursts of the measured part carry, for each byte asked for: 32 bits DDR4.
double burst_share(const test::platform_run& r)
{
    const auto& d = *r.measured().dram;
    return static_cast<double>((d.bursts_read + d.bursts_written) * 32) /
           static_cast<double>(d.bytes_read + d.bytes_written);
}
double rows(const test::platform_run& r)
{
    const auto& d = *r.measured().dram;
    return static_cast<double>(d.row_hits + d.row_misses + d.row_conflicts) /
           static_cast<double>(d.accesses);
}

const std::vector<std::string> small = {"precondition.fill=1", "run.requests=3000"};

std::vector<std::string> with(std::vector<std::string> more)
{
    more.insert(more.end(), small.begin(), small.end());
    return more;
}

} // namespace

TEST_CASE("dram drive: every standard keeps its rules under a drive's traffic")
{
    for (const char* preset : {"dram/ddr3", "dram/ddr4", "dram/lpddr4", "dram/lpddr5"}) {
        INFO(preset);
        const std::vector<std::string> files = {"device/small", "workload/mixed", preset};
        CHECK(test::measure_apart(files, with({}), commands) > 100000);
        CHECK(test::measure_apart(files, with({"dram.page_policy=closed"}), commands) > 100000);
        CHECK(test::measure_apart(files,
                                  with({"dram.mapping=bank_interleaved", "dram.refresh_group=8"}),
                                  commands) > 100000);
    }
    CHECK(test::measure_apart({"device/small", "workload/mixed"}, with({}), commands) == 0);
}

TEST_CASE("dram drive: power goes and comes back")
{
    const std::vector<std::string> files = {"device/small", "workload/mixed", "dram/ddr3"};
    CHECK(test::measure_apart(files, with({"power.cut.every=2000"}), commands) > 100000);
}

TEST_CASE("dram drive: banks cost no activation of the kernel")
{
    const std::vector<std::string> files = {"device/small", "workload/random-read"};
    const double without = test::measure_apart(files, with({}), activations);
    const double banks = test::measure_apart(files, with({"dram.model=bank"}), activations);
    CHECK(banks == Approx(without).epsilon(0.01));
}

TEST_CASE("dram drive: transfers are whole bursts, and few rows each")
{
    const std::vector<std::string> files = {"device/small", "workload/random-read", "dram/ddr4"};
    const double share = test::measure_apart(files, with({}), burst_share);
    CHECK(share >= 1.0);
    CHECK(share < 1.05); // the out-of-band bytes of a page are a part of a burst
    const double each = test::measure_apart(files, with({}), rows);
    CHECK(each >= 1.0);
    CHECK(each < 1.5);
}

} // namespace dram_drive_test
