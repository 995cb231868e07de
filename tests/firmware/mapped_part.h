// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <catch2/catch.hpp>
#include <sys/mman.h>

#include "tests/firmware/told.h"

extern "C" {
#include "firmware/buffer/cache.h"
#include "firmware/durable/recovery.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps.h"
#include "firmware/space/blocks.h"
#include "firmware/space/slc.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/telemetry.h"
}

extern "C" void fw_asks(struct env* e); // run/fw.h, which is C's alone

namespace ssdvp::test {

inline constexpr std::uint64_t dram_bytes = 8ull << 30; // touched where a test does

/// Map and block tables of a part of one plane, with the page map or another scheme on it: no
/// flash, no boot.
struct mapped_part {
    hal_ops ops{};
    hal port{&ops, nullptr, nullptr, nullptr, 0};
    geometry geo{};
    telemetry counters{};
    arenas memory{};
    blocks table{};
    slc cached{};
    ftl map{};
    maps levels{};
    recovery past{};
    cache buffer{};
    // Zeroes for struct hil, whose header is C's alone: no read waits for a page.
    alignas(64) std::array<std::uint64_t, 4096> host{};
    boot_params p{};
    env e{};
    struct ::run rounds {};
    void* dram;

    explicit mapped_part(const geometry& g, std::uint32_t scheme = FTL_SCHEME_PAGE_MAP,
                         std::uint64_t cache_bytes = 0)
        : geo(g), dram(mmap(nullptr, dram_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        REQUIRE(dram != MAP_FAILED);
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        geo.planes = geo.plane_all = 1;
        geo.group = geo.page_units;
        geo.lun_shift = geo.unit_bits;
        geo.row_shift = geo.unit_bits;
        while (1u << (geo.row_shift - geo.lun_shift) < geo.luns) {
            ++geo.row_shift;
        }
        geo.pages_shift = 32;
        geo.unit_size = 1u << geo.unit_shift;
        e.hal = &port;
        env_windows(&e, nullptr, static_cast<std::uint8_t*>(dram));
        e.geo = &geo;
        e.telemetry = &counters;
        e.arenas = &memory;
        e.blocks = &table;
        e.slc = &cached;
        e.run = &rounds;
        e.ftl = &map;
        e.maps = &levels;
        e.recovery = &past;
        e.cache = &buffer;
        e.hil = reinterpret_cast<struct hil*>(host.data());
        fw_asks(&e);
        arenas_init(&e, 1u << 20, 0, dram_bytes);
        p.ftl.scheme = scheme;
        p.map.cache = cache_bytes;
        tell(e, p);
        REQUIRE(blocks_init(&e) == 0);
        REQUIRE(ftl_init(&e) == 0);
        for (std::uint32_t b = 0; b < geo.blocks; ++b) {
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

} // namespace ssdvp::test
