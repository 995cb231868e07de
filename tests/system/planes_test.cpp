// SPDX-License-Identifier: Apache-2.0
//
// Planes that collect by themselves in a whole drive: a page takes a LUN for the time of its
// program, and the data stay right.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace planes_test {

using namespace ssdvp;

TEST_CASE("planes: a sequential write has all LUNs, a plane of each at a time")
{
    const double measured =
        test::measure_apart({"device/small", "workload/sequential-write"},
                            {"ftl.stripe=plane", "ftl.over_provisioning=0.3", "nand.tPROG=700us",
                             "run.requests=1000", "run.warmup=200", "cpu.instructions_per_call=20"},
                            [](const test::platform_run& r) { return r.bytes_per_second(); });
    // A page of 16 KiB with its spare bytes at 3 ns, then its program; 4 LUNs on 2 channels.
    const double transfer = 9296 * 3e-9 + 70e-9 + 6 * 25e-9;
    CHECK(measured == Approx(4 * 16384 / (700e-6 + transfer + 600e-9)).epsilon(0.05));
}

TEST_CASE("planes: every byte is kept through collection in each plane and cuts")
{
    const test::platform_run r = test::run({"device/small", "workload/random-write"},
                                           {"ftl.stripe=plane", "data=full", "precondition.fill=1",
                                            "ftl.over_provisioning=0.3", "nand.blocks_per_plane=32",
                                            "nand.pages_per_block=32", "workload.0.flush_every=16",
                                            "power.cut.at=[20ms, 60ms]", "run.requests=20000"});
    CHECK(r.result.measured.measured.power->cuts == 2);
    CHECK(r.measured().ftl->gc_units_moved > 0);
}

} // namespace planes_test
