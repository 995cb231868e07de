// SPDX-License-Identifier: Apache-2.0
//
// What the channel's priorities and shared command sequences do to a whole drive.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace arbiter_directions_test {

using namespace ssdvp;
using test::iops;
using test::mean_read;

namespace {

double worst_write(const test::platform_run& r)
{
    return static_cast<double>(r.writes().latency.max().ps());
}

const std::vector<std::string> one_lun = {"flash.channels=1", "flash.luns_per_channel=1",
                                          "precondition.fill=1", "run.requests=2000",
                                          "cpu.instructions_per_call=10"};

} // namespace

TEST_CASE("join_planes: sequential reads of one LUN share tR")
{
    // Firmware joins what one command reads, where it may use several planes.
    test::check_direction({"flash.join_planes", "false", "true", iops, {"ftl.multi_plane=false"}},
                          {"device/small", "workload/sequential-read"}, one_lun);
}

TEST_CASE("join_planes: programs of single planes share tPROG")
{
    test::check_direction({"flash.join_planes", "false", "true", iops, {"ftl.multi_plane=false"}},
                          {"device/small", "workload/sequential-write"}, one_lun);
}

TEST_CASE("independent plane reads: random reads of one LUN overlap")
{
    test::check_direction({"nand.independent_plane_reads", "false", "true", iops, {}},
                          {"device/small", "workload/random-read"}, one_lun);
}

TEST_CASE("snap reads: small random reads of one LUN take the array for less time")
{
    test::check_direction({"nand.snap_read.tR", "0s", "51us", iops, {}},
                          {"device/small", "workload/random-read"}, one_lun);
    test::check_direction({"nand.snap_read.tR", "60us", "30us", iops, {"flash.use_cache=true"}},
                          {"device/small", "workload/random-read"}, one_lun);
    // Reads of 8 KiB need a part of that size.
    test::check_direction({"nand.snap_read.size",
                           "4KiB",
                           "8KiB",
                           iops,
                           {"nand.snap_read.tR=51us", "workload.0.block_size=8KiB"}},
                          {"device/small", "workload/random-read"}, one_lun);
}

TEST_CASE("use_cache: reads and programs of one LUN hide their transfers")
{
    const std::vector<const char*> also = {"nand.planes=1", "nand.interface.rate=100MT/s"};
    test::check_direction({"flash.use_cache", "false", "true", iops, also},
                          {"device/small", "workload/sequential-read"}, one_lun);
    test::check_direction({"flash.use_cache", "false", "true", iops, also},
                          {"device/small", "workload/sequential-write"}, one_lun);
}

TEST_CASE("the busy times of cache sequences count")
{
    const std::vector<const char*> also = {"nand.planes=1", "nand.interface.rate=100MT/s",
                                           "flash.use_cache=true"};
    test::check_direction({"nand.tRCBSY", "50us", "3us", iops, also},
                          {"device/small", "workload/sequential-read"}, one_lun);
    test::check_direction({"nand.tCBSY", "300us", "3us", iops, also},
                          {"device/small", "workload/sequential-write"}, one_lun);
}

TEST_CASE("priorities: host reads go before programs and collection")
{
    const std::vector<std::string> common = {"precondition.fill=1", "precondition.overwrite=0.5",
                                             "run.requests=30000", "cpu.instructions_per_call=10",
                                             "workload.0.queue_depth=32"};
    test::check_direction({"flash.arbiter", "priorities", "out_of_order", mean_read, {}},
                          {"device/small", "workload/zipf-70-30"}, common);
    test::check_direction({"flash.age_limit",
                           "100us",
                           "1s",
                           worst_write,
                           {"flash.arbiter=priorities", "workload.0.read_fraction=0.95"}},
                          {"device/small", "workload/zipf-70-30"}, common);
}

} // namespace arbiter_directions_test
