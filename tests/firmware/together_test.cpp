// SPDX-License-Identifier: Apache-2.0
//
// What decides about a write, all at once: the policy of the buffer which unit leaves, its
// placement where it lands, the retention how it is programmed.
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/placement.h"
#include "models/regs/choices/shallow_policy.h"
#include "tests/firmware/cut_rounds.h"

namespace ssdvp::test::together_test {
namespace {

constexpr std::uint64_t limit_ns = 50 * 1000 * 1000;

void use_policy(boot_params& p, cache_policy_id policy)
{
    p.cache.policy = policy;
    p.cache.group_units = p.geometry.pages_per_block * (p.geometry.page_size / p.ftl.map_unit);
    p.cache.window_permille = 250;
    p.cache.window_adapts = 1;
    p.cache.program_cost = 100;
    p.cache.padding = policy == CACHE_POLICY_BPLRU ? 1 : 0;
    p.cache.compensation = p.cache.padding;
    const bool keeps = policy == CACHE_POLICY_RW_CFLRU || policy == CACHE_POLICY_FAB;
    p.cache.ahead_units = keeps ? 16 : 0;
    p.cache.idle_ns = 50000; // shares the timer with the retention
}

void use_placement(boot_params& p, placement_id kind)
{
    p.placement.kind = kind;
    p.placement.order = PLACEMENT_ORDER(0, 1, 2, 3);
    p.placement.window = 2;
    p.placement.dies_per_chip = 1;
    p.geometry.blocks_per_plane += 2;
}

void use_retention(boot_params& p, shallow_policy_id policy)
{
    p.flash.host_program_mode = FLASH_MODE_SHALLOW;
    p.retention.limit_ns = limit_ns;
    p.retention.margin_ns = limit_ns / 4;
    p.retention.policy = policy;
    p.retention.small = 4096;
    p.retention.rewrite = 1;
    p.retention.regions = 64;
    p.retention.threshold = 300;
    p.geometry.blocks_per_plane += 4;
}

} // namespace

TEST_CASE("together: policies, placements and shallow programs keep data, through cuts")
{
    const cache_policy_id policy =
        GENERATE(CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_CFLRU, CACHE_POLICY_FAB, CACHE_POLICY_BPLRU);
    const placement_id kind =
        GENERATE(PLACEMENT_STRIPE, PLACEMENT_STATIC, PLACEMENT_SHORTEST_QUEUE);
    const shallow_policy_id shallow =
        GENERATE(SHALLOW_ALL, SHALLOW_SMALL_REQUESTS, SHALLOW_PREDICTED);
    ram_config c = tiny_drive();
    c.clock = true;
    use_policy(c.params, policy);
    use_placement(c.params, kind);
    use_retention(c.params, shallow);
    c.params.wear.static_delta = 3;
    c.params.map.checkpoint_units = 256;
    CAPTURE(int(policy), int(kind), int(shallow));
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    fill(d);
    mixed_through_cuts(d);
}

} // namespace ssdvp::test::together_test
