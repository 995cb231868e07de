// SPDX-License-Identifier: Apache-2.0
//
// Streams by directive: data of one lifetime in superblocks of their own are erased together.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

using namespace ssdvp;

namespace {

double write_amplification(const test::platform_run& r)
{
    return platform::write_amplification(r.measured().flash, r.writes().bytes).value();
}

/// A log that is written round and round, and a larger one at the same rate: what the small one
/// writes dies four times as soon.
const std::vector<std::string> files = {"device/small", "workload/mixed"};
const std::vector<std::string> two_logs = {"workload.0.pattern=sequential",
                                           "workload.0.read_fraction=0",
                                           "workload.0.block_size=16KiB",
                                           "workload.0.queue_depth=4",
                                           "workload.0.range_size=64MiB",
                                           "workload.1.pattern=uniform",
                                           "workload.1.read_fraction=0",
                                           "workload.1.block_size=4KiB",
                                           "workload.1.queue_depth=4",
                                           "workload.1.range_start=64MiB",
                                           "precondition.fill=1",
                                           "precondition.overwrite=1",
                                           "run.requests=30000",
                                           "cpu.core=flat",
                                           "nand.tPROG=100us",
                                           "nand.tBERS=1ms",
                                           "ftl.streams=2"};

} // namespace

TEST_CASE("streams of different lifetimes are written with less amplification when they are named")
{
    test::check_direction({"workload.0.stream_id", "1", "0", write_amplification, {}}, files,
                          two_logs);
    test::check_direction({"ftl.streams",
                           "2",
                           "1",
                           write_amplification,
                           {"workload.0.stream_id=1", "workload.1.stream_id=2"}},
                          files, two_logs);
}
