// SPDX-License-Identifier: Apache-2.0
//
// Word lines in two passes in a whole drive: its write rate against a closed formula, what the time
// of each pass does, reads of what waits for its fine pass, and the data. That a page counts as
// programmed once is among the identities of every run.
#include <catch2/catch.hpp>
#include <map>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace passes_test {

using namespace ssdvp;
using test::mean_write;

namespace {

using texts = std::vector<std::string>;

double bandwidth(const test::platform_run& r)
{
    return r.bytes_per_second();
}
double suspends(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.suspends.value_or(0));
}

double folded(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->slc.folded);
}
double retired(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->retired[RETIRE_PROGRAM]);
}

/// Units that collection moves for one of the host.
double moved(const test::platform_run& r)
{
    const telemetry& t = *r.measured().ftl;
    return static_cast<double>(t.gc_units_moved) / static_cast<double>(t.host_units_written);
}

/// Of the units that went to the flash.
double padding(const test::platform_run& r)
{
    const telemetry& t = *r.measured().ftl;
    return static_cast<double>(t.pad_units) /
           static_cast<double>(t.pad_units + t.host_units_written);
}

/// A part of two passes; 22 word lines of 3 pages.
texts part(const texts& more)
{
    texts sets = {
        "nand.two_pass=true",      "nand.slc_mode.tR=25us",        "nand.slc_mode.tPROG=200us",
        "nand.slc_mode.tBERS=3ms", "nand.pages_per_block=66",      "nand.tPROG_coarse=900us",
        "nand.tPROG_fine=1500us",  "cpu.instructions_per_call=20", "cache.capacity=4MiB"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

TEST_CASE("two passes: sequential writes reach the rate of the word lines")
{
    // 2 channels of a LUN x 2 planes x 3 pages of 16 KiB per word line. Each pass of it takes three
    // transfers of two planes with their cycles, two loads of tDBSY, and its time.
    const texts sets =
        part({"host.pcie.generation=4", "host.pcie.lanes=4", "workload.0.queue_depth=32",
              "flash.luns_per_channel=1", "nand.blocks_per_plane=128",
              "ftl.checkpoint_interval=1GiB", "run.warmup=400", "run.requests=1200"});
    const double measured =
        test::measure_apart({"device/small", "workload/sequential-write"}, sets, bandwidth);
    constexpr double transfer = 2 * (9296 * 3e-9 + 245e-9) + 0.7e-6;
    constexpr double passes = 2 * (3 * transfer + 2 * 0.5e-6) + 900e-6 + 1500e-6;
    constexpr double formula = 2 * 2 * 3 * 16384 / passes;
    INFO("measured " << measured * 1e-6 << " MB/s, formula " << formula * 1e-6);
    CHECK(measured <= formula * 1.01);
    CHECK(measured >= formula * 0.93);
}

TEST_CASE("two passes: the time of each decides how long writes take")
{
    const std::vector<std::string> files = {"device/small", "workload/random-write"};
    const texts common = part({"precondition.fill=1", "run.requests=10000"});
    for (const char* key : {"nand.tPROG_coarse", "nand.tPROG_fine"}) {
        test::check_direction({key, "600us", "2400us", mean_write, {}}, files, common);
    }
    // As much time in one pass for each page: data are programmed once.
    test::check_direction({"nand.two_pass",
                           "false",
                           "true",
                           mean_write,
                           {"nand.tPROG=800us", "nand.tPROG_coarse=0s", "nand.tPROG_fine=0s"}},
                          files, common);
}

TEST_CASE("two passes: reads that come in the middle of one stop it, and find the data")
{
    const std::vector<std::string> files = {"device/small", "workload/mixed"};
    const texts common =
        part({"precondition.fill=0.8", "precondition.overwrite=0.3", "run.requests=6000",
              "flash.program.loop_time=100us", "flash.suspend.policy=immediate"});
    test::check_direction({"flash.suspend.programs", "false", "true", suspends, {}}, files, common);
}

TEST_CASE("two passes: the fine pass brings what the coarse one did, folds and failures or not")
{
    // The part compares: other data are a fault of the run. Collection pads, rewrites what failed
    // and reads with gaps meanwhile.
    const std::vector<std::string> files = {"device/small", "workload/random-write"};
    const texts common =
        part({"precondition.fill=0.7", "precondition.overwrite=0.5", "run.requests=15000",
              "workload.0.read_fraction=0.3", "nand.blocks_per_plane=64", "nand.pages_per_block=24",
              "ftl.over_provisioning=0.25"});
    const auto with = [&common](texts more) {
        more.insert(more.end(), common.begin(), common.end());
        return more;
    };
    const texts cache = {"ftl.slc_cache.static=16MiB", "ftl.slc_cache.policy=watermark"};
    const texts failing = {"nand.errors.program_fail=0.0005"};
    CHECK(test::measure_apart(files, with(cache), folded) > 0);
    CHECK(test::measure_apart(files, with(failing), retired) > 0);
    texts both = cache;
    both.insert(both.end(), failing.begin(), failing.end());
    CHECK(test::measure_apart(files, with(both), retired) > 0);
}

TEST_CASE("two passes: random writes to a full drive move hardly more than in one")
{
    // Units whose newer data wait for their fine pass hold up no others (gc.c): else padding, and
    // the room it takes, double what is moved.
    const std::vector<std::string> files = {"device/small", "workload/random-write"};
    texts sets =
        part({"flash.channels=4", "flash.luns_per_channel=4", "cache.capacity=16MiB",
              "ftl.over_provisioning=0.25", "ftl.checkpoint_interval=1GiB", "precondition.fill=1",
              "precondition.overwrite=1", "run.requests=60000", "workload.0.queue_depth=128",
              "nand.blocks_per_plane=64", "nand.pages_per_block=48"});
    const double two = test::measure_apart(files, sets, moved);
    sets.insert(sets.end(), {"nand.two_pass=false", "nand.tPROG_coarse=0s", "nand.tPROG_fine=0s"});
    const double one = test::measure_apart(files, sets, moved);
    INFO("moved per unit written: " << two << ", in one pass " << one);
    CHECK(two < 1.2 * one);
}

TEST_CASE("two passes: the least buffer of each policy fills word lines with data, not padding")
{
    // 4 LUNs x 2 planes x 3 pages of 16 KiB: 384 KiB of word lines, and 4 write units of 32 KiB.
    const std::map<std::string, unsigned> word_lines = {
        {"wo_lru", 4}, {"rw_lru", 8}, {"rw_cflru", 8}, {"fab", 8}, {"bplru", 16}};
    for (const auto& [policy, count] : word_lines) {
        INFO(policy);
        const texts sets = part({"nand.planes=2", "nand.page_size=16KiB", "run.requests=4000",
                                 "cache.policy=" + policy, "ftl.checkpoint_interval=1GiB",
                                 "cache.capacity=" + std::to_string(count * 384 + 128) + "KiB"});
        const double share =
            test::measure_apart({"device/small", "workload/sequential-write"}, sets, padding);
        CHECK(share < 0.05);
    }
}

} // namespace passes_test
