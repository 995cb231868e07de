// SPDX-License-Identifier: Apache-2.0
//
// vm_map: look-ups in a segment that is still coming in.
#include <algorithm>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/vm_map_bench.h"

namespace ssdvp::test::vm_map_early_test {
namespace {

constexpr std::uint32_t pages = 64;       // of a segment
constexpr std::uint64_t page_units = 128; // that a map page tells of
constexpr std::uint64_t segment_units = pages * page_units;

/// Two segments of 64 map pages, of which one is in memory.
ram_config long_segments()
{
    ram_config c = by_hand(1);
    c.params.geometry.pages_per_block = pages;
    c.params.ftl.user_units = 2 * segment_units;
    c.params.host.mdts = 32768;
    return c;
}

/// Pages of the map that are read, in order. One of them may not be readable.
struct map_reads {
    void watch(ram_config& c)
    {
        c.on_read = [this](const nand_place&, const flash_desc& r) {
            const bool map = r.purpose == FLASH_PURPOSE_MAP && armed;
            if (map) {
                pages.push_back(r.page);
            }
            return ram_config::read_result{map && r.page == bad, 0, false};
        };
    }
    bool armed = false;
    std::uint32_t bad = UINT32_MAX;
    std::vector<std::uint32_t> pages;
};

/// Until a read of that unit of segment 0 has been served: the map pages that were read by then.
std::vector<std::uint32_t> reads_until_served(drive& d, map_reads& x, std::uint64_t unit)
{
    const std::uint64_t before = d.completed;
    x.armed = true;
    REQUIRE(d.start_read(unit, 1));
    while (d.completed == before) {
        REQUIRE(d.pump());
    }
    return x.pages;
}

/// Both segments have been written, at the beginning and in page 40, and are clean; the one that is
/// in memory is 1.
void leave_segment_0(drive& d)
{
    d.create_queues();
    write_units(d, {0, 40 * page_units, segment_units, segment_units + 40 * page_units});
    shut_down(d);
    power_cycle(d);
    REQUIRE(d.nand.counters().recovery_kind == 1);
    d.idle();
    read_units(d, {0, segment_units});
}

} // namespace

TEST_CASE("vm_map: a look-up is served after one page of the segment, and each page is read once")
{
    ram_config c = long_segments();
    map_reads x;
    x.watch(c);
    drive d(c);
    leave_segment_0(d);
    const std::uint64_t misses = d.nand.counters().map_misses;
    const std::uint64_t hits = d.nand.counters().map_hits;
    const auto read = reads_until_served(d, x, 40 * page_units);
    CHECK(read.front() == 40);
    CHECK(read.size() < 16);
    d.idle();
    CHECK(d.nand.counters().map_misses == misses + 1);
    CHECK(d.nand.counters().map_hits == hits);
    CHECK(d.nand.counters().mapped == 4);
    CHECK(x.pages.size() == pages);
    std::sort(x.pages.begin(), x.pages.end());
    CHECK(std::unique(x.pages.begin(), x.pages.end()) == x.pages.end());
    read_units(d, {0});
    CHECK(d.nand.counters().map_hits == hits + 1);
    d.check_everything();
    d.check_rules();
    CHECK(d.mismatches == 0);
}

TEST_CASE("vm_map: a page that is asked for while its segment comes in is read next")
{
    ram_config c = long_segments();
    map_reads x;
    x.watch(c);
    drive d(c);
    leave_segment_0(d);
    CHECK(reads_until_served(d, x, 20 * page_units).front() == 20);
    const auto read = reads_until_served(d, x, 40 * page_units);
    CHECK(std::count(read.begin(), read.end(), 40) == 1);
    CHECK(read.size() < 24);
    d.idle();
    CHECK(x.pages.size() == pages);
    d.check_everything();
    CHECK(d.mismatches == 0);
}

TEST_CASE("vm_map: what a page that cannot be read told of is lost, before the rest is there")
{
    ram_config c = long_segments();
    c.quiet = true;
    map_reads x;
    x.bad = 40;
    x.watch(c);
    drive d(c);
    leave_segment_0(d);
    CHECK(reads_until_served(d, x, 40 * page_units).size() < 16);
    CHECK(d.statuses[unrecovered] == 1);
    d.idle();
    CHECK(d.nand.counters().read_only == 1);
    CHECK(status_of_read(d, 0, 1) == 0);
}

TEST_CASE("vm_map: look-ups while segments are swapped find what collection has moved meanwhile")
{
    const std::uint64_t seed = GENERATE(1, 2);
    ram_config c = long_segments();
    c.params.geometry.blocks_per_plane = 330;
    c.params.cache.policy = CACHE_POLICY_WO_LRU;
    c.params.cache.capacity = 16 * 512;
    drive d(c);
    d.create_queues();
    fill(d);
    mixed(d, 6000, seed);
    d.start_flush();
    d.idle();
    d.check_everything();
    CHECK(d.mismatches == 0);
    CHECK(d.nand.counters().gc_runs > 10);
    CHECK(d.nand.counters().valid == d.nand.counters().mapped);
    shut_down(d);
    power_cycle(d);
    mixed(d, 500, seed + 2);
    d.idle();
    d.check_everything();
    CHECK(d.mismatches == 0);
    d.check_rules();
}

} // namespace ssdvp::test::vm_map_early_test
