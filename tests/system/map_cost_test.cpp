// SPDX-License-Identifier: Apache-2.0
//
// What a miss of a paged map takes the core: the instructions that a read takes beyond those of
// page_map, whose map is in memory. They are the fetch, the check of the page's content, the entry
// in the table and its leaving; they do not grow with the number of reads that wait. And what a
// write takes that has to wait for room in the table.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace map_cost_test {

using namespace ssdvp;
using texts = std::vector<std::string>;

namespace {

const texts files = {"device/small", "workload/random-read"};

texts sets_of(const std::string& scheme, unsigned depth)
{
    texts sets = {"cpu.core=cortex-r82",
                  "precondition.fill=1",
                  "run.requests=5000",
                  "run.warmup=1000",
                  "host.nvme.slots=512",
                  "ftl.scheme=" + scheme,
                  "workload.0.queue_depth=" + std::to_string(depth)};
    if (scheme != "page_map") {
        sets.emplace_back("ftl.map_cache=64KiB");
    }
    return sets;
}

double instructions(const test::platform_run& r)
{
    return static_cast<double>(r.measured().cpu.at(0).instructions);
}
double misses(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->map_misses);
}

double reads(const test::platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests());
}

/// Beyond those of page_map.
double more_instructions(const std::string& scheme, unsigned depth)
{
    return test::measure_apart(files, sets_of(scheme, depth), instructions) -
           test::measure_apart(files, sets_of("page_map", depth), instructions);
}

double per_miss(const std::string& scheme, unsigned depth)
{
    const double missed = test::measure_apart(files, sets_of(scheme, depth), misses);
    REQUIRE(missed > 1000);
    return more_instructions(scheme, depth) / missed;
}

double per_read(const std::string& scheme, unsigned depth)
{
    return more_instructions(scheme, depth) /
           test::measure_apart(files, sets_of(scheme, depth), reads);
}

} // namespace

TEST_CASE("map misses: one takes some thousand instructions")
{
    for (const char* scheme : {"dftl", "log_set"}) {
        for (const unsigned depth : {1u, 8u}) {
            const double n = per_miss(scheme, depth);
            INFO(scheme << " at QD" << depth << ": " << n << " instructions");
            CHECK(n < 14000);
        }
    }
}

TEST_CASE("map misses: reads that wait cost nothing while they wait, however many they are")
{
    for (const char* scheme : {"dftl", "log_set"}) {
        const double few = per_read(scheme, 32);
        const double many = per_read(scheme, 256);
        INFO(scheme << ": " << few << " and " << many << " instructions more than page_map");
        CHECK(few < 14000);
        CHECK(many < few); // they share rounds and map pages
    }
}

TEST_CASE("map misses: who writes, or collects, is told when there is room for its entry")
{
    // 4 KiB writes dirty all of the table: each needs a dirty entry written, and others wait for
    // the same. In brackets: with everybody who waits asking in each round.
    const auto per_write = [](const texts& more) {
        texts sets = {"cpu.core=cortex-r82", "precondition.fill=1",       "run.requests=6000",
                      "ftl.scheme=dftl",     "workload.0.queue_depth=32", "ftl.map_cache=64KiB"};
        sets.insert(sets.end(), more.begin(), more.end());
        return test::measure_apart(
            {"device/small", "workload/random-write"}, sets,
            [](const test::platform_run& r) { return instructions(r) / reads(r); });
    };
    const std::string full = "precondition.overwrite=1";
    const double few = per_write({});
    const double many = per_write({"workload.0.queue_depth=128"});
    CAPTURE(few, many);
    CHECK(few < 18000); // 23,300
    CHECK(many < 1.1 * few);
    CHECK(per_write({"ftl.map_cache=16KiB"}) < 21000);                             // 47,600
    CHECK(per_write({"ftl.map_memory=hmb", "ftl.map_cache=16KiB"}) < 18000);       // 37,000
    CHECK(per_write({full}) < 24000);                                              // 33,500
    CHECK(per_write({full, "ftl.map_memory=hmb", "ftl.map_cache=16KiB"}) < 31000); // 75,600
}

} // namespace map_cost_test
