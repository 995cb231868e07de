// SPDX-License-Identifier: Apache-2.0
//
// Block and hybrid mapping in whole drives: no dead options, no lost sector.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace block_directions_test {

using namespace ssdvp;

namespace {

using texts = std::vector<std::string>;

double erases(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.erases);
}
double merge_programs(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_MERGE].programs);
}
double map_programs(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_MAP].programs);
}
double searched(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->scan_page_reads);
}
double firmware_ram(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->ram_bytes);
}

texts part(const char* scheme, const texts& more)
{
    texts sets = {std::string("ftl.scheme=") + scheme,
                  "nand.page_order=any",
                  "nand.page_size=4KiB",
                  "nand.oob_size=64B",
                  "nand.pages_per_block=16",
                  "nand.blocks_per_plane=256",
                  "ftl.over_provisioning=0.6"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// 4 KiB writes at random over 2 MiB of a full drive, without a buffer that would sort them.
void check_random(const char* scheme, const std::vector<test::direction>& table)
{
    const texts sets =
        part(scheme, {"precondition.fill=1", "workload.0.block_size=4KiB", "run.requests=4000",
                      "workload.0.range.size=2MiB", "cache.policy=none"});
    for (const test::direction& d : table) {
        test::check_direction(d, {"device/small", "workload/random-write"}, sets);
    }
}

/// The same from the first block to the last one, again and again.
void check_sequential(const char* scheme, const std::vector<test::direction>& table)
{
    const texts sets =
        part(scheme, {"precondition.fill=1", "workload.0.block_size=4KiB", "run.requests=4000",
                      "workload.0.range.size=2MiB", "cache.policy=none"});
    for (const test::direction& d : table) {
        test::check_direction(d, {"device/small", "workload/sequential-write"}, sets);
    }
}

} // namespace

TEST_CASE("block options: more spare pages of msbs put merges off, an index spares its searches")
{
    const std::vector<const char*> reads = {"workload.0.read_fraction=0.5"};
    check_random("msbs", {{"ftl.msbs.spare_pages", "8", "2", erases, {}},
                          {"ftl.msbs.spare_index", "ram", "none", searched, reads}});
}

TEST_CASE("block options: fmax switches what was written in order, an index spares its searches")
{
    const std::vector<const char*> reads = {"workload.0.read_fraction=0.5"};
    check_sequential("fmax", {{"ftl.fmax.switch", "true", "false", erases, {}}});
    check_random("fmax", {{"ftl.fmax.replacement_index", "ram", "none", searched, reads}});
}

TEST_CASE("block options: more moving blocks of lm copy less, of random writes")
{
    check_random("lm", {{"ftl.lm.moving_blocks", "32", "1", merge_programs, {}},
                        {"ftl.lm.moving_blocks", "1", "600", firmware_ram, {}}});
}

TEST_CASE("block options: more log blocks of bast merge less, without partial merges more")
{
    check_random("bast", {{"ftl.bast.log_blocks", "32", "4", erases, {}},
                          {"ftl.bast.log_blocks", "4", "600", firmware_ram, {}},
                          {"ftl.bast.log_info_writes", "false", "true", map_programs, {}}});
    // Half of a logical block at a time: the first half is in order from page 0 on.
    const std::vector<const char*> halves = {"ftl.bast.log_blocks=1", "workload.0.block_size=32KiB",
                                             "run.requests=500"};
    check_random("bast", {{"ftl.bast.partial_merge", "true", "false", erases, halves}});
}

TEST_CASE("block options: more random log blocks of fast merge less")
{
    check_random("fast", {{"ftl.fast.random_log_blocks", "32", "4", erases, {}},
                          {"ftl.fast.random_log_blocks", "4", "32", firmware_ram, {}}});
}

TEST_CASE("block options: more log blocks of sast merge less, of a set or in all")
{
    check_random("sast", {{"ftl.sast.log_blocks", "32", "4", erases, {}},
                          {"ftl.sast.log_blocks", "4", "600", firmware_ram, {}}});
    const std::vector<const char*> many = {"ftl.sast.log_blocks=32"};
    check_random("sast", {{"ftl.sast.set_log_blocks", "4", "1", erases, many}});
    // Larger sets fill their log blocks, where those of small ones are merged half empty.
    check_random("sast", {{"ftl.sast.set_blocks", "16", "1", erases, {"ftl.sast.log_blocks=8"}}});
}

TEST_CASE("block schemes: what lies on the drive is right after random writes, trims and merges")
{
    for (const char* scheme : {"msbs", "fmax", "lm", "bast", "fast"}) {
        INFO(scheme);
        const double merged = test::measure_apart(
            {"device/small", "workload/random-write"},
            part(scheme, {"data=full", "precondition.fill=1", "precondition.overwrite=0.05",
                          "workload.0.block_size=4KiB", "workload.0.read_fraction=0.5",
                          "workload.0.trim_fraction=0.05", "workload.0.range.size=8MiB",
                          "run.requests=12000"}),
            [](const test::platform_run& r) {
                return static_cast<double>(r.measured().ftl->merged_logs);
            });
        CHECK(merged > 0);
    }
}

TEST_CASE("block schemes: what was flushed outlives power cuts")
{
    for (const char* scheme : {"msbs", "fmax", "lm", "bast", "fast"}) {
        INFO(scheme);
        const double cuts = test::measure_apart(
            {"device/small", "workload/random-write"},
            part(scheme, {"data=full", "precondition.fill=1", "workload.0.block_size=4KiB",
                          "workload.0.flush_every=16", "power.cut.at=[10ms, 50ms, 120ms]",
                          "power.verify=all", "run.requests=3000"}),
            [](const test::platform_run& r) {
                return static_cast<double>(r.measured().power->cuts);
            });
        CHECK(cuts == 3);
    }
}

} // namespace block_directions_test
