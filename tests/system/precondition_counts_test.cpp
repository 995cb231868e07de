// SPDX-License-Identifier: Apache-2.0
//
// A whole drive that was preconditioned by counts: what a run finds, and that the summary says so.
#include <catch2/catch.hpp>

#include "platform/report/summary_json.h"
#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace precondition_counts_test {

using namespace ssdvp;
using Catch::Contains;

namespace {

using texts = std::vector<std::string>;

const texts presets = {"device/small", "workload/mixed"};

texts filled(const std::string& method, const texts& more)
{
    texts sets = {"precondition.fill=1", "precondition.overwrite=2",
                  "precondition.method=" + method, "run.requests=5000"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

double erased(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->erase_sum);
}
double moved(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->gc_units_moved);
}

} // namespace

TEST_CASE("preconditioned by counts: data are right, and the summary says how they came")
{
    const test::platform_run r = test::run(presets, filled("counts", {}));
    CHECK(r.result.measured.drive.precondition->method == "counts");
    CHECK_THAT(platform::summary_text(r.result.measured, r.sim->requests(), {}),
               Contains("\"method\": \"counts\""));
}

TEST_CASE("preconditioned by units: the summary says so")
{
    const test::platform_run r = test::run(presets, filled("auto", {}));
    CHECK(r.result.measured.drive.precondition->method == "units");
}

TEST_CASE("preconditioned by counts: every byte is kept in data mode full")
{
    test::run(presets, filled("counts", {"data=full", "nand.blocks_per_plane=24",
                                         "ftl.over_provisioning=0.3"}));
}

TEST_CASE("preconditioned by counts: power cuts lose nothing")
{
    const test::platform_run r = test::run(
        presets,
        filled("counts", {"power.cut.every=200", "power.verify=all", "run.requests=2000"}));
    CHECK(r.measured().power->cuts > 2);
}

TEST_CASE("preconditioned by counts: the drive collects and has worn as by units")
{
    const texts write = {"device/small", "workload/random-write"};
    const texts more = {"nand.blocks_per_plane=256", "nand.pages_per_block=16",
                        "run.requests=60000"};
    for (const auto measure : {erased, moved}) {
        const double units = test::measure_apart(write, filled("units", more), measure);
        const double counts = test::measure_apart(write, filled("counts", more), measure);
        INFO(units << " by units, " << counts << " by counts");
        CHECK(counts == Approx(units).epsilon(0.03)); // one run of each
    }
}

} // namespace precondition_counts_test
