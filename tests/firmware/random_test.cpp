// SPDX-License-Identifier: Apache-2.0
//
// Long random runs against the shadow copy on a tiny drive under collection pressure.
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/random_work.h"

namespace ssdvp::test::random_test {
namespace {

void run_config(const ram_config& c, const mix& m = {})
{
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    run_random(d, m, c.seed * 77 + 1);
    CHECK(d.nand.counters().gc_runs > 10);
}

} // namespace

TEST_CASE("random commands keep data: write buffer, multi-plane")
{
    ram_config c = tiny_drive();
    c.seed = GENERATE(1u, 2u, 3u);
    run_config(c);
}

TEST_CASE("random commands keep data: small and large buffer")
{
    ram_config c = tiny_drive();
    c.params.cache.capacity = GENERATE(0u, 16u * 4096u, 600u * 4096u);
    run_config(c);
}

TEST_CASE("random commands keep data: no cache")
{
    ram_config c = tiny_drive();
    c.params.cache.policy = CACHE_POLICY_NONE;
    c.seed = GENERATE(4u, 5u);
    run_config(c);
}

TEST_CASE("random commands keep data: a buffer that keeps clean units, small and large")
{
    ram_config c = tiny_drive();
    c.params.cache.policy = CACHE_POLICY_RW_LRU;
    c.params.cache.capacity = GENERATE(0u, 16u * 4096u, 64u * 4096u, 600u * 4096u);
    c.seed = GENERATE(1u, 2u, 3u);
    run_config(c);
}

TEST_CASE("random commands keep data: one plane at a time")
{
    ram_config c = tiny_drive();
    c.params.ftl.multi_plane = 0;
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    run_config(c);
}

TEST_CASE("random commands keep data: 512-byte pages, one unit each")
{
    ram_config c = tiny_drive();
    c.params.geometry.page_size = 512;
    c.params.geometry.oob_size = 16;
    c.params.ftl.map_unit = 512;
    c.params.host.mdts = 4096;
    c.params.geometry.pages_per_block = 16;
    c.params.ftl.user_units = 17 * 4 * 2 * 16; // 17 of 24 superblocks
    c.params.cache.capacity = 64 * 512;
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    mix m;
    m.sectors_max = 8;
    run_config(c, m);
}

TEST_CASE("random commands keep data: sizes that are no powers of two")
{
    ram_config c = tiny_drive();
    c.params.geometry.channels = 3;
    c.params.geometry.luns_per_channel = 1;
    c.params.geometry.planes = 3;
    c.params.geometry.pages_per_block = 7;
    c.params.geometry.page_size = 12288;
    c.params.geometry.oob_size = 64;
    c.params.ftl.user_units = 16 * 3 * 3 * 7 * 3; // 16 of 24 superblocks
    c.params.cache.policy = GENERATE(CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    run_config(c);
}

TEST_CASE("random commands keep data: Deallocate ignored")
{
    ram_config c = tiny_drive();
    c.params.host.trim = 0;
    drive d(c);
    d.create_queues();
    run_random(d, {}, 9);
    CHECK(d.nand.counters().trimmed_units == 0);
}

TEST_CASE("random commands keep data: full bytes")
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2;
    c.params.cache.policy = GENERATE(CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    mix m;
    m.operations = 20000;
    run_config(c, m);
}

TEST_CASE("random commands keep data: both wear options")
{
    ram_config c = tiny_drive();
    c.params.wear.static_delta = GENERATE(4u, 1u);
    c.params.wear.dynamic = GENERATE(0u, 1u);
    mix m;
    m.hot = 0.9;
    run_config(c, m);
}

TEST_CASE("random commands keep data: write-heavy, everything in order")
{
    ram_config c = tiny_drive();
    c.random_delays = false;
    mix m;
    m.read = 10;
    m.write = 85;
    m.trim = 0;
    m.zeroes = 0;
    run_config(c, m);
}

TEST_CASE("random commands keep data: superblocks of one block")
{
    ram_config c = tiny_drive();
    c.params.ftl.stripe = STRIPE_BLOCK;
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    c.params.wear.static_delta = GENERATE(0u, 2u);
    run_config(c);
}

} // namespace ssdvp::test::random_test
