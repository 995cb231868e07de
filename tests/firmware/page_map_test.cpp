// SPDX-License-Identifier: Apache-2.0
//
// The page map's entries on both sides of 31 bits; tables of the schemes.
extern "C" {
#include "firmware/map/schemes.h"
}
#include "tests/firmware/mapped_part.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace ssdvp::test::page_map_test {
namespace {

/// A part with `rows` pages of 2 LUNs x 1 plane x 4 units.
mapped_part with_rows(std::uint32_t blocks, std::uint32_t pages)
{
    geometry geo{};
    geo.luns = 2;
    geo.page_units = 4;
    geo.unit_bits = 2;
    geo.blocks = blocks;
    geo.pages = pages;
    geo.user_units = 1ull << 28;
    geo.unit_shift = 12;
    return mapped_part(geo);
}

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
    mapped_part p = with_rows(6235, 43053);
    CHECK(p.addresses() == (1ull << 31) - 8);
    CHECK(p.levels.wide == 0);
    walk(p);
}

TEST_CASE("page map: entries have 8 bytes beyond")
{
    mapped_part p = with_rows(1u << 18, 1u << 10); // 2^31 addresses
    CHECK(p.addresses() == 1ull << 31);
    CHECK(p.levels.wide == 1);
    walk(p);
}

TEST_CASE("page map: addresses beyond 32 bits")
{
    mapped_part p = with_rows(1u << 17, 1u << 13);
    CHECK(p.addresses() == 1ull << 33);
    CHECK(p.levels.wide == 1);
    walk(p);
}

TEST_CASE("schemes: no function of a scheme's layout is missing")
{
#define LAYOUT_OF(ID, id, ...) {#id, ftl_##id.layout},
    const std::vector<std::pair<const char*, const ftl_layout*>> layouts{FTL_SCHEMES(LAYOUT_OF)};
#undef LAYOUT_OF
    constexpr std::size_t first = offsetof(ftl_layout, overhead);
    for (const auto& [name, layout] : layouts) {
        INFO(name);
        REQUIRE(layout != nullptr);
        std::array<void*, (sizeof(ftl_layout) - first) / sizeof(void*)> functions{};
        std::memcpy(functions.data(), reinterpret_cast<const char*>(layout) + first,
                    sizeof functions);
        CHECK(std::count(functions.begin(), functions.end(), nullptr) == 0);
    }
}

} // namespace ssdvp::test::page_map_test
