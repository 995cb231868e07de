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

TEST_CASE("map misses: writes that wait for room look at the oldest entries once for all")
{
    // 4 KiB writes dirty all of the table: each needs a dirty entry written, and others wait for
    // the same. With 32 of the oldest looked at for each that asks it was 118,000 at QD32.
    const auto per_write = [](const char* cache, unsigned depth) {
        return test::measure_apart(
            {"device/small", "workload/random-write"},
            {"cpu.core=cortex-r82", "precondition.fill=1", "run.requests=6000", "ftl.scheme=dftl",
             std::string("ftl.map_cache=") + cache,
             "workload.0.queue_depth=" + std::to_string(depth)},
            [](const test::platform_run& r) { return instructions(r) / reads(r); });
    };
    const double few = per_write("64KiB", 32);
    const double many = per_write("64KiB", 128);
    const double small = per_write("16KiB", 32);
    INFO(few << " at QD32, " << many << " at QD128, " << small << " with 16 KiB");
    CHECK(few < 30000);
    CHECK(many < 1.1 * few);
    CHECK(small < 60000);
}

} // namespace map_cost_test
