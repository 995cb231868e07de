// SPDX-License-Identifier: Apache-2.0
//
// A map that does not answer every question at once: nothing is lost, nothing stalls, every change
// is pinned and every pin given back.
#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/erring_drive.h"

extern "C" {
#include "tests/support/shy_map.h"
}

namespace ssdvp::test::shy_test {
namespace {

void check_shy(drive& d)
{
    d.start_flush();
    d.idle();
    CHECK(shy_pins() == 0);
    CHECK(shy_refusals() > 500);
    all_right(d);
}

} // namespace

TEST_CASE("shy map: mixed commands keep data")
{
    ram_config c = tiny_drive();
    const std::uint32_t seed = GENERATE(1u, 2u);
    c.seed = seed;
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    c.params.ftl.multi_plane = seed - 1;
    c.params.wear.static_delta = seed == 1 ? 0 : 2;
    shy_begin(GENERATE(5u, 60u), seed);
    drive d(c);
    d.create_queues();
    mixed(d, 20000, seed);
    CHECK(d.nand.counters().gc_runs > 10);
    check_shy(d);
    CHECK(d.statuses.size() == 1);
}

TEST_CASE("shy map: copyback keeps data")
{
    ram_config c = tiny_drive();
    c.params.gc.copyback = 1;
    c.params.geometry.page_size = 4096;
    c.params.geometry.pages_per_block = 16;
    shy_begin(GENERATE(5u, 60u), 7);
    drive d(c);
    d.create_queues();
    mixed(d, 20000, 3);
    CHECK(d.nand.count(FLASH_PURPOSE_GC).copybacks > 100);
    check_shy(d);
    CHECK(d.statuses.size() == 1);
}

TEST_CASE("shy map: reads that fail, with and without their spare words")
{
    ram_config c = tiny_drive();
    const std::uint32_t seed = GENERATE(1u, 2u, 3u);
    c.seed = seed;
    c.params.flash.retry_levels = 1;
    shy_begin(40, seed);
    std::mt19937_64 fate(seed);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [&fate](const nand_place&, const flash_desc&) {
        return ram_config::read_result{fate() % 30 == 0, 0, fate() % 2 == 0};
    };
    x.armed = true;
    mixed(d, 15000, seed);
    CHECK(d.nand.counters().units_lost > 10);
    x.armed = false;
    check_shy(d);
}

} // namespace ssdvp::test::shy_test
