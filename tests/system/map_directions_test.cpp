// SPDX-License-Identifier: Apache-2.0
//
// No dead options: those of maps that are paged between DRAM and flash.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace map_directions_test {

using namespace ssdvp;
using test::mean_write;

namespace {

double map_reads(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_MAP].reads);
}
double map_programs(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_MAP].programs);
}
double firmware_ram(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->ram_bytes);
}
double hit_share(const test::platform_run& r)
{
    const auto hits = static_cast<double>(r.measured().ftl->map_hits);
    return hits / (hits + static_cast<double>(r.measured().ftl->map_misses));
}
double free_blocks(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->free_blocks);
}

double moved_pages(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_GC].programs);
}

/// Several map pages per megabyte of the drive.
const std::vector<std::string> small_pages = {
    "ftl.scheme=log_set", "ftl.map_unit=512B",   "nand.oob_size=1KiB",
    "run.requests=6000",  "precondition.fill=1", "cpu.instructions_per_call=50"};

} // namespace

TEST_CASE("log_set: a larger buffer needs fewer map reads and writes, and more DRAM")
{
    const std::vector<test::direction> table = {
        {"ftl.map_cache", "1MiB", "128KiB", map_reads, {}},
        {"ftl.map_cache", "1MiB", "128KiB", map_programs, {}},
        {"ftl.map_cache", "1MiB", "128KiB", mean_write, {}},
        {"ftl.map_cache", "128KiB", "1MiB", firmware_ram, {}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, {"device/small", "workload/random-write"}, small_pages);
    }
}

TEST_CASE("log_set: where some data are hot, lru hits more than fifo")
{
    test::check_direction({"ftl.log_set.map_policy",
                           "fifo",
                           "lru",
                           hit_share,
                           {"workload.0.pattern=hot_cold", "workload.0.hot_fraction=0.1",
                            "workload.0.hot_probability=0.8", "ftl.map_cache=256KiB"}},
                          {"device/small", "workload/random-write"}, small_pages);
}

TEST_CASE("log_set: with a lower threshold victims hold more, with a higher one fewer are taken")
{
    for (const char* policy : {"gc.policy=greedy", "gc.policy=cost_benefit"}) {
        const std::vector<const char*> also = {"ftl.map_unit=4KiB", "ftl.over_provisioning=0.4",
                                               "run.requests=33000", policy};
        test::check_direction({"ftl.log_set.invalid_threshold", "0", "0.3", free_blocks, also},
                              {"device/small", "workload/random-write"}, small_pages);
        test::check_direction({"ftl.log_set.invalid_threshold", "0.9", "0.3", moved_pages, also},
                              {"device/small", "workload/random-write"}, small_pages);
    }
}

TEST_CASE("dftl: a full drive of small units is overwritten before the run")
{
    struct drive {
        std::vector<std::string> geometry;
        double pages; // of it
    };
    // 1,639 map pages of 1 KiB, 16 to a flash page: one by one they would fill the spare room. Then
    // 39 of 2 KiB, 8 to a page: one by one they would fill a superblock, which is one block.
    const auto small = GENERATE(values<drive>(
        {{{"ftl.map_unit=1KiB", "nand.blocks_per_plane=64"}, 64 * 64 * 8},
         {{"ftl.map_unit=2KiB", "nand.blocks_per_plane=128", "nand.pages_per_block=24",
           "nand.planes=1", "flash.channels=1", "flash.luns_per_channel=1", "ftl.map_cache=64KiB"},
          128 * 24}}));
    std::vector<std::string> sets = {"ftl.scheme=dftl", "precondition.fill=1",
                                     "precondition.overwrite=1", "run.requests=100",
                                     "cpu.hang_limit=10s"};
    sets.insert(sets.end(), small.geometry.begin(), small.geometry.end());
    const double pages = test::measure_apart(
        {"device/small", "workload/random-write"}, sets, [](const test::platform_run& r) {
            return static_cast<double>(r.sim->preconditioned_pages());
        });
    const double written = 2 * 0.8 * small.pages; // by the host
    CHECK(pages > 2 * written);
    CHECK(pages < 4 * written);
}

TEST_CASE("log_set: logical blocks cost copies, a W-log saves most of them")
{
    const auto copies = [](const test::platform_run& r) {
        return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_GC].programs);
    };
    const std::vector<std::string> blocks = {
        "ftl.scheme=log_set",          "ftl.stripe=block",         "ftl.map_unit=16KiB",
        "nand.pages_per_block=32",     "run.requests=600",         "precondition.fill=1",
        "workload.0.block_size=16KiB", "ftl.over_provisioning=0.4"};
    std::vector<std::string> both = blocks;
    both.emplace_back("ftl.log_set.unit=block");
    test::check_direction({"ftl.log_set.unit", "page", "block", copies, {}},
                          {"device/small", "workload/random-write"}, blocks);
    test::check_direction({"ftl.log_set.w_log", "64", "0", copies, {}},
                          {"device/small", "workload/random-write"}, both);
    test::check_direction({"ftl.log_set.w_log", "64", "0", mean_write, {}},
                          {"device/small", "workload/random-write"}, both);
    both.emplace_back("ftl.log_set.w_log=64");
    both.emplace_back("workload.0.pattern=hot_cold");
    both.emplace_back("workload.0.hot_fraction=0.02");
    test::check_direction({"ftl.log_set.w_threshold", "0", "1", copies, {}},
                          {"device/small", "workload/random-write"}, both);
}

} // namespace map_directions_test
