// SPDX-License-Identifier: Apache-2.0
//
// A write that completes when it is programmed (cache.policy: none) has the parts of its program:
// its transfer is `bus`, its tPROG `array`, and what it waits for other programs `wait_program`.
//
// The drive: one LUN of one plane whose pages of 16 KiB are programmed in 700 us, a write and a map
// unit for each; of one bit per cell, so that no word line has to be filled up before a write is
// safe. The bus carries command, address and confirm cycles (7 of 25 ns), tADL (70 ns), the page
// and its spare bytes, 3 ns for two bytes, and a status (70h, tWHR 80 ns, a cycle of 3 ns).
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"
#include "tests/support/timed_path.h"

namespace program_parts_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using test::platform_run;
using texts = std::vector<std::string>;

namespace {

const texts files = {"device/small", "workload/sequential-write"};

texts with(const texts& more)
{
    texts sets = test::timed_path(
        {"flash.channels=1", "flash.luns_per_channel=1", "nand.planes=1", "cache.policy=none",
         "ftl.map_unit=16KiB", "nand.cell=slc", "nand.tPROG=700us", "nand.interface.mode=nv_ddr3",
         "nand.interface.rate=667MT/s", "workload.0.block_size=16KiB", "run.requests=200"});
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

sim_time mean(const platform_run& r, latency_part p)
{
    return sim_time(static_cast<std::uint64_t>(r.writes().parts[static_cast<std::size_t>(p)] /
                                               r.writes().requests));
}
double microseconds(sim_time t)
{
    return static_cast<double>(t.ps()) * 1e-6;
}
/// Of the bytes of a page alone, and with all of its spare area.
constexpr sim_time cycles = 7 * 25_ns + 70_ns + 25_ns + 80_ns;
constexpr sim_time least = cycles + 8192 * 3_ns;
constexpr sim_time most = cycles + (8192 + 2208 / 2) * 3_ns + 1_us;

} // namespace

TEST_CASE("program parts: a write on an idle drive is its transfer and its tPROG")
{
    const auto r = test::run(files, with({"workload.0.queue_depth=1"}));
    REQUIRE(r.writes().requests == 200);
    CHECK(mean(r, latency_part::array) == 100_ns + 700_us); // tWB, tPROG
    CHECK(mean(r, latency_part::bus) > least);
    CHECK(mean(r, latency_part::bus) < most);
    CHECK(mean(r, latency_part::bus) * 200 == r.measured().channels.at(0).busy);
    for (const latency_part p : {latency_part::wait_program, latency_part::wait_buffer,
                                 latency_part::wait_gc, latency_part::ecc}) {
        CHECK(mean(r, p) == 0_ns);
    }
}

TEST_CASE("program parts: at depth a write waits for the programs of the others")
{
    const auto r = test::run(files, with({"workload.0.queue_depth=8", "run.warmup=8"}));
    CHECK(mean(r, latency_part::array) == 100_ns + 700_us);
    CHECK(mean(r, latency_part::bus) > least);
    CHECK(mean(r, latency_part::bus) < most);
    // Seven others, one after the other, each a transfer and a tPROG.
    const sim_time each = mean(r, latency_part::array) + mean(r, latency_part::bus);
    CHECK(r.writes().latency.mean() * 1e-6 == Approx(8 * microseconds(each)).epsilon(0.01));
    CHECK(microseconds(mean(r, latency_part::wait_program)) ==
          Approx(7 * microseconds(each)).epsilon(0.01));
}

TEST_CASE("program parts: in a cache sequence the wait for the program before is no array time")
{
    const auto r = test::run(files, with({"workload.0.queue_depth=8", "flash.use_cache=true",
                                          "nand.tCBSY=3us", "run.warmup=8"}));
    // The transfer is hidden; R/B# is low for tCBSY between two programs.
    CHECK(mean(r, latency_part::array) >= 700_us);
    CHECK(mean(r, latency_part::array) < 704_us);
    CHECK(r.writes().latency.mean() * 1e-6 == Approx(8 * 703.0).epsilon(0.02));
    CHECK(microseconds(mean(r, latency_part::wait_program)) > 6.5 * 700.0);
}

} // namespace program_parts_test
