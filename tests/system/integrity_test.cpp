// SPDX-License-Identifier: Apache-2.0
//
// Data integrity over long random runs, with a base-protocol checker on every AT socket: every read
// is compared with the shadow copy; 0 mismatches, identities hold, flash physics are never broken.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace integrity_test {

using namespace ssdvp;

namespace {

std::vector<std::string> mixed(std::vector<std::string> more)
{
    std::vector<std::string> sets = {
        "workload.0.queue_depth=24",    "workload.0.pattern=zipf",
        "workload.0.read_fraction=0.5", "workload.0.trim_fraction=0.03",
        "workload.0.flush_every=500",   "cpu.instructions_per_call=50"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

void check(const test::platform_run& r, std::uint64_t least_checked)
{
    CHECK(r.measured().integrity->sectors_checked > least_checked);
    CHECK(r.measured().integrity->mismatches == 0);
    CHECK(r.reads().errors == 0);
    CHECK(r.writes().errors == 0);
}

} // namespace

TEST_CASE("tags: a full drive under collection keeps every sector")
{
    const auto r = test::run(
        {"device/small", "workload/random-write"},
        mixed({"precondition.fill=1", "precondition.overwrite=0.5", "run.requests=150000"}));
    check(r, 500000);
    CHECK(r.measured().ftl->gc_runs > 5);
    CHECK(r.measured().flash.by_purpose[FLASH_PURPOSE_GC].programs > 0);
}

TEST_CASE("whole bytes: the same with real data")
{
    const auto r =
        test::run({"device/small", "workload/random-write"},
                  mixed({"data=full", "precondition.fill=1", "run.requests=40000", "run.seed=7"}));
    check(r, 100000);
}

TEST_CASE("unaligned requests of odd sizes read back what was written")
{
    const auto r = test::run({"device/small", "workload/random-write"},
                             mixed({"workload.0.block_size=2560B", "precondition.fill=0.5",
                                    "run.requests=60000", "run.seed=3"}));
    check(r, 60000);
}

// More pieces at a time than the front end's ring of moves holds: a move may have to wait for its
// turn when all that moved is done.
TEST_CASE("four sequential streams of large requests share a range")
{
    constexpr auto stream = "{pattern: sequential, range: {start: 0GiB, size: 1GiB}, "
                            "block_size: 1MiB, read_fraction: 0.6, queue_depth: 64}";
    std::string streams = "workload=[";
    for (int i = 0; i < 4; ++i) {
        streams += (i == 0 ? "" : ", ") + std::string(stream);
    }
    const auto r = test::run({"device/nvme-tlc", "workload/random-write"},
                             {streams + "]", "cpu.core=cortex-r82", "run.requests=8000"});
    check(r, 5000000);
}

TEST_CASE("large requests are split and reassembled")
{
    const auto r =
        test::run({"device/small", "workload/random-write"},
                  mixed({"workload.0.block_size=320KiB", "host.nvme.max_transfer_size=128KiB",
                         "workload.0.queue_depth=8", "precondition.fill=1", "run.requests=3000"}));
    check(r, 500000);
}

TEST_CASE("without a write buffer")
{
    const auto r =
        test::run({"device/small", "workload/random-write"},
                  mixed({"cache.policy=none", "precondition.fill=1", "run.requests=20000"}));
    check(r, 50000);
}

TEST_CASE("a buffer of reads and writes, unaligned requests of odd sizes")
{
    const auto r = test::run(
        {"device/small", "policy/rw-lru", "workload/random-write"},
        mixed({"workload.0.block_size=2560B", "precondition.fill=0.5", "run.requests=60000",
               "workload.0.flush_every=50", "workload.0.trim_fraction=0.05"}));
    check(r, 60000);
    const telemetry& t = *r.measured().ftl;
    CHECK(t.cache_read_hits > 1000);
    CHECK(t.cache_evictions_clean > 1000);
    CHECK(t.cache_evictions_dirty > 1000);
}

TEST_CASE("a buffer of reads and writes, several units at a time, whole bytes")
{
    const auto r = test::run({"device/small", "policy/rw-lru", "workload/random-write"},
                             mixed({"workload.0.block_size=20KiB", "data=full",
                                    "precondition.fill=1", "run.requests=20000"}));
    check(r, 200000);
    CHECK(r.measured().ftl->cache_read_hits > 1000);
}

TEST_CASE("a buffer of reads and writes without data: identities hold")
{
    const auto r = test::run({"device/small", "policy/rw-lru", "workload/random-write"},
                             mixed({"data=none", "precondition.fill=1", "run.requests=20000"}));
    CHECK(r.measured().ftl->cache_read_hits > 1000);
    CHECK(r.reads().errors + r.writes().errors == 0);
}

TEST_CASE("every write through to flash: force unit access")
{
    const auto r =
        test::run({"device/small", "workload/random-write"},
                  mixed({"workload.0.fua=true", "precondition.fill=1", "run.requests=5000"}));
    check(r, 10000);
}

TEST_CASE("each arbiter and suspend policy keeps the data")
{
    for (const char* arbiter : {"sequential", "interleaved", "out_of_order"}) {
        for (const char* suspend : {"none", "immediate"}) {
            if (arbiter != std::string("out_of_order") && suspend != std::string("none")) {
                continue; // refused
            }
            const double mismatches = test::measure_apart(
                {"device/small", "workload/random-write"},
                mixed({std::string("flash.arbiter=") + arbiter,
                       std::string("flash.suspend.policy=") + suspend, "precondition.fill=1",
                       "precondition.overwrite=0.3", "run.requests=15000"}),
                [](const test::platform_run& r) {
                    return static_cast<double>(r.measured().integrity->mismatches) +
                           (r.measured().integrity->sectors_checked > 10000 ? 0.0 : 1.0);
                });
            CHECK(mismatches == 0.0);
        }
    }
}

TEST_CASE("shared command sequences and priorities keep the data")
{
    const auto r =
        test::run({"device/small", "workload/zipf-70-30", "policy/shared-commands",
                   "policy/arbiter-priorities"},
                  mixed({"nand.planes=4", "nand.blocks_per_plane=32", "ftl.multi_plane=false",
                         "workload.0.block_size=32KiB", "flash.suspend.policy=safe_point_dynamic",
                         "flash.suspend.programs=true", "precondition.fill=1",
                         "precondition.overwrite=0.3", "run.requests=15000"}));
    check(r, 100000);
    CHECK(*r.measured().flash.joined > 1000);
    CHECK(*r.measured().flash.cached > 1000);
}

TEST_CASE("the tiny drive: one sector a page, four pages a block")
{
    const auto r = test::run(
        {"device/tiny", "workload/random-write"},
        mixed({"workload.0.block_size=512B", "precondition.fill=1", "run.requests=30000"}));
    check(r, 10000);
}

TEST_CASE("factory bad blocks are never used and cost no data")
{
    const auto r = test::run(
        {"device/small", "workload/random-write"},
        mixed({"nand.factory_bad_share=0.02", "precondition.fill=1", "run.requests=40000"}));
    check(r, 100000);
    CHECK(r.measured().ftl->bad_blocks > 0);
}

TEST_CASE("two streams at once")
{
    const auto r =
        test::run({"device/small", "workload/mixed"},
                  {"precondition.fill=1", "run.requests=30000", "cpu.instructions_per_call=50"});
    check(r, 100000);
}

} // namespace integrity_test
