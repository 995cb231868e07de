// SPDX-License-Identifier: Apache-2.0
//
// Block and hybrid mapping under work: random commands against a shadow copy with merges all the
// time, trims, bad blocks, operations that fail, losses of power.
#include <set>

#include "tests/firmware/blockmap_bench.h"

namespace ssdvp::test {
namespace {

boot_ftl_scheme any_scheme()
{
    return GENERATE(from_range(std::begin(placed_schemes), std::end(placed_schemes)));
}

} // namespace

TEST_CASE("blockmap: mixed commands keep data, through cuts and shutdowns")
{
    ram_config c = whole_of(any_scheme());
    c.params.cache_policy = GENERATE(BOOT_CACHE_WO_LRU, BOOT_CACHE_NONE, BOOT_CACHE_RW_LRU);
    c.params.wear_static_delta = 3;
    c.params.checkpoint_units = 256;
    CAPTURE(c.params.ftl_scheme, c.params.cache_policy);
    drive d(c);
    d.create_queues();
    fill(d);
    all_right(d);
    for (std::uint64_t round = 1; round < 4; ++round) {
        mixed(d, 2500, round);
        d.start_flush();
        d.idle();
        d.check_everything();
        d.check_rules();
        if (round == 2) {
            shut_down(d);
        }
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == (round == 2 ? 1u : 2u));
        d.check_everything();
    }
    d.check_rules();
    CHECK(d.mismatches == 0);
}

} // namespace ssdvp::test
