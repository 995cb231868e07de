// SPDX-License-Identifier: Apache-2.0
//
// What the driver asks of the controller moves the result the right way; and shares of backlogged
// classes are their weights.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace nvme_directions_test {

using namespace ssdvp;
using test::mean_read;

namespace {

/// Of all requests, those of the first of two streams.
double share(const test::platform_run& r)
{
    const auto of = [&](std::size_t stream) {
        const auto& kinds = r.sim->requests().streams().at(stream);
        return static_cast<double>(
            kinds[static_cast<std::size_t>(host::request_kind::read)].requests);
    };
    return of(0) / (of(0) + of(1));
}
double longest_read(const test::platform_run& r)
{
    return static_cast<double>(r.reads().latency.percentile(999000).ps());
}
double messages(const test::platform_run& r)
{
    return static_cast<double>(r.measured().nvme->interrupts);
}

/// Two streams of reads, 16 in flight each, on a drive that takes 4 commands at a time: entries
/// wait in the queues.
const std::vector<std::string> contended = {
    "host.driver.queue_pairs=2",    "host.nvme.slots=4",         "workload.0.read_fraction=1",
    "workload.1.read_fraction=1",   "workload.1.queue_depth=16", "workload.1.block_size=4KiB",
    "host.driver.queue_entries=64", "precondition.fill=1",       "run.requests=4000"};

std::vector<std::string> weighted(std::vector<std::string> more)
{
    std::vector<std::string> all = contended;
    all.push_back("host.nvme.arbitration=weighted_round_robin");
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Work of the simulation and of the firmware for one read.
double activations(const test::platform_run& r)
{
    return static_cast<double>(r.measured().kernel_activations) /
           static_cast<double>(r.measured().nvme->commands);
}
double instructions(const test::platform_run& r)
{
    return static_cast<double>(r.measured().cpu.at(0).instructions) /
           static_cast<double>(r.measured().nvme->commands);
}

const std::vector<std::string> files = {"device/small", "workload/mixed"};
const std::vector<std::string> one_stream = {"device/small", "workload/random-read"};

} // namespace

TEST_CASE("a read on 64 queue pairs takes what one takes, of the firmware and of the simulation")
{
    const std::vector<std::string> one = {"workload.0.queue_depth=32", "precondition.fill=1",
                                          "run.requests=2000", "host.nvme.queue_pairs=64",
                                          "host.driver.queue_entries=64"};
    std::vector<std::string> many = one;
    many.push_back("host.driver.queue_pairs=64");
    for (const auto reading : {activations, instructions, mean_read}) {
        CHECK(test::measure_apart(one_stream, many, reading) ==
              Approx(test::measure_apart(one_stream, one, reading)).epsilon(0.1));
    }
}

TEST_CASE("backlogged classes get their weights' shares, within 1 %")
{
    const std::vector<std::string> classes = {
        "workload.0.priority=high", "workload.1.priority=low", "host.nvme.arbitration_burst=1",
        "host.nvme.weights.high=7", "host.nvme.weights.low=3"};
    CHECK(test::measure_apart(files, weighted(classes), share) == Approx(0.7).epsilon(0.01));
    CHECK(test::measure_apart(files, contended, share) == Approx(0.5).epsilon(0.01));
}

TEST_CASE("options of arbitration move shares and waits the right way")
{
    const std::vector<std::string> low = {"workload.1.priority=low", "host.nvme.weights.low=4"};
    const std::vector<std::string> high = {"workload.1.priority=high", "host.nvme.weights.high=4"};
    test::check_direction({"workload.0.priority", "medium", "high", share, {}}, files,
                          weighted(low));
    test::check_direction({"workload.0.priority", "high", "urgent", share, {}}, files,
                          weighted(low));
    test::check_direction(
        {"host.nvme.weights.high", "4", "12", share, {"workload.0.priority=high"}}, files,
        weighted(low));
    test::check_direction(
        {"host.nvme.weights.medium", "1", "9", share, {"workload.0.priority=medium"}}, files,
        weighted(high));
    test::check_direction({"host.nvme.weights.low", "1", "2", share, {"workload.0.priority=low"}},
                          files, weighted(high));
    test::check_direction({"host.nvme.arbitration_burst", "1", "unlimited", longest_read, {}},
                          files, contended);
}

TEST_CASE("interrupt coalescing saves messages and costs time")
{
    const std::vector<std::string> common = {"precondition.fill=1", "run.requests=2000"};
    test::check_direction({"host.nvme.coalescing.threshold",
                           "8",
                           "2",
                           messages,
                           {"host.nvme.coalescing.time=1ms", "workload.0.queue_depth=32"}},
                          one_stream, common);
    test::check_direction({"host.nvme.coalescing.time",
                           "100us",
                           "300us",
                           mean_read,
                           {"host.nvme.coalescing.threshold=2", "workload.0.queue_depth=1"}},
                          one_stream, common);
}

TEST_CASE("one SGL descriptor saves the fetch of a PRP list")
{
    test::check_direction(
        {"host.driver.sgl",
         "true",
         "false",
         mean_read,
         {"workload.0.block_size=128KiB", "workload.0.queue_depth=1", "run.requests=300"}},
        one_stream, {"precondition.fill=1"});
}

TEST_CASE("data stay whole by SGLs, in queues of 65,536 entries")
{
    const test::platform_run r =
        test::run(files, {"host.driver.sgl=true", "host.nvme.queue_entries=65536",
                          "run.requests=3000", "workload.0.block_size=12KiB"});
    CHECK(r.sim->requests().requests() == 3000);
}

TEST_CASE("requests longer than MDTS, the smallest that Identify can say, are so many commands")
{
    const test::platform_run r =
        test::run(files, {"host.nvme.max_transfer_size=8KiB", "run.requests=500",
                          "workload.0.block_size=64KiB", "workload.1.block_size=64KiB"});
    CHECK(r.measured().nvme->commands == 500 * 8);
    CHECK(r.sim->requests().overall().errors == 0);
}

} // namespace nvme_directions_test
