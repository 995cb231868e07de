// SPDX-License-Identifier: Apache-2.0
//
// vm_map, power that goes every so many flash operations: commits of 64 programs, so that a
// checkpoint never ends between two cuts. The replay window must shrink all the same.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/powercut/campaign_parts.h"

namespace ssdvp::test::progress_test {
namespace {

/// Four segments of 64 pages, 8192 entries each.
cut_setup long_commits(std::uint32_t slots)
{
    cut_setup s = setup_of("vm_map", "segments");
    boot_params& p = s.config.params;
    p.geometry.pages_per_block = 64;
    p.geometry.page_size = 512;
    p.geometry.oob_size = 16;
    p.ftl.user_units = 4 * 8192;
    p.geometry.blocks_per_plane = 340;
    p.map.segments = slots;
    p.dram_size = 32u << 20;
    s.faults.failed_max = 0;
    return s;
}

struct lives {
    std::vector<std::uint64_t> windows; // programs to replay, at each power-up that came through
    std::uint64_t boots_cut = 0;
};

/// Requests and power-ups, with a cut after each `every` programs, copybacks and erases.
lives live(cut_drive& d, cut_workload& work, std::uint64_t every, std::uint32_t cuts)
{
    lives all;
    for (std::uint32_t n = 0; n < cuts; ++n) {
        d.points.arm(2 * every); // one when it begins, one when it has ended
        if (n != 0 && !d.host.power_up()) {
            REQUIRE_FALSE(d.nand.powered());
            ++all.boots_cut;
        } else {
            all.windows.push_back(d.nand.counters().recovery_programs);
            REQUIRE_FALSE(work.run(d, 10000));
        }
        INFO("cut " << n << ": " << d.host.found.first);
        REQUIRE(d.host.found.good());
        REQUIRE_FALSE(d.nand.powered());
        d.host.power_lost();
    }
    return all;
}

void shrinks(std::uint32_t slots, std::uint64_t every, std::uint64_t most)
{
    cut_drive d(long_commits(slots));
    cut_workload work(slots);
    REQUIRE(d.host.power_up());
    REQUIRE(work.fill(d));
    const lives all = live(d, work, every, 120);
    const std::size_t half = all.windows.size() / 2;
    REQUIRE(half >= 8);
    const auto middle = all.windows.begin() + static_cast<std::ptrdiff_t>(half);
    const std::uint64_t later = *std::max_element(middle, all.windows.end());
    CAPTURE(slots, every, all.boots_cut, *std::max_element(all.windows.begin(), middle));
    CHECK(later <= most);
    d.points.disarm();
    REQUIRE(d.host.power_up());
    CHECK(d.host.check_everything());
    CHECK(d.host.found.good());
}

} // namespace

/// A power-up commits one of four segments and so leaves the programs of at most four lives, with
/// the 64 that make a checkpoint due.
TEST_CASE("progress: commits of 64 programs, a cut every 150 operations")
{
    shrinks(4, 150, 4 * 150 + 64);
}

TEST_CASE("progress: commits of 64 programs, a cut every 90 operations")
{
    shrinks(4, 90, 4 * 90 + 64);
}

TEST_CASE("progress: commits of 64 programs, a cut every 150 operations, two segments in memory")
{
    shrinks(2, 150, 4 * 150 + 64);
}

} // namespace ssdvp::test::progress_test
