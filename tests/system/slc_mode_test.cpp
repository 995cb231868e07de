// SPDX-License-Identifier: Apache-2.0
//
// A whole drive in SLC mode (write.mode: slc): its write rate against a closed formula, what each
// of the mode's keys does, and the data. Any operation in another mode is a fault of the flash,
// which fails the run.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace slc_mode_test {

using namespace ssdvp;
using test::mean_read;
using test::mean_write;

namespace {

using texts = std::vector<std::string>;

double bandwidth(const test::platform_run& r)
{
    return r.bytes_per_second();
}
double ps_per_request(const test::platform_run& r)
{
    return static_cast<double>(r.measured().when.ps()) /
           static_cast<double>(r.sim->requests().requests());
}
double corrected_per_read(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->corrected_bits) /
           static_cast<double>(r.measured().flash.reads);
}

/// A drive whose part has the mode, 21 of 64 pages per block.
texts part(const texts& more)
{
    texts sets = {"nand.slc_mode.tR=25us", "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms",
                  "cpu.instructions_per_call=20"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}
texts slc(texts more)
{
    more.insert(more.begin(), "write.mode=slc");
    return part(more);
}

/// Writes of 128 KiB in order, to less than half of the drive: from there on superblocks lack a
/// block that is the anchor's.
texts stream(const texts& more)
{
    texts sets = slc({"host.pcie.generation=4", "host.pcie.lanes=4", "cache.capacity=4MiB",
                      "workload.0.queue_depth=32", "run.warmup=100", "run.requests=500"});
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

TEST_CASE("SLC mode: sequential writes reach the rate of its programs")
{
    // 2 channels x 2 LUNs x 2 planes of 16 KiB per tPROG and the transfers of two planes, whose
    // groups are a prefix, 80h, five address cycles and 11h or 10h; one program at a time per LUN.
    for (const double tPROG : {200e-6, 400e-6}) {
        const texts sets =
            stream({"nand.slc_mode.tPROG=" + std::to_string(static_cast<int>(tPROG * 1e6)) + "us"});
        const double measured =
            test::measure_apart({"device/small", "workload/sequential-write"}, sets, bandwidth);
        const double transfer = 2 * (9296 * 3e-9 + 70e-9 + 8 * 25e-9) + 600e-9;
        const double formula = 4 * 2 * 16384 / (tPROG + transfer);
        INFO("measured " << measured * 1e-6 << " MB/s, formula " << formula * 1e-6);
        CHECK(measured <= formula * 1.01);
        CHECK(measured >= formula * 0.95);
    }
}

TEST_CASE("SLC mode: a write of all planes takes tPROG more, a read tR")
{
    const auto write = [](const char* time) {
        return test::measure_apart(
            {"device/small", "workload/sequential-write"},
            stream({std::string("nand.slc_mode.tPROG=") + time, "ftl.checkpoint_interval=1GiB"}),
            ps_per_request);
    };
    CHECK(write("400us") - write("300us") == Approx(100e6).epsilon(1e-2));
    const auto read = [](const char* time) {
        return test::measure_apart(
            {"device/small", "workload/random-read"},
            slc({"precondition.fill=1", "workload.0.queue_depth=1", "workload.0.block_size=4KiB",
                 "run.requests=500", "cache.policy=none", std::string("nand.slc_mode.tR=") + time}),
            mean_read);
    };
    CHECK(read("60us") - read("20us") == Approx(40e6));
}

TEST_CASE("SLC mode: its keys, and the mode itself")
{
    const texts writes = {"device/small", "workload/random-write"};
    // As much free space as the run writes: a full drive in SLC mode collects three times as soon.
    const texts fresh =
        part({"precondition.fill=0.2", "workload.0.range.size=40MiB", "run.requests=15000"});
    test::check_direction({"write.mode", "slc", "normal", mean_write, {}}, writes, fresh);
    const texts used = part({"precondition.fill=1", "run.requests=15000"});
    test::check_direction({"nand.slc_mode.tPROG", "150us", "400us", mean_write, {"write.mode=slc"}},
                          writes, used);
    test::check_direction({"nand.slc_mode.tBERS", "1ms", "20ms", mean_write, {"write.mode=slc"}},
                          writes, used);
    const texts reads = {"device/small", "workload/random-read"};
    const texts filled = part({"precondition.fill=1", "run.requests=5000"});
    test::check_direction({"write.mode", "slc", "normal", mean_read, {}}, reads, filled);
    test::check_direction({"nand.slc_mode.tR", "20us", "60us", mean_read, {"write.mode=slc"}},
                          reads, filled);
}

TEST_CASE("SLC mode: fewer bit errors, by its factor")
{
    const texts files = {"device/small", "workload/mixed", "policy/errors-tlc"};
    const texts common = part({"precondition.fill=0.5", "run.requests=20000",
                               "workload.0.range.size=48MiB", "cache.capacity=512KiB"});
    test::check_direction({"write.mode", "slc", "normal", corrected_per_read, {}}, files, common);
    test::check_direction(
        {"nand.errors.slc_factor", "0.2", "0.6", corrected_per_read, {"write.mode=slc"}}, files,
        common);
}

TEST_CASE("SLC mode: operations share command sequences")
{
    const texts files = {"device/small", "workload/sequential-write"};
    test::check_direction({"flash.use_cache", "false", "true", bandwidth, {}}, files, stream({}));
    test::check_direction({"flash.join_planes", "false", "true", bandwidth, {}}, files,
                          stream({"ftl.multi_plane=false"}));
}

namespace {

/// Reads, writes and trims in all bytes on a full drive that collects.
texts hunted(const texts& more)
{
    texts sets = slc({"data=full", "workload.0.queue_depth=24", "workload.0.read_fraction=0.5",
                      "workload.0.trim_fraction=0.03", "workload.0.flush_every=300",
                      "workload.0.block_size=2560B", "precondition.fill=1",
                      "precondition.overwrite=0.3", "run.requests=25000"});
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

void check_data(const test::platform_run& r)
{
    CHECK(r.measured().integrity->mismatches == 0);
    CHECK(r.measured().integrity->sectors_checked > 5000);
    CHECK(r.measured().ftl->gc_runs > 0);
    CHECK(r.writes().errors == 0);
}

const texts erring = {"device/small", "workload/random-write", "policy/errors-tlc"};

} // namespace

TEST_CASE("SLC mode: errors at the mode's rate are corrected, every read is right")
{
    const auto r = test::run(
        erring, hunted({"nand.errors.program_fail=0.001", "nand.errors.erase_fail=0.002"}));
    check_data(r);
    CHECK(r.reads().errors == 0);
    CHECK(r.measured().flash.ecc->corrected_bits > 1000);
    CHECK(r.measured().ftl->bad_blocks > 0);
}

TEST_CASE("SLC mode: retries, refresh, patrol and blocks that fail lose nothing")
{
    const auto r =
        test::run(erring, hunted({"nand.errors.rber=0.012", "nand.errors.slc_factor=1",
                                  "nand.errors.program_fail=0.0003", "nand.errors.erase_fail=0.001",
                                  "workload.0.read_fraction=0.8", "workload.0.queue_depth=4",
                                  "ftl.refresh.reads=20", "ftl.patrol.interval=50ms"}));
    check_data(r);
    CHECK(r.measured().ftl->recovered_reads > 0);
    CHECK(r.measured().ftl->refresh_runs > 0);
    CHECK(r.measured().ftl->patrol_reads > 0);
    CHECK(r.measured().flash.by_purpose[FLASH_PURPOSE_REFRESH].programs > 0);
}

TEST_CASE("SLC mode: beyond any retry reads fail, none is wrong")
{
    const auto r = test::run(erring, hunted({"nand.errors.rber=0.06", "nand.errors.slc_factor=1",
                                             "nand.errors.program_fail=0.0005"}));
    check_data(r);
    CHECK(r.reads().errors > 0);
    CHECK(r.measured().ftl->units_lost > 0);
}

TEST_CASE("SLC mode: shared sequences and suspended erases keep the data")
{
    const auto r = test::run({"device/small", "workload/random-write", "policy/errors-tlc",
                              "policy/shared-commands", "policy/arbiter-priorities"},
                             hunted({"ftl.multi_plane=false", "workload.0.block_size=32KiB",
                                     "flash.suspend.policy=safe_point_dynamic",
                                     "flash.suspend.programs=true", "run.requests=10000"}));
    check_data(r);
    CHECK(r.reads().errors == 0);
    CHECK(r.measured().flash.joined > 0);
    CHECK(r.measured().flash.cached > 0);
}

} // namespace slc_mode_test
