// SPDX-License-Identifier: Apache-2.0
//
// Counting and checking a map page by runs (firmware/map/maps_count.c), against what one entry
// after the other would give.
#include "tests/firmware/mapped_part.h"

#include <random>
#include <set>
#include <vector>

extern "C" {
#include "firmware/durable/scan.h"
#include "firmware/lib/bits.h"
#include "firmware/map/maps_count.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/segments.h"
#include "firmware/space/state.h"
}

namespace ssdvp::test::maps_count_test {
namespace {

geometry one_map_page(bool wide)
{
    geometry geo{};
    geo.luns = 1;
    geo.page_units = 2;
    geo.unit_bits = 1;
    geo.pages = wide ? 65535 : 64; // 2^31 addresses and more have entries of 8 bytes
    geo.blocks = wide ? 16400 : 16;
    geo.user_units = wide ? 64 : 128; // all of a map page of 512 bytes
    geo.unit_shift = 9;
    return geo;
}

/// A drive that power came back to, with the scan done. Superblock 1 is erased, 2 ends at its page
/// 10, 3 was erased since the map was written, plane 0 of 4 is.
struct counted_part : mapped_part {
    struct segments none {};

    explicit counted_part(bool wide) : mapped_part(one_map_page(wide))
    {
        e.segments = &none;
        past.flags = dram_take(&e, geo.blocks);
        past.erased = dram_take(&e, std::uint64_t{geo.blocks} * geo.luns);
        map.modes.voids = 1;
        auto* flags = static_cast<std::uint8_t*>(env_dram(&e, past.flags));
        for (std::uint32_t b = 0; b < geo.blocks; ++b) {
            superblock_of(&e, &table, b)->kept = b != 3 ? 1 : 0;
            flags[b] = b == 2 || b == 4 ? 0 : SCAN_WHOLE;
        }
        superblock_of(&e, &table, 1)->state = BLOCK_FREE;
        table.stream[0].ends_of = 2;
        static_cast<std::uint16_t*>(env_dram(&e, table.stream[0].ends))[0] = 10;
        static_cast<std::uint8_t*>(env_dram(&e, past.erased))[4] = 1;
        levels.counting = 0;
        REQUIRE(maps_load(&e, 1, 0, 0) == 1);
    }
    [[nodiscard]] std::uint64_t at(std::uint32_t block, std::uint64_t unit) const
    {
        return std::uint64_t{block} * geo.pages * geo.page_units + unit;
    }
    std::vector<std::uint64_t> entries()
    {
        std::vector<std::uint64_t> all;
        for (std::uint64_t i = 0; i < geo.user_units; ++i) {
            all.push_back(maps_entry(&e, 1, i));
        }
        return all;
    }
};

/// Runs of any length, here and there lost, of nowhere, twice or out of the part.
void fill(counted_part& p, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const std::uint64_t block = std::uint64_t{p.geo.pages} * p.geo.page_units;
    for (std::uint64_t i = 0; i < p.geo.user_units;) {
        std::uint64_t place = random() % 8 * block + random() % block;
        const std::uint64_t kind = random() % 12;
        for (std::uint64_t left = 1 + random() % 40; left > 0 && i < p.geo.user_units; --left) {
            maps_set(&p.e, 1, i++,
                     kind == 0   ? FTL_NONE
                     : kind == 1 ? FTL_LOST | MAPS_NOWHERE
                     : kind == 2 ? FTL_LOST | place
                     : kind == 3 ? p.addresses() + random() % 9
                                 : place);
            ++place;
        }
    }
}

} // namespace

TEST_CASE("maps: bits of a range are asked and set a word at a time")
{
    for (const std::uint64_t first : {0u, 1u, 63u, 64u, 100u}) {
        for (const std::uint64_t n : {1u, 27u, 63u, 64u, 65u, 128u, 150u}) {
            std::vector<std::uint64_t> map(5, 0);
            bitmap_fill(map.data(), first, n);
            for (std::uint64_t i = 0; i < 320; ++i) {
                REQUIRE((bitmap_get(map.data(), i) != 0) == (i >= first && i < first + n));
                REQUIRE((bitmap_any(map.data(), i, 1) != 0) == (i >= first && i < first + n));
            }
            CHECK(bitmap_any(map.data(), first + n, 5) == 0);
            CHECK(bitmap_any(map.data(), first + n - 1, 5) == 1);
            CHECK((first == 0 || bitmap_any(map.data(), 0, first) == 0));
        }
    }
}

TEST_CASE("maps: counting by runs finds what counting one by one does")
{
    const bool wide = GENERATE(false, true);
    std::uint64_t damaged = 0;
    std::uint64_t longest = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        counted_part p(wide);
        fill(p, seed);
        superblock_of(&p.e, &p.table, 5)->unseen = 10;
        std::vector<std::uint64_t> expected = p.entries();
        std::set<std::uint64_t> places;
        std::uint64_t bad = 0;
        std::uint64_t lost = 0;
        for (std::uint64_t& entry : expected) {
            const std::uint64_t place = entry & ~FTL_LOST;
            if (maps_placed(entry) && (place >= p.addresses() || place / p.at(1, 0) == 1 ||
                                       !places.insert(place).second)) {
                entry = FTL_LOST | MAPS_NOWHERE;
                ++bad;
            }
            lost += ftl_lost(entry) ? 1 : 0;
        }
        p.levels.uncounted = 2; // this is not the last page: then nothing would be unseen
        maps_count(&p.e, 1, 0);
        REQUIRE(p.entries() == expected);
        CHECK(p.levels.damaged == bad);
        CHECK(p.counters.lost_units == lost);
        CHECK(p.counters.mapped == places.size());
        CHECK(p.counters.valid == places.size());
        std::uint64_t of_5 = 0;
        for (const std::uint64_t place : places) {
            REQUIRE(p.valid(place));
            of_5 += place / p.at(1, 0) == 5 ? 1 : 0;
        }
        CHECK(superblock_of(&p.e, &p.table, 5)->valid == of_5);
        CHECK(superblock_of(&p.e, &p.table, 5)->unseen == (of_5 < 10 ? 10 - of_5 : 0));
        damaged += bad;
        longest = std::max(longest, of_5);
        maps_count(&p.e, 1, 0); // once is enough
        CHECK(p.counters.mapped == places.size());
    }
    CHECK(damaged > 40);
    CHECK(longest > 20);
}

TEST_CASE("maps: checking by runs finds lost what checking one by one does")
{
    const bool wide = GENERATE(false, true);
    std::uint64_t dropped = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        counted_part p(wide);
        fill(p, seed);
        const std::vector<std::uint64_t> before = p.entries();
        std::vector<std::uint64_t> expected = before;
        for (std::uint64_t& entry : expected) {
            const std::uint64_t place = entry & ~FTL_LOST;
            if (!maps_placed(entry)) {
                continue;
            }
            const std::uint64_t b = place / p.at(1, 0);
            const std::uint64_t page = place % p.at(1, 0) / p.geo.page_units;
            const bool gone = b == 3 || b == 4 || (b == 2 && page >= 10);
            entry = gone || place >= p.addresses() ? FTL_LOST | MAPS_NOWHERE : entry;
        }
        maps_check(&p.e, 1, 0);
        REQUIRE(p.entries() == expected);
        dropped += expected != before ? 1 : 0;
    }
    CHECK(dropped > 20);
}

} // namespace ssdvp::test::maps_count_test
