// SPDX-License-Identifier: Apache-2.0
//
// Policies of the buffer under random commands, with every kind of map, and what their options
// cost.
#include "models/regs/choices/bplru_reading.h"
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/blockmap_bench.h"
#include "tests/firmware/policy_bench.h"
#include "tests/firmware/random_work.h"

namespace ssdvp::test::policies_work_test {
namespace {

constexpr cache_policy_id all_policies[] = {CACHE_POLICY_RW_LRU, CACHE_POLICY_RW_CFLRU,
                                            CACHE_POLICY_FAB, CACHE_POLICY_BPLRU};

/// Every option on.
void use(boot_params& p, cache_policy_id policy, std::uint32_t dirty_permille)
{
    const bool keeps = policy != CACHE_POLICY_WO_LRU && policy != CACHE_POLICY_BPLRU;
    p.cache.policy = policy;
    p.cache.dirty_permille = dirty_permille;
    p.cache.group_units = p.geometry.pages_per_block * (p.geometry.page_size / p.ftl.map_unit);
    p.cache.window_permille = 250;
    p.cache.window_adapts = 1;
    p.cache.program_cost = 100;
    p.cache.padding = policy == CACHE_POLICY_BPLRU ? 1 : 0;
    p.cache.compensation = p.cache.padding;
    p.cache.readings =
        p.cache.padding != 0 && dirty_permille != 0 ? BPLRU_OWN_LEAVES | BPLRU_REWRITE_ENDS : 0;
    p.cache.ahead_units = keeps ? 16 : 0;
    p.cache.idle_ns = 50000;
}

void run_config(const ram_config& c, const mix& m = {})
{
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    run_random(d, m, c.seed * 77 + 1);
}

mix shorter(std::uint64_t operations)
{
    mix m;
    m.operations = operations;
    return m;
}

} // namespace

TEST_CASE("policies keep data under random commands, small and large buffers")
{
    for (const cache_policy_id policy : all_policies) {
        for (const std::uint32_t dirty : {0u, 300u, 1000u}) {
            for (const std::uint64_t units : {0u, 64u, 600u}) {
                ram_config c = tiny_drive();
                CAPTURE(int(policy), dirty, units);
                use(c.params, policy, dirty);
                c.params.cache.capacity = units * c.params.ftl.map_unit;
                c.params.cache.whole_units = units == 64 ? 1 : 0;
                c.seed = 1 + units;
                run_config(c, shorter(6000));
            }
        }
    }
}

TEST_CASE("policies keep data where units are sectors and groups are small")
{
    for (const cache_policy_id policy : all_policies) {
        for (const std::uint32_t group : {1u, 3u, 64u}) {
            ram_config c = one_plane();
            CAPTURE(int(policy), group);
            use(c.params, policy, group == 3 ? 1000 : 0);
            c.params.cache.capacity = 24 * 512;
            c.params.cache.group_units = group;
            mix m = shorter(6000);
            m.sectors_max = 8;
            m.hot = 0.5;
            run_config(c, m);
        }
    }
}

TEST_CASE("policies keep data with every scheme that places pages")
{
    for (const ftl_scheme_id scheme : placed_schemes) {
        for (const cache_policy_id policy : all_policies) {
            ram_config c = whole_of(scheme);
            CAPTURE(int(scheme), int(policy));
            use(c.params, policy, policy == CACHE_POLICY_FAB ? 1000 : 0);
            c.params.cache.group_units -= c.params.map.placed.spare_pages;
            mix m = shorter(1500);
            m.hot = 0.5;
            run_config(c, m);
        }
    }
}

TEST_CASE("policies: programs and erases that fail end in a drive that is read only, and answers")
{
    for (const cache_policy_id policy : all_policies) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            CAPTURE(int(policy), seed);
            ram_config c = tiny_drive();
            use(c.params, policy, seed == 2 ? 1000 : 0);
            fail_until_read_only(c, seed, 150, 40, all_right);
            if (seed != 1) {
                continue;
            }
            c = whole_of(FTL_SCHEME_BAST);
            c.params.geometry.blocks_per_plane = 120;
            c.params.map.log_blocks = 4;
            use(c.params, policy, 0);
            fail_until_read_only(c, seed, 150, 40, all_right);
        }
    }
}

} // namespace ssdvp::test::policies_work_test
