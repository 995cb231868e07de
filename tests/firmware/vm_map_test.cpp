// SPDX-License-Identifier: Apache-2.0
//
// vm_map: what swaps cost, by hand (ALGORITHMS.md section 6.4), and that nothing is lost.
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test {
namespace {

/// A page is a unit of 512 bytes, so a map page has 128 entries and a block of 4 pages 512 of them:
/// units 0, 512 and 1024 lie in three segments. Nothing is buffered.
constexpr std::uint64_t per_segment = 512;

ram_config by_hand(std::uint32_t segments)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.channels = p.luns_per_channel = p.planes = 1;
    p.blocks_per_plane = 460;
    p.pages_per_block = 4;
    p.page_size = p.map_unit = 512;
    p.oob_size = 16;
    p.user_units = 3 * per_segment;
    p.cache_policy = BOOT_CACHE_NONE;
    p.cache_capacity = 0;
    p.mdts = 4096;
    p.checkpoint_units = 1u << 12;
    p.ftl_scheme = BOOT_FTL_VM_MAP;
    p.map_segments = segments;
    return c;
}

struct costs {
    std::uint64_t reads, programs, erases;
    bool operator==(const costs& o) const
    {
        return reads == o.reads && programs == o.programs && erases == o.erases;
    }
    costs operator-(const costs& o) const
    {
        return {reads - o.reads, programs - o.programs, erases - o.erases};
    }
};

std::ostream& operator<<(std::ostream& os, const costs& c)
{
    return os << "R " << c.reads << ", W " << c.programs << ", E " << c.erases;
}

costs costs_of(const drive& d)
{
    const auto& n = d.nand.count(FLASH_PURPOSE_MAP);
    return {n.reads, n.programs, n.erases};
}

/// A drive whose segments have all been committed.
struct written_drive {
    explicit written_drive(std::uint32_t segments) : d(by_hand(segments))
    {
        d.create_queues();
        write_units(d, {0, per_segment, 2 * per_segment});
        shut_down(d);
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 1);
        d.idle();
        before = costs_of(d);
    }
    /// The paper's segments of 16 entries: unit 16 is our 512.
    costs writes(const std::vector<std::uint64_t>& units)
    {
        for (const std::uint64_t unit : units) {
            write_units(d, {unit / 16 * per_segment + unit % 16});
        }
        return costs_of(d) - before;
    }
    drive d;
    costs before{};
};

} // namespace

TEST_CASE("vm_map: one segment in memory, 0 16 0 16: R = 16, W = 12, E = 3")
{
    written_drive x(1);
    CHECK(x.writes({0, 16, 0, 16}) == costs{16, 12, 3});
    x.d.check_everything();
}

TEST_CASE("vm_map: two segments in memory, 0 16 0 32 16: R = 16, W = 8, E = 2")
{
    written_drive x(2);
    CHECK(x.writes({0, 16, 0, 32, 16}) == costs{16, 8, 2});
    x.d.check_everything();
}

TEST_CASE("vm_map: two segments in memory, 0 16 32 0 16 32: R = 24, W = 16, E = 4")
{
    written_drive x(2);
    CHECK(x.writes({0, 16, 32, 0, 16, 32}) == costs{24, 16, 4});
    x.d.check_everything();
}

TEST_CASE("vm_map: a clean segment is dropped, one that was never written needs no read")
{
    drive d(by_hand(1));
    d.create_queues();
    write_units(d, {0, per_segment}); // 0 is committed to an erased block, nothing is erased
    CHECK(costs_of(d) == costs{0, 4, 0});
    read_units(d, {0}); // the other one is dirty too
    CHECK(costs_of(d) == costs{4, 8, 0});
    read_units(d, {per_segment, 0, 2 * per_segment, 0});
    CHECK(costs_of(d) == costs{16, 8, 0});
    CHECK(d.nand.counters().map_misses == 7);
    CHECK(d.nand.counters().map_evictions == 6);
    d.check_everything();
}

TEST_CASE("vm_map: mixed commands keep data, and more segments need fewer map reads and programs")
{
    costs last{UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (const std::uint32_t segments : {1u, 2u, 3u}) {
        ram_config c = by_hand(segments);
        c.params.cache_policy = BOOT_CACHE_WO_LRU;
        c.params.cache_capacity = 16 * 512;
        c.params.wear_static_delta = segments == 2 ? 2 : 0;
        drive d(c);
        d.create_queues();
        mixed(d, 8000, 1);
        d.start_flush();
        d.idle();
        d.check_everything();
        CHECK(d.mismatches == 0);
        CHECK(d.nand.counters().gc_runs > 10);
        const costs now = costs_of(d);
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

} // namespace ssdvp::test
