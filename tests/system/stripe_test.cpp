// SPDX-License-Identifier: Apache-2.0
//
// Superblocks of one block in a whole drive: a stream of writes has one LUN, reads have all of
// them, and the data stay right.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace stripe_test {

using namespace ssdvp;

namespace {

using texts = std::vector<std::string>;

double bandwidth(const test::platform_run& r)
{
    return r.bytes_per_second();
}

double measure(const texts& files, texts sets, const char* stripe)
{
    sets.push_back(std::string("ftl.stripe=") + stripe);
    return test::measure_apart(files, sets, bandwidth);
}

} // namespace

TEST_CASE("stripe: a sequential write has one LUN with block, all of them with drive")
{
    const texts files = {"device/small", "workload/sequential-write"};
    const texts sets = {"nand.tPROG=700us", "run.requests=1000", "run.warmup=200",
                        "cpu.instructions_per_call=20"};
    const double block = measure(files, sets, "block");
    const double drive = measure(files, sets, "drive");
    // A page of 16 KiB with its spare bytes at 3 ns, then its program; one at a time per LUN.
    const double transfer = 9296 * 3e-9 + 70e-9 + 6 * 25e-9;
    const double one = 16384 / (700e-6 + transfer + 600e-9);
    CHECK(block <= one * 1.01);
    CHECK(block >= one * 0.93);
    // 4 LUNs, each with both planes at once, whose pages are transferred one after the other.
    const double times = 4 * 2 * (700e-6 + transfer) / (700e-6 + 2 * transfer);
    CHECK(drive / block == Approx(times).epsilon(0.05));
}

TEST_CASE("stripe: random reads at depth 32 do not care")
{
    const texts files = {"device/small", "workload/random-read"};
    const texts sets = {"precondition.fill=1", "workload.0.queue_depth=32", "run.requests=20000",
                        "ftl.over_provisioning=0.3"};
    const double block = measure(files, sets, "block");
    CHECK(block == Approx(measure(files, sets, "drive")).epsilon(0.02));
}

TEST_CASE("stripe: superblocks of one block keep every byte through collection and cuts")
{
    const test::platform_run r = test::run({"device/small", "workload/random-write"},
                                           {"ftl.stripe=block", "data=full", "precondition.fill=1",
                                            "ftl.over_provisioning=0.3", "nand.blocks_per_plane=24",
                                            "nand.pages_per_block=32", "workload.0.flush_every=16",
                                            "power.cut.at=[20ms, 60ms]", "run.requests=20000"});
    CHECK(r.result.measured.measured.power->cuts == 2);
    CHECK(r.measured().ftl->gc_units_moved > 0);
}

} // namespace stripe_test
