// SPDX-License-Identifier: Apache-2.0
//
// vm_map: what swaps cost, by hand (docs/ftl/vm_map.md), and that nothing is lost.
#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/vm_map_bench.h"

namespace ssdvp::test::vm_map_test {
namespace {

struct page_costs {
    std::uint64_t reads, programs, erases;
    bool operator==(const page_costs& o) const
    {
        return reads == o.reads && programs == o.programs && erases == o.erases;
    }
    page_costs operator-(const page_costs& o) const
    {
        return {reads - o.reads, programs - o.programs, erases - o.erases};
    }
};

std::ostream& operator<<(std::ostream& os, const page_costs& c)
{
    return os << "R " << c.reads << ", W " << c.programs << ", E " << c.erases;
}

page_costs page_costs_of(const drive& d)
{
    const auto& n = d.nand.count(FLASH_PURPOSE_MAP);
    return {n.reads, n.programs, n.erases};
}

/// A drive whose segments have all been committed.
struct written_drive {
    explicit written_drive(std::uint32_t segments) : d(by_hand(segments))
    {
        write_segments(d);
        before = page_costs_of(d);
    }
    /// The paper's segments of 16 entries: unit 16 is our 512.
    page_costs writes(const std::vector<std::uint64_t>& units)
    {
        for (const std::uint64_t unit : units) {
            write_units(d, {unit / 16 * per_segment + unit % 16});
        }
        return page_costs_of(d) - before;
    }
    drive d;
    page_costs before{};
};

} // namespace

TEST_CASE("vm_map: one segment in memory, 0 16 0 16: R = 16, W = 12, E = 3")
{
    written_drive x(1);
    CHECK(x.writes({0, 16, 0, 16}) == page_costs{16, 12, 3});
    x.d.check_everything();
}

TEST_CASE("vm_map: two segments in memory, 0 16 0 32 16: R = 16, W = 8, E = 2")
{
    written_drive x(2);
    CHECK(x.writes({0, 16, 0, 32, 16}) == page_costs{16, 8, 2});
    x.d.check_everything();
}

TEST_CASE("vm_map: two segments in memory, 0 16 32 0 16 32: R = 24, W = 16, E = 4")
{
    written_drive x(2);
    CHECK(x.writes({0, 16, 32, 0, 16, 32}) == page_costs{24, 16, 4});
    x.d.check_everything();
}

TEST_CASE("vm_map: a clean segment is dropped, one that was never written needs no read")
{
    drive d(by_hand(1));
    d.create_queues();
    write_units(d, {0, per_segment}); // 0 is committed to an erased block, nothing is erased
    CHECK(page_costs_of(d) == page_costs{0, 4, 0});
    read_units(d, {0}); // the other one is dirty too
    CHECK(page_costs_of(d) == page_costs{4, 8, 0});
    read_units(d, {per_segment, 0, 2 * per_segment, 0});
    CHECK(page_costs_of(d) == page_costs{16, 8, 0});
    CHECK(d.nand.counters().map_misses == 7);
    CHECK(d.nand.counters().map_evictions == 6);
    d.check_everything();
}

TEST_CASE("vm_map: mixed commands keep data, and more segments need fewer map reads and programs")
{
    page_costs last{UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (const std::uint32_t segments : {1u, 2u, 3u}) {
        ram_config c = by_hand(segments);
        c.params.cache.policy = CACHE_POLICY_WO_LRU;
        c.params.cache.capacity = 16 * 512;
        c.params.wear.static_delta = segments == 2 ? 2 : 0;
        drive d(c);
        d.create_queues();
        mixed(d, 8000, 1);
        d.start_flush();
        d.idle();
        d.check_everything();
        CHECK(d.mismatches == 0);
        CHECK(d.nand.counters().gc_runs > 10);
        const page_costs now = page_costs_of(d);
        INFO(segments << " segments: " << now);
        CHECK(now.reads < last.reads);
        CHECK(now.programs < last.programs);
        last = now;
        shut_down(d);
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 1);
        d.check_everything();
        d.check_rules();
    }
}

} // namespace ssdvp::test::vm_map_test
