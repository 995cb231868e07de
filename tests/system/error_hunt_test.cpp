// SPDX-License-Identifier: Apache-2.0
//
// A hunt for wrong data: drives whose flash errs at several rates under mixed random load with
// collection. The host never receives other bytes than it wrote without an error status, writes are
// accepted whatever reads do, and real bytes and tags have the same fate.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace error_hunt_test {

using namespace ssdvp;

namespace {

using texts = std::vector<std::string>;

/// Reads, writes and trims on a full drive.
texts mixed(const texts& more)
{
    texts sets = {"workload.0.queue_depth=24",     "workload.0.read_fraction=0.5",
                  "workload.0.trim_fraction=0.03", "workload.0.flush_every=300",
                  "precondition.fill=1",           "precondition.overwrite=0.3",
                  "cpu.instructions_per_call=50",  "run.requests=15000"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

const texts presets = {"device/small", "workload/random-write", "policy/errors-tlc"};

// What a rate of errors does to the drive.
const texts none = {"nand.errors.rber=0", "nand.errors.program_fail=0", "nand.errors.erase_fail=0"};
const texts moderate = {"nand.errors.rber=0.02", "nand.errors.program_fail=0.001",
                        "nand.errors.erase_fail=0.002"};
const texts absurd = {"nand.errors.rber=0.06", "nand.errors.program_fail=0.0005",
                      "nand.errors.erase_fail=0.01"};

/// What must hold at any rate; 0 = all of it does.
double broken(const test::platform_run& r)
{
    const platform::counters& m = r.measured();
    return (m.integrity->mismatches != 0 ? 1.0 : 0.0) +
           (m.integrity->sectors_checked < 5000 ? 2.0 : 0.0) +
           (r.writes().errors != 0 ? 4.0 : 0.0) + (m.ftl->gc_runs == 0 ? 8.0 : 0.0) +
           (m.ftl->read_only != 0 ? 16.0 : 0.0);
}
double broken_without_errors(const test::platform_run& r)
{
    const telemetry& t = *r.measured().ftl;
    return broken(r) + (r.reads().errors + t.media_errors + t.bad_blocks != 0 ? 32.0 : 0.0);
}
double broken_with_retries(const test::platform_run& r)
{
    const telemetry& t = *r.measured().ftl;
    return broken(r) + (t.recovered_reads == 0 ? 32.0 : 0.0) + (t.bad_blocks == 0 ? 64.0 : 0.0);
}
double broken_with_losses(const test::platform_run& r)
{
    const telemetry& t = *r.measured().ftl;
    return broken(r) + (r.reads().errors == 0 ? 32.0 : 0.0) + (t.units_lost == 0 ? 64.0 : 0.0) +
           (t.bad_blocks == 0 ? 128.0 : 0.0);
}

/// Each pair of kind of data, seed and block size that there is. With 2560 bytes units are written
/// in part, and completed from what can be read.
const texts hunts[] = {{"data=tag", "run.seed=1", "workload.0.block_size=4KiB"},
                       {"data=tag", "run.seed=2", "workload.0.block_size=2560B"},
                       {"data=full", "run.seed=1", "workload.0.block_size=2560B"},
                       {"data=full", "run.seed=2", "workload.0.block_size=4KiB"}};

void hunt(const texts& rate, test::measure_fn measure)
{
    for (const texts& each : hunts) {
        texts sets = mixed(rate);
        sets.insert(sets.end(), each.begin(), each.end());
        INFO(each[0] << " " << each[1] << " " << each[2]);
        CHECK(test::measure_apart(presets, sets, measure) == 0.0);
    }
}

/// Everything that errors decide, folded into a number that a double holds exactly.
double fate(const test::platform_run& r)
{
    const platform::counters& m = r.measured();
    const telemetry& t = *m.ftl;
    std::uint64_t h = 0xCBF29CE484222325ull; // FNV-1a, by words
    const auto fold = [&h](std::uint64_t v) { h = (h ^ v) * 0x100000001B3ull; };
    for (const std::uint64_t v :
         {r.reads().errors, r.writes().errors, m.integrity->sectors_checked,
          m.integrity->mismatches, m.flash.ecc->corrected_bits, m.flash.ecc->uncorrectable,
          m.flash.ecc->retries, t.recovered_reads, t.media_errors, t.lost_units, t.units_lost,
          t.bad_blocks, t.gc_units_moved, t.refresh_units_moved, m.when.ps()}) {
        fold(v);
    }
    return static_cast<double>(h >> 12);
}

} // namespace

TEST_CASE("no errors: every read is right")
{
    hunt(none, broken_without_errors);
}

TEST_CASE("errors that retries recover, blocks that fail: every read is right or says so")
{
    hunt(moderate, broken_with_retries);
}

TEST_CASE("errors beyond any retry: reads fail, none is wrong, writes are accepted")
{
    hunt(absurd, broken_with_losses);
}

TEST_CASE("tags and real bytes have the same fate")
{
    for (const texts* rate : {&moderate, &absurd}) {
        texts tags = mixed(*rate);
        tags.emplace_back("workload.0.block_size=2560B");
        texts bytes = tags;
        tags.emplace_back("data=tag");
        bytes.emplace_back("data=full");
        CHECK(test::measure_apart(presets, tags, fate) ==
              test::measure_apart(presets, bytes, fate));
    }
}

TEST_CASE("blocks that die fast end in a read-only drive, not in one that stalls")
{
    const auto r =
        test::run(presets, mixed({"workload.0.block_size=4KiB", "nand.errors.program_fail=0.05",
                                  "nand.errors.erase_fail=0.1"}));
    CHECK(r.measured().integrity->mismatches == 0);
    CHECK(r.measured().ftl->read_only == 1);
    CHECK(r.reads().errors == 0);
    CHECK(r.writes().errors > 0);
}

TEST_CASE("reads of host and patrol keep no hopeless write waiting")
{
    const auto r = test::run({"device/small", "policy/errors-tlc", "workload/sequential-write"},
                             {"nand.pe_cycles=2999", "precondition.fill=1",
                              "precondition.overwrite=0.3", "ftl.refresh.corrected_bits=55",
                              "ftl.patrol.interval=1ms", "run.requests=5000"});
    CHECK(r.measured().ftl->read_only == 1);
    CHECK(r.writes().errors > 0);
    CHECK(r.sim->requests().requests() == 5000);
}

TEST_CASE("urgent programs and cache programs of a drive whose programs fail keep page order")
{
    const auto r = test::run({"device/small", "policy/errors-tlc", "workload/sequential-write",
                              "policy/arbiter-priorities"},
                             {"flash.use_cache=true", "nand.errors.program_fail=0.001",
                              "precondition.fill=1", "precondition.overwrite=0.3", "run.seed=832",
                              "run.requests=5000", "ftl.over_provisioning=0.3"});
    CHECK(r.writes().errors == 0);
    CHECK(*r.measured().flash.cached > 1000);
}

TEST_CASE("a bus that is polled often and full of data adds up")
{
    const auto r =
        test::run({"device/small", "workload/sequential-read"},
                  {"flash.status_poll_period=1us", "nand.interface.mode=sdr0",
                   "nand.interface.rate=default", "precondition.fill=1", "run.requests=1000"});
    const auto& channel = r.measured().channels[0];
    CHECK(channel.busy <= r.measured().when);
    CHECK(*channel.polling > sim_time());
}

TEST_CASE("refresh, patrol and retirement under load lose nothing")
{
    const texts sets = mixed({"workload.0.block_size=4KiB", "nand.errors.rber=0.004",
                              "nand.errors.retention_age=300", "nand.pe_cycles=1500",
                              "nand.errors.program_fail=0.0003", "ftl.refresh.corrected_bits=30",
                              "ftl.refresh.retry_level=1", "ftl.refresh.reads=20000",
                              "ftl.refresh.retire=3", "ftl.patrol.interval=50ms"});
    const auto r = test::run(presets, sets);
    CHECK(broken(r) == 0.0);
    CHECK(r.measured().ftl->refresh_runs > 0);
    CHECK(r.measured().ftl->patrol_reads > 0);
    CHECK(r.measured().flash.by_purpose[FLASH_PURPOSE_REFRESH].programs > 0);
    CHECK(r.measured().flash.by_purpose[FLASH_PURPOSE_SCAN].reads > 0);
}

} // namespace error_hunt_test
