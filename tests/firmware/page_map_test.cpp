// SPDX-License-Identifier: Apache-2.0
//
// The page map's entries on both sides of 31 bits.
#include <catch2/catch.hpp>
#include <sys/mman.h>

extern "C" {
#include "firmware/flash/blocks.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/maps.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/stats.h"
#include "firmware/recovery/recovery.h"
}

namespace ssdvp::test {
namespace {

constexpr std::uint64_t dram_bytes = 8ull << 30; // touched where a test does

/// Map and block tables of a part with `rows` pages of 2 LUNs x 1 plane x 4 units.
struct mapped_part {
    hal_ops ops{};
    hal port{&ops, nullptr, nullptr, nullptr};
    geometry geo{};
    stats counters{};
    arenas memory{};
    blocks table{};
    ftl map{};
    maps levels{};
    recovery past{};
    env e{};
    void* dram;

    mapped_part(std::uint32_t blocks, std::uint32_t pages)
        : dram(mmap(nullptr, dram_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        REQUIRE(dram != MAP_FAILED);
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        geo.luns = 2;
        geo.planes = 1;
        geo.plane_all = 1;
        geo.slots = geo.group = 4;
        geo.slot_bits = 2;
        geo.lun_shift = 2;
        geo.row_shift = 3;
        geo.blocks = blocks;
        geo.pages = pages;
        geo.pages_shift = 32;
        geo.user_units = 1ull << 28;
        geo.unit_size = 4096;
        geo.unit_shift = 12;
        e.hal = &port;
        e.dram = static_cast<std::uint8_t*>(dram);
        e.geo = &geo;
        e.stats = &counters;
        e.arenas = &memory;
        e.blocks = &table;
        e.ftl = &map;
        e.maps = &levels;
        e.recovery = &past;
        arenas_init(&e, 1u << 20, 0, dram_bytes);
        const blocks_setup setup{};
        REQUIRE(blocks_init(&e, &setup) == 0);
        REQUIRE(ftl_page_map.init(&e) == 0);
        for (std::uint32_t b = 0; b < blocks; ++b) {
            superblock_of(&e, &table, b)->state = BLOCK_FULL;
        }
    }
    mapped_part(const mapped_part&) = delete;
    mapped_part& operator=(const mapped_part&) = delete;
    ~mapped_part() { munmap(dram, dram_bytes); }

    [[nodiscard]] std::uint64_t addresses() const
    {
        return (std::uint64_t{geo.blocks} * geo.pages) << geo.row_shift;
    }
    bool valid(std::uint64_t address)
    {
        const auto* bits = static_cast<const std::uint64_t*>(env_dram(&e, table.valid_map));
        return (bits[address / 64] >> (address % 64) & 1) != 0;
    }
};

void walk(mapped_part& p)
{
    const ftl_ops& map = ftl_page_map;
    const std::uint64_t last = p.geo.user_units - 1;
    const std::uint64_t high = p.addresses() - 1;
    CHECK(map.lookup(&p.e, last) == FTL_NONE);
    map.commit(&p.e, last, high);
    map.commit(&p.e, last - 1, 0);
    CHECK(map.lookup(&p.e, last) == high);
    CHECK(map.lookup(&p.e, last - 1) == 0);
    CHECK(p.valid(high));
    map.lose(&p.e, last);
    CHECK(map.lookup(&p.e, last) == (high | FTL_LOST));
    CHECK(p.counters.lost_units == 1);
    CHECK(map.move(&p.e, last, high - 1, high - 2) == 0);
    CHECK(map.move(&p.e, last, high, high - 1) == 1);
    CHECK(map.lookup(&p.e, last) == ((high - 1) | FTL_LOST));
    CHECK_FALSE(p.valid(high));
    CHECK(p.valid(high - 1));
    map.commit(&p.e, last, high);
    CHECK(map.lookup(&p.e, last) == high);
    CHECK(p.counters.lost_units == 0);
    CHECK(map.pin(&p.e, last) == 1);
    CHECK(map.trim(&p.e, last) == 1);
    map.unpin(&p.e, last);
    CHECK(map.trim(&p.e, last) == 0);
    CHECK_FALSE(p.valid(high));
    CHECK(p.counters.mapped == 1);
}

} // namespace

TEST_CASE("page map: entries have 4 bytes while an address plus one fits 31 bits")
{
    mapped_part p(6235, 43053);
    CHECK(p.addresses() == (1ull << 31) - 8);
    CHECK(p.levels.wide == 0);
    walk(p);
}

TEST_CASE("page map: entries have 8 bytes beyond")
{
    mapped_part p(1u << 18, 1u << 10); // 2^31 addresses
    CHECK(p.addresses() == 1ull << 31);
    CHECK(p.levels.wide == 1);
    walk(p);
}

TEST_CASE("page map: addresses beyond 32 bits")
{
    mapped_part p(1u << 17, 1u << 13);
    CHECK(p.addresses() == 1ull << 33);
    CHECK(p.levels.wide == 1);
    walk(p);
}

} // namespace ssdvp::test
