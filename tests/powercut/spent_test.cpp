// SPDX-License-Identifier: Apache-2.0
//
// vm_map whose map blocks fail one after the other until no commit finds one. The drive is read
// only then, and ends what it cannot do; all that it ever acknowledged is read right: while it
// serves, after a shutdown, and after cuts.
#include <catch2/catch.hpp>

#include "tests/powercut/campaign_parts.h"

namespace ssdvp::test::spent_test {
namespace {

cut_setup few_slots(std::uint32_t slots, std::uint64_t seed)
{
    cut_setup s = setup_of("vm_map", "segments");
    s.config.params.map.segments = slots;
    s.config.seed = seed;
    s.faults.failed_max = 0;
    return s;
}

/// Map blocks lie below the middle of the part, where the anchor's begin (segments_boot.c). Six of
/// them for three segments.
void weaken_map_blocks(ram_config& c, bool programs)
{
    const std::uint32_t middle = c.params.geometry.blocks_per_plane / 2;
    for (std::uint32_t n = 0; n < 6; ++n) {
        (programs ? c.weak : c.erase_weak).insert({n % 2, 0, 0, middle - 1 - n / 2});
    }
    c.weak_page = 1;
}

bool spent(const cut_drive& d)
{
    const telemetry& t = d.nand.counters();
    return t.read_only != 0 && t.spare_percent == 0;
}

void all_is_right(cut_drive& d)
{
    REQUIRE(d.host.check_everything());
    INFO(d.host.found.first);
    REQUIRE(d.host.found.good());
    REQUIRE(d.nand.broken().empty());
}

void up_again(cut_drive& d)
{
    d.nand.power_cut();
    d.host.power_lost();
    REQUIRE(d.host.power_up());
    all_is_right(d);
}

enum class moment { NEW, USED };

void use_up(std::uint32_t slots, bool programs, moment when, std::uint64_t seed)
{
    CAPTURE(slots, programs, when == moment::NEW, seed);
    cut_drive d(few_slots(slots, seed));
    cut_workload work(seed);
    if (when == moment::NEW) {
        weaken_map_blocks(d.nand.config, programs);
    }
    REQUIRE(d.host.power_up());
    REQUIRE(work.fill(d));
    if (when == moment::USED) { // collection has moved units
        for (int n = 0; n < 100 && d.nand.counters().gc_units_moved < 300; ++n) {
            REQUIRE(work.run(d, 50));
        }
        REQUIRE(d.nand.counters().read_only == 0);
        weaken_map_blocks(d.nand.config, programs);
    }
    for (int n = 0; n < 100 && !spent(d); ++n) {
        REQUIRE(work.run(d, 20));
    }
    REQUIRE(d.host.drain()); // nothing waits for ever
    REQUIRE(spent(d));
    CHECK(d.nand.failed_blocks() >= 3);
    all_is_right(d);
    REQUIRE(work.run(d, 200));
    all_is_right(d);
    up_again(d);
    const std::uint64_t before = d.host.found.refused;
    REQUIRE(work.run(d, 400)); // which blocks have failed it finds out again
    REQUIRE(d.host.drain());
    CHECK(d.host.found.refused > before);
    all_is_right(d);
    REQUIRE(d.host.shut_down());
    up_again(d);
}

} // namespace

TEST_CASE("spent: erases of map blocks fail, a segment in memory")
{
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        use_up(1, false, moment::USED, seed);
    }
}

TEST_CASE("spent: programs of map blocks fail, a segment in memory")
{
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        use_up(1, true, moment::USED, seed);
    }
}

TEST_CASE("spent: two segments in memory")
{
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        use_up(2, seed % 2 != 0, moment::USED, seed);
    }
}

TEST_CASE("spent: a new drive whose map blocks fail with the first data")
{
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        use_up(1, seed % 2 != 0, moment::NEW, seed);
    }
}

} // namespace ssdvp::test::spent_test
