// SPDX-License-Identifier: Apache-2.0
//
// The latency of one 4 KiB read at QD1 is the sum of its parts, computed by hand, to the
// picosecond.
//
// The drive: one channel, one LUN, one plane, no write buffer; NV-DDR3 667 (3 ns for two bytes, 25
// ns command and address cycles), tR 74 us; PCIe 2.0 x4 = 2 GB/s, so 0.5 ns a byte on the wire;
// DRAM 12.8 GB/s without loss, so 320 ns for 4 KiB.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"
#include "tests/support/timed_path.h"

namespace latency_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

const std::vector<std::string> part = test::timed_path(
    {"flash.channels=1", "flash.luns_per_channel=1", "nand.planes=1", "cache.policy=none",
     "nand.tR=74us", "nand.interface.mode=nv_ddr3", "nand.interface.rate=667MT/s",
     "flash.ecc_latency=1us", "precondition.fill=1", "run.requests=200"});

const std::vector<std::string> files = {"device/small", "workload/random-read"};

std::vector<std::string> with(std::vector<std::string> more)
{
    std::vector<std::string> sets = part;
    sets.push_back("workload.0.queue_depth=1");
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

constexpr sim_time submit = 100_ns;
constexpr sim_time doorbell = 12_ns + 150_ns; // MWr 24 B, propagation
constexpr sim_time fetch =
    12_ns + 150_ns + 300_ns + 42_ns + 150_ns; // MRd 24 B, root complex, CplD 84 B
constexpr sim_time decode = 50_ns;
constexpr sim_time command_cycles = 175_ns;        // 00h, 2 column, 3 row, 30h
constexpr sim_time array = 100_ns + 74_us;         // tWB, tR
constexpr sim_time data_out = 20_ns + 2319 * 3_ns; // tRR, 4 code words: 4096 + 542 B
constexpr sim_time ecc = 1_us;
constexpr sim_time buffer = 320_ns + 40_ns; // 4 KiB, latency; in and out
constexpr sim_time mover = 60_ns;
constexpr sim_time data_up = 16 * 140_ns;                        // 16 MWr of 280 B
constexpr sim_time completion = 20_ns + 12_ns + 150_ns + 200_ns; // CQE 40 B, MSI-X 24 B, reaping

} // namespace

TEST_CASE("a 4 KiB read at QD1 takes the sum of its parts to the picosecond")
{
    const auto r = test::run(files, with({}));
    const sim_time expected = submit + doorbell + fetch + decode + command_cycles + array +
                              data_out + ecc + buffer + mover + buffer + data_up + completion;
    CHECK(r.reads().requests == 200);
    CHECK(r.reads().latency.min() == expected);
    CHECK(r.reads().latency.max() == expected);
}

TEST_CASE("a 4 KiB read by a snap read takes as much less as its array time is shorter")
{
    const auto all = [](const test::platform_run& r) { // of 200 that are alike
        CHECK(r.reads().latency.min() == r.reads().latency.max());
        return static_cast<double>(r.reads().latency.max().ps());
    };
    const auto snaps = [](const test::platform_run& r) {
        return static_cast<double>(r.measured().flash.snap_reads.value_or(0));
    };
    const double page = test::measure_apart(files, with({}), all);
    CHECK(test::measure_apart(files, with({}), snaps) == 0);
    const auto quarter = with({"nand.snap_read.tR=51us"});
    CHECK(test::measure_apart(files, quarter, all) == page - 23e6);
    CHECK(test::measure_apart(files, quarter, snaps) == 200);
    const auto edge = with({"nand.snap_read.tR=73999999ps"});
    CHECK(test::measure_apart(files, edge, all) == page - 1);
    // A read of more than the array senses takes the whole page.
    const auto eighth = with({"nand.snap_read.tR=51us", "nand.snap_read.size=2KiB"});
    CHECK(test::measure_apart(files, eighth, all) == page);
    CHECK(test::measure_apart(files, eighth, snaps) == 0);
}

TEST_CASE("each part of the latency is in its own account")
{
    const auto r = test::run(files, with({}));
    const auto part_of = [&](latency_part p) {
        return sim_time(static_cast<std::uint64_t>(r.reads().parts[static_cast<std::size_t>(p)] /
                                                   r.reads().requests));
    };
    CHECK(part_of(latency_part::queue) == submit);
    CHECK(part_of(latency_part::link) == doorbell + fetch + data_up);
    CHECK(part_of(latency_part::front_end) == decode + mover);
    CHECK(part_of(latency_part::array) + part_of(latency_part::bus) ==
          command_cycles + array + data_out);
    CHECK(part_of(latency_part::ecc) == ecc);
    CHECK(part_of(latency_part::dram) == buffer + buffer);
    CHECK(part_of(latency_part::completion) == completion);
    CHECK(part_of(latency_part::firmware) == 0_ns);
    CHECK(part_of(latency_part::wait_program) == 0_ns);
}

TEST_CASE("a picosecond more in one part is a picosecond more in the sum")
{
    const auto r =
        test::run(files, with({"host.nvme.decode_latency=50001ps", "flash.ecc_latency=1000001ps"}));
    const sim_time expected = submit + doorbell + fetch + decode + command_cycles + array +
                              data_out + ecc + buffer + mover + buffer + data_up + completion +
                              2_ps;
    CHECK(r.reads().latency.min() == expected);
    CHECK(r.reads().latency.max() == expected);
}

TEST_CASE("firmware's part halves when its clock doubles, and only that")
{
    const auto firmware = [](const test::platform_run& r) {
        return static_cast<double>(
            r.reads().parts[static_cast<std::size_t>(latency_part::firmware)]);
    };
    // But for rounds of the loop: `wait_core` where firmware marks what is a command's own.
    const auto rest = [](const test::platform_run& r) {
        return static_cast<double>(
            r.reads().latency.sum() -
            r.reads().parts[static_cast<std::size_t>(latency_part::firmware)] -
            r.reads().parts[static_cast<std::size_t>(latency_part::wait_core)]);
    };
    for (const std::string core : {"cpu.core=flat", "cpu.core=cortex-r82", "cpu.core=rv32"}) {
        const auto slow = with({core, "cpu.instructions_per_call=200"});
        const auto fast = with({core, "cpu.instructions_per_call=200", "cpu.clock=2GHz"});
        const double at_1ghz = test::measure_apart(files, slow, firmware);
        const double at_2ghz = test::measure_apart(files, fast, firmware);
        CHECK(at_1ghz > 0.0);
        CHECK(at_2ghz * 2 == Approx(at_1ghz).epsilon(1e-5)); // a picosecond a stamp
        CHECK(test::measure_apart(files, slow, rest) == test::measure_apart(files, fast, rest));
    }
}

TEST_CASE("a write that waits for buffer space waits for a slot or for collection")
{
    const auto r =
        test::run({"device/small", "workload/random-write"},
                  {"precondition.fill=1", "precondition.overwrite=0.5", "run.requests=20000",
                   "cpu.core=flat", "cpu.instructions_per_call=50"});
    const auto share = [&](latency_part p) {
        return static_cast<double>(r.writes().parts[static_cast<std::size_t>(p)]) /
               static_cast<double>(r.writes().latency.sum());
    };
    CHECK(share(latency_part::wait_buffer) + share(latency_part::wait_gc) > 0.9);
    CHECK(share(latency_part::firmware) < 0.05);
}

TEST_CASE("collection delays a write by a few operations, not by a victim")
{
    // 9.4 k writes/s, 2048 units in a superblock of which two thirds are valid in a victim: one
    // that had to wait for a victim and the four erases of its LUNs would wait for 150 ms.
    const auto r =
        test::run({"device/small", "workload/random-write"},
                  {"precondition.fill=1", "precondition.overwrite=2", "workload.queue_depth=16",
                   "run.warmup=5000", "run.requests=40000", "ftl.checkpoint_interval=1GiB"});
    REQUIRE(r.measured().ftl->gc_runs > 40); // steady state
    CHECK(r.writes().latency.max() < 20_ms);
    CHECK(r.writes().latency.percentile(999000) < 10_ms);
}

} // namespace latency_test
