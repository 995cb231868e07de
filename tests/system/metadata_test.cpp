// SPDX-License-Identifier: Apache-2.0
//
// Namespaces with metadata in whole runs: the driver checks each sector's metadata against its
// data; options move the result the right way; a loss of power keeps both together.
#include <catch2/catch.hpp>

#include "platform/report/shares.h"
#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace metadata_test {

using namespace ssdvp;
using test::mean_write;

namespace {

const std::vector<std::string> files = {"device/small", "workload/random-write"};

std::vector<std::string> with_metadata(std::vector<std::string> more)
{
    std::vector<std::string> sets = {"data=full", "workload.0.queue_depth=8",
                                     "workload.0.trim_fraction=0.05", "workload.0.flush_every=16",
                                     "ftl.over_provisioning=0.3"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

void check(const test::platform_run& r)
{
    CHECK(r.measured().integrity->sectors_checked > 2000);
    CHECK(r.measured().integrity->mismatches == 0);
    CHECK(r.reads().errors == 0);
    CHECK(r.writes().errors == 0);
}

const std::vector<std::string> one_write = {"data=full",
                                            "workload.0.queue_depth=1",
                                            "workload.0.read_fraction=0",
                                            "workload.0.block_size=16KiB",
                                            "run.requests=300",
                                            "cpu.core=cortex-r82", // which pays for the CRC
                                            "host.nvme.metadata.bytes=64"};

} // namespace

TEST_CASE("metadata and protection of type 1 stay with their data, under collection")
{
    const auto r = test::run(
        files, with_metadata({"host.nvme.metadata.bytes=16", "host.nvme.metadata.protection=1",
                              "workload.0.read_fraction=0.4", "ftl.over_provisioning=0.45",
                              "nand.blocks_per_plane=16", "run.requests=25000"}));
    check(r);
    CHECK(r.measured().ftl->gc_runs > 0);
}

TEST_CASE("metadata behind the data, and a power cut in the midst of writes")
{
    const auto r = test::run(
        files, with_metadata({"host.nvme.metadata.bytes=8", "host.nvme.metadata.protection=2",
                              "host.nvme.metadata.extended=true", "workload.0.read_fraction=0.3",
                              "run.requests=3000", "power.cut.at=[2ms, 30ms]"}));
    check(r);
    CHECK(r.result.measured.measured.power->cuts == 2);
}

/// A block with metadata takes twice its sectors, and they are read as well.
TEST_CASE("metadata: of what is read of a fresh drive all is unwritten, and not twice as much")
{
    const auto r = test::run(files, {"data=full", "host.nvme.metadata.bytes=8",
                                     "workload.0.read_fraction=1", "run.requests=100"});
    CHECK(platform::unwritten_share(r.result.measured).value() == 1.0);
}

TEST_CASE("options of metadata move the latency of a write the right way")
{
    test::check_direction({"host.nvme.metadata.bytes", "0", "64", mean_write, {}}, files,
                          {one_write.begin(), one_write.end() - 1});
    test::check_direction({"host.nvme.metadata.protection", "none", "1", mean_write, {}}, files,
                          one_write);
    test::check_direction({"host.nvme.metadata.extended", "true", "false", mean_write, {}}, files,
                          one_write);
}

} // namespace metadata_test
