// SPDX-License-Identifier: Apache-2.0
//
// Options of the buffer: each moves what it is for, for every policy that has it; and the latency
// of a hit, to the picosecond.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/support/direction.h"
#include "tests/support/timed_path.h"

namespace buffer_directions_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

using texts = std::vector<std::string>;
using run_t = test::platform_run;

const telemetry& buffer(const run_t& r)
{
    return *r.measured().ftl;
}
double host_programs(const run_t& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_HOST].programs);
}
double host_reads(const run_t& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_HOST].reads);
}
double padding_reads(const run_t& r)
{
    return static_cast<double>(buffer(r).cache_padding_reads);
}
double write_misses(const run_t& r)
{
    return static_cast<double>(buffer(r).cache_write_misses);
}
double all_misses(const run_t& r)
{
    return static_cast<double>(buffer(r).cache_write_misses + buffer(r).cache_read_misses);
}
double dirty_left(const run_t& r)
{
    return static_cast<double>(buffer(r).buffer_dirty);
}
double read_latency(const run_t& r)
{
    return r.reads().latency.mean();
}
double ahead_units(const run_t& r)
{
    return static_cast<double>(buffer(r).cache_ahead_units);
}
double ahead_hit_share(const run_t& r)
{
    return static_cast<double>(buffer(r).cache_ahead_hits) /
           static_cast<double>(buffer(r).cache_ahead_units);
}

/// Reads and writes by the LRU stack model over 8 MiB, a buffer of 1 MiB.
const texts files = {"device/small", "workload/random-read"};
const texts stacked = {"precondition.fill=1",          "run.requests=20000",
                       "workload.0.pattern=lru",       "workload.0.range.size=8MiB",
                       "workload.0.read_fraction=0.5", "workload.0.queue_depth=4"};

void check_all(const std::vector<test::direction>& directions, const texts& from, const texts& sets)
{
    for (const test::direction& d : directions) {
        test::check_direction(d, from, sets);
    }
}

} // namespace

TEST_CASE("cache.window, cache.window_mode: a wider window leaves dirty units more time")
{
    check_all({{"cache.window", "0.9", "0.02", host_programs, {"cache.policy=rw_cflru"}},
               {"cache.window", "0.02", "0.9", host_reads, {"cache.policy=rw_cflru"}},
               {"cache.window_mode",
                "adaptive",
                "static",
                host_programs,
                {"cache.policy=rw_cflru", "cache.window=0.02"}}},
              files, stacked);
}

TEST_CASE("cache.group, cache.padding: what is padded is the rest of a group")
{
    check_all({{"cache.group", "32KiB", "1MiB", padding_reads, {"cache.policy=bplru"}},
               {"cache.padding", "false", "true", padding_reads, {"cache.policy=bplru"}},
               {"cache.padding", "false", "true", host_programs, {"cache.policy=bplru"}},
               // Groups of one unit are LRU; of a large one all leaves for a unit that is needed.
               {"cache.group", "4KiB", "1MiB", all_misses, {"cache.policy=fab"}}},
              files, stacked);
}

TEST_CASE("cache.compensation: a sequential writer does not push out what is written again")
{
    test::check_direction(
        {"cache.compensation", "true", "false", write_misses, {}}, {"device/small"},
        {"workload=[{pattern: sequential, read_fraction: 0, block_size: 64KiB, queue_depth: 1, "
         "range: {start: 64MiB, size: 64MiB}}, {pattern: uniform, read_fraction: 0, block_size: "
         "4KiB, queue_depth: 1, range: {start: 0B, size: 384KiB}}]",
         "cache.policy=bplru", "cache.group=64KiB", "precondition.fill=1", "run.requests=10000"});
}

TEST_CASE("cache.dirty_limit: the more may be dirty, the more is written again before it leaves")
{
    for (const char* policy : {"wo_lru", "rw_lru", "rw_cflru", "fab", "bplru"}) {
        CAPTURE(policy);
        const std::string set = std::string("cache.policy=") + policy;
        check_all({{"cache.dirty_limit", "1", "0.1", host_programs, {set.c_str()}},
                   {"cache.capacity", "2MiB", "1MiB", all_misses, {set.c_str()}}},
                  files, stacked);
    }
}

TEST_CASE("cache.flush_idle: what is dirty is programmed while the host rests")
{
    for (const char* policy : {"wo_lru", "rw_lru", "rw_cflru", "fab", "bplru"}) {
        CAPTURE(policy);
        const std::string set = std::string("cache.policy=") + policy;
        // Pads are dirty too, and the run ends while they are being read.
        const char* pads = set == "cache.policy=bplru" ? "cache.padding=false" : "name=test";
        test::check_direction({"cache.flush_idle", "2ms", "0s", dirty_left, {set.c_str(), pads}},
                              {"device/small", "workload/random-write"},
                              {"workload.0.queue_depth=default", "workload.0.rate=20/s",
                               "workload.0.block_size=4KiB", "precondition.fill=1",
                               "run.requests=40"});
    }
}

TEST_CASE("cache.granularity: units that are written in part are completed once, or at once")
{
    // Sectors one after the other: a unit is whole when it leaves.
    for (const char* policy : {"wo_lru", "rw_lru", "rw_cflru", "fab", "bplru"}) {
        CAPTURE(policy);
        const std::string set = std::string("cache.policy=") + policy;
        test::check_direction({"cache.granularity", "sector", "page", host_reads, {set.c_str()}},
                              {"device/small", "workload/sequential-write"},
                              {"workload.0.block_size=512B", "workload.0.queue_depth=1",
                               "precondition.fill=1", "run.requests=8000"});
    }
}

TEST_CASE("cache.granularity: of a unit that is read in part the rest comes along, or not")
{
    for (const char* policy : {"rw_lru", "rw_cflru", "fab"}) {
        CAPTURE(policy);
        const std::string set = std::string("cache.policy=") + policy;
        test::check_direction({"cache.granularity", "page", "sector", host_reads, {set.c_str()}},
                              {"device/small", "workload/sequential-read"},
                              {"workload.0.block_size=1KiB", "workload.0.queue_depth=1",
                               "precondition.fill=1", "run.requests=4000"});
    }
}

TEST_CASE("cache.read_ahead: sequential readers find their data, random ones start nothing")
{
    for (const char* policy : {"rw_lru", "rw_cflru", "fab"}) {
        CAPTURE(policy);
        const std::string set = std::string("cache.policy=") + policy;
        texts sets = {set, "precondition.fill=1", "run.requests=4000", "workload.0.block_size=4KiB",
                      "workload.0.queue_depth=1"};
        if (set == "cache.policy=fab") { // else the block that is read is the largest, and leaves
            sets.emplace_back("cache.group=64KiB");
        }
        const texts streams = {"device/small", "workload/sequential-read"};
        test::check_direction({"cache.read_ahead", "256KiB", "0B", read_latency, {}}, streams,
                              sets);
        test::check_direction({"cache.read_ahead", "16KiB", "256KiB", ahead_units, {}}, streams,
                              sets);
        texts ahead = sets;
        ahead.emplace_back("cache.read_ahead=256KiB");
        CHECK(test::measure_apart(streams, ahead, ahead_hit_share) > 0.95);
        CHECK(test::measure_apart({"device/small", "workload/random-read"}, ahead, ahead_units) <
              20);
    }
}

TEST_CASE("cache.read_ahead: several streams at once are told apart")
{
    std::string streams;
    for (unsigned n = 0; n < 8; ++n) {
        streams += fmt::format("{}{{pattern: sequential, read_fraction: 1, block_size: 4KiB, "
                               "queue_depth: 1, range: {{start: {}MiB, size: 16MiB}}}}",
                               n == 0 ? "" : ", ", 16 * n);
    }
    const texts sets = {"workload=[" + streams + "]", "cache.policy=rw_lru",
                        "cache.read_ahead=32KiB", "precondition.fill=1", "run.requests=8000"};
    CHECK(test::measure_apart({"device/small"}, sets, ahead_hit_share) > 0.95);
}

namespace {

constexpr sim_time submit = 100_ns;
constexpr sim_time doorbell = 12_ns + 150_ns; // MWr 24 B, propagation
constexpr sim_time fetch =
    12_ns + 150_ns + 300_ns + 42_ns + 150_ns; // MRd 24 B, root complex, CplD 84 B
constexpr sim_time decode = 50_ns;
constexpr sim_time mover = 60_ns;
constexpr sim_time out = 320_ns + 40_ns;  // of DRAM: 4 KiB, latency
constexpr sim_time data_up = 16 * 140_ns; // 16 MWr of 280 B

/// Of all reads, in ps; 0 = two differ, or moved more through the DRAM than their data.
double hit_latency(const run_t& r)
{
    const bool alike = r.reads().latency.min() == r.reads().latency.max() &&
                       buffer(r).cache_read_hits == 200 && host_reads(r) == 0 &&
                       r.measured().dram->bytes_read == 200 * 4096 &&
                       r.measured().dram->bytes_written == 0;
    return alike ? static_cast<double>(r.reads().latency.min().ps()) : 0;
}

constexpr sim_time completion = 20_ns + 12_ns + 150_ns + 200_ns; // CQE 40 B, MSI-X 24 B, reaping

} // namespace

TEST_CASE("buffer: a 4 KiB read that hits takes the sum of its parts, without the flash")
{
    // As in latency_test.cpp, PCIe 2.0 x4 = 2 GB/s, DRAM of 12.8 GB/s without loss.
    for (const char* policy : {"rw_lru", "rw_cflru", "fab"}) {
        CAPTURE(policy);
        const double took = test::measure_apart(
            {"device/small", "workload/random-read"},
            test::timed_path({std::string("cache.policy=") + policy, "flash.channels=1",
                              "flash.luns_per_channel=1", "nand.planes=1", "precondition.fill=1",
                              "workload.0.range.size=64KiB", "workload.0.queue_depth=1",
                              "run.warmup=500", "run.requests=200"}),
            hit_latency);
        const sim_time expected =
            submit + doorbell + fetch + decode + mover + out + data_up + completion;
        CHECK(took == static_cast<double>(expected.ps()));
    }
}

} // namespace buffer_directions_test
