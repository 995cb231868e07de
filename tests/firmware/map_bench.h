// SPDX-License-Identifier: Apache-2.0
//
// Drives whose maps are looked at: what look-ups cost, and where entries point to.
#pragma once

#include <random>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test {

/// A page is a unit of 512 bytes: a map page has 128 entries, units 0, 128 and 256 lie on three of
/// them. Nothing is buffered, and no checkpoint comes between.
inline constexpr std::uint64_t per_page = 128;

inline ram_config map_by_hand(std::uint32_t scheme, std::uint64_t cache_bytes)
{
    ram_config c = one_plane();
    boot_params& p = c.params;
    p.ftl.user_units = 3 * per_page;
    p.cache.policy = CACHE_POLICY_NONE;
    p.cache.capacity = 0;
    p.ftl.scheme = scheme;
    p.map.cache = cache_bytes;
    return c;
}

/// Two map pages of 128 entries per superblock.
inline ram_config many_map_pages(std::uint32_t scheme, std::uint64_t cache_bytes)
{
    ram_config c = tiny_drive();
    c.params.ftl.scheme = scheme;
    c.params.map.cache = cache_bytes;
    c.params.ftl.map_unit = 512;
    c.params.geometry.page_size = 1024;
    c.params.geometry.oob_size = 24;
    c.params.geometry.blocks_per_plane = 32;
    c.params.cache.capacity = 64 * 512;
    return c;
}

struct costs {
    std::uint64_t host_w, map_w, map_r, hits, misses, evictions;
    bool operator==(const costs& o) const
    {
        return host_w == o.host_w && map_w == o.map_w && map_r == o.map_r && hits == o.hits &&
               misses == o.misses && evictions == o.evictions;
    }
};

inline std::ostream& operator<<(std::ostream& os, const costs& c)
{
    return os << "W " << c.host_w << ", map_w " << c.map_w << ", map_r " << c.map_r << ", hits "
              << c.hits << ", misses " << c.misses << ", evictions " << c.evictions;
}

inline costs costs_of(drive& d)
{
    const telemetry& t = d.nand.counters();
    return {d.nand.count(FLASH_PURPOSE_HOST).programs,
            d.nand.count(FLASH_PURPOSE_MAP).programs,
            d.nand.count(FLASH_PURPOSE_MAP).reads,
            t.map_hits,
            t.map_misses,
            t.map_evictions};
}

inline void scatter(drive& d, std::uint64_t seed, int writes)
{
    std::mt19937_64 random(seed);
    for (int n = 0; n < writes; ++n) {
        const auto sectors = static_cast<std::uint32_t>(1 + random() % 16);
        const std::uint64_t lba = random() % (d.sectors() - sectors);
        while (!d.start_write(lba, sectors)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
}

struct map_on_flash {
    std::uint32_t levels = 0;
    std::uint64_t mapped = 0;
};

/// Walks from the top as a reader of docs/SPEC.md would, and compares with where the data are.
inline map_on_flash walk(const ram_nand& nand, std::uint32_t entry_bytes)
{
    const flash_reader flash(nand);
    const auto pages = flash.newest(kind::map);
    const auto data = flash.newest(kind::data);
    const std::uint64_t entries = nand.config.params.ftl.map_unit / entry_bytes;
    map_on_flash m;
    for (const auto& page : pages) {
        m.levels = std::max(m.levels, static_cast<std::uint32_t>(page.first >> 32));
    }
    for (const auto& page : pages) {
        const std::uint64_t level = page.first >> 32;
        const std::uint64_t number = page.first & 0xFFFFFFFF;
        for (std::uint64_t n = 0; n < entries; ++n) {
            const std::uint64_t entry = number_at(page.second.bytes, n * entry_bytes, entry_bytes);
            const std::uint64_t of = number * entries + n;
            if (entry == 0) {
                continue;
            }
            const auto& below = level == 1 ? data : pages;
            const auto at = below.find(level == 1 ? of : (level - 1) << 32 | of);
            REQUIRE(at != below.end());
            CHECK(entry == at->second.address + 1);
            m.mapped += level == 1 ? 1 : 0;
        }
    }
    return m;
}

/// Mixed commands, collection, no mismatch: what the map cost.
inline ram_nand::operation_count map_traffic(const ram_config& c)
{
    drive d(c);
    d.create_queues();
    mixed(d, 8000, 1);
    d.start_flush();
    d.idle();
    all_right(d);
    CHECK(d.mismatches == 0);
    CHECK(d.nand.counters().gc_runs > 10);
    return d.nand.count(FLASH_PURPOSE_MAP);
}

} // namespace ssdvp::test
