// SPDX-License-Identifier: Apache-2.0
//
// No dead options: each of the link's moves the result the way it must.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace pcie_directions_test {

using namespace ssdvp;
using test::mean_read;
using test::mean_write;

namespace {

double dllps(const test::platform_run& r)
{
    const auto& l = *r.measured().link;
    return static_cast<double>(l.dllp_bytes_up + l.dllp_bytes_down);
}
double slowness(const test::platform_run& r)
{
    return 1 / r.bytes_per_second();
}

void holds(const test::direction& d, const char* workload)
{
    test::check_direction(d, {"device/small", workload},
                          {"run.requests=100", "workload.0.queue_depth=4",
                           "workload.0.block_size=4KiB", "precondition.fill=1",
                           "cpu.instructions_per_call=20"});
}

} // namespace

TEST_CASE("options of the link's packets move reads the right way")
{
    const std::vector<test::direction> table = {
        {"host.pcie.max_payload_size", "4KiB", "256B", mean_read, {"workload.0.queue_depth=1"}},
        {"host.pcie.ecrc", "false", "true", mean_read, {"workload.0.queue_depth=1"}},
        {"host.pcie.skip_fraction", "0", "0.05", mean_read, {"workload.0.queue_depth=1"}},
        {"host.pcie.bit_error_rate", "0", "0.00001", mean_read, {"workload.0.queue_depth=1"}},
        {"host.pcie.ack_factor", "4", "1", dllps, {}},
        {"host.pcie.ack_factor", "0", "64", dllps, {}},
        {"host.pcie.update_factor", "4", "1", dllps, {"host.pcie.host_credits.posted_data=1024"}},
        {"host.pcie.credit_latency",
         "0ns",
         "5us",
         mean_read,
         {"host.pcie.host_credits.posted_headers=4"}},
        {"host.pcie.host_credits.posted_headers", "64", "2", mean_read, {}},
        {"host.pcie.host_credits.posted_data", "1024", "16", mean_read, {}},
    };
    for (const test::direction& d : table) {
        holds(d, "workload/random-read");
    }
}

TEST_CASE("options of the link's reads move writes the right way")
{
    const char* slow = "host.pcie.credit_latency=5us";
    const std::vector<test::direction> table = {
        {"host.pcie.tags", "32", "1", mean_write, {}},
        {"host.pcie.host_credits.nonposted_headers", "64", "1", mean_write, {slow}},
        {"host.pcie.device_credits.completion_headers", "64", "2", mean_write, {slow}},
        {"host.pcie.device_credits.completion_data", "512", "16", mean_write, {slow}},
        {"host.pcie.device_credits.posted_headers", "64", "1", mean_write, {slow}},
        {"host.pcie.device_credits.posted_data", "64", "1", mean_write, {slow}},
    };
    for (const test::direction& d : table) {
        holds(d, "workload/random-write");
    }
}

TEST_CASE("ACKs slow a link that is full both ways")
{
    // Reads and writes of what needs no flash soon: the buffer takes what is written.
    const std::vector<std::string> common = {"host.pcie.generation=1",
                                             "host.pcie.lanes=1",
                                             "run.requests=400",
                                             "workload.0.queue_depth=32",
                                             "workload.0.block_size=4KiB",
                                             "workload.0.read_fraction=0.5",
                                             "cpu.instructions_per_call=0",
                                             "workload.0.range.size=512KiB"};
    test::check_direction({"host.pcie.ack_factor", "0", "1", slowness, {}},
                          {"device/small", "workload/random-read"}, common);
}

} // namespace pcie_directions_test
