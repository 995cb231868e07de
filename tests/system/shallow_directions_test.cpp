// SPDX-License-Identifier: Apache-2.0
//
// Each option of shallow writes moves the result its way.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace shallow_directions_test {

using namespace ssdvp;
using test::mean_write;

namespace {

double rewritten(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->retention.rewritten_units);
}
double shallow_pages(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->retention.shallow_pages);
}
double lost(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->units_lost + r.reads().errors);
}
double wrong(const test::platform_run& r)
{
    const telemetry_retention& t = r.measured().ftl->retention;
    return static_cast<double>(t.rewritten_units + t.deep_died) /
           static_cast<double>(t.rewritten_units + t.deep_died + t.shallow_died + t.deep_lived);
}
double corrected(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->corrected_bits);
}

const std::vector<std::string> files = {"device/small", "workload/random-write"};

/// Overwritten every 100 ms or so, in steps of a write at a time.
std::vector<std::string> usual()
{
    return {"write.mode=shallow",       "nand.shallow.speed_up=2.33",
            "precondition.fill=0.8",    "workload.0.range.size=4MiB",
            "workload.0.queue_depth=1", "workload.0.read_fraction=0.5",
            "cache.capacity=256KiB",    "cpu.instructions_per_call=50",
            "run.requests=8000"};
}

std::vector<std::string> limited(const char* limit = "nand.shallow.retention=50ms")
{
    std::vector<std::string> sets = usual();
    sets.emplace_back(limit);
    return sets;
}

} // namespace

TEST_CASE("shallow: the speed-up writes faster")
{
    const std::vector<std::string> writes = {"precondition.fill=1", "run.requests=20000",
                                             "write.mode=shallow"};
    test::check_direction({"nand.shallow.speed_up", "3", "1.5", mean_write, {}}, files, writes);
}

TEST_CASE("shallow: a longer retention rewrites less, faster time more")
{
    test::check_direction({"nand.shallow.retention", "200ms", "30ms", rewritten, {}}, files,
                          usual());
    test::check_direction({"nand.retention_speed", "1", "4", rewritten, {}}, files,
                          limited("nand.shallow.retention=120ms"));
    test::check_direction({"write.shallow.retention", "50ms", "20ms", rewritten, {}}, files,
                          limited());
    // Firmware that takes it for longer than it is loses data.
    test::check_direction({"write.shallow.retention", "50ms", "100ms", lost, {}}, files, limited());
}

TEST_CASE("shallow: faster time ages what is deep too, where the part has errors")
{
    test::check_direction({"nand.retention_speed", "1", "1000000", corrected, {}},
                          {"device/small", "workload/mixed", "policy/errors-tlc"},
                          {"precondition.fill=0.5", "run.requests=10000",
                           "nand.errors.program_fail=0", "nand.errors.erase_fail=0",
                           "workload.0.range.size=64MiB"});
}

TEST_CASE("shallow: margin and rewriting")
{
    test::check_direction({"write.shallow.margin", "0.05", "0.6", rewritten, {}}, files, limited());
    test::check_direction({"write.shallow.rewrite", "true", "false", lost, {}}, files, limited());
}

TEST_CASE("shallow: policies program less and less that way")
{
    const std::vector<const char*> small = {"workload.0.block_size=8KiB"};
    test::check_direction({"write.shallow.policy", "none", "small_requests", shallow_pages, small},
                          files, limited());
    test::check_direction({"write.shallow.policy",
                           "small_requests",
                           "all",
                           shallow_pages,
                           {"workload.0.block_size=32KiB"}},
                          files, limited());
    test::check_direction({"write.shallow.policy", "predicted", "all", shallow_pages, {}}, files,
                          limited("nand.shallow.retention=20ms"));
    test::check_direction({"write.shallow.small",
                           "4KiB",
                           "8KiB",
                           shallow_pages,
                           {"workload.0.block_size=8KiB", "write.shallow.policy=small_requests"}},
                          files, limited());
}

TEST_CASE("shallow: a predictor that tells regions apart, and one that takes less of a risk")
{
    const std::vector<const char*> hot = {
        "write.shallow.policy=predicted", "workload.0.pattern=hot_cold",
        "workload.0.hot_fraction=0.1",    "workload.0.hot_probability=0.7",
        "workload.0.range.size=16MiB",    "run.requests=24000"};
    test::check_direction({"write.shallow.regions", "4096", "1", wrong, hot}, files,
                          limited("nand.shallow.retention=100ms"));
    test::check_direction({"write.shallow.threshold", "0.05", "0.9", shallow_pages, hot}, files,
                          limited("nand.shallow.retention=100ms"));
}

} // namespace shallow_directions_test
