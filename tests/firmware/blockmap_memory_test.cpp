// SPDX-License-Identifier: Apache-2.0
//
// What the map of a scheme takes in DRAM, against the formulas of docs/ftl.
#include <catch2/catch.hpp>
#include <sys/mman.h>

#include "tests/firmware/told.h"

extern "C" {
#include "firmware/blocks/blockmap_state.h"
#include "firmware/blocks/hybrid.h"
#include "firmware/durable/recovery.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/segments.h"
#include "firmware/ops/flash.h"
#include "firmware/space/blocks.h"
#include "firmware/space/slc.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/page_order.h"
#include "models/regs/telemetry.h"
}

namespace blockmap_memory_test {

namespace {

constexpr std::uint64_t dram_bytes = 4ull << 30; // touched where the map is
constexpr std::uint64_t luns = 4;
constexpr std::uint64_t merges = 4; // at a time
constexpr std::uint64_t blocks_of_part = 65536;
constexpr std::uint64_t pages = 256;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t lblocks = 60000;
constexpr std::uint64_t logs = 512;
constexpr std::uint64_t spare_pages = 64;
constexpr std::uint64_t blocks_of_superblock = 8;
/// Each table begins on a page; buffers of pages on their way to the flash, upper levels of the
/// map.
constexpr std::uint64_t rounding = 128u << 10;

/// No flash, no boot: a part of one plane per LUN, and its tables.
struct bare_part {
    hal_ops ops{};
    hal port{&ops, nullptr, nullptr, nullptr, 0};
    geometry geo{};
    telemetry counters{};
    arenas memory{};
    blocks table{};
    slc cached{};
    flash work{};
    ftl map{};
    maps levels{};
    segments parts{};
    hybrid merged{};
    blockmap placed{};
    recovery past{};
    boot_params p{};
    env e{};
    struct ::run rounds {};
    void* dram;

    bare_part()
        : dram(mmap(nullptr, dram_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        REQUIRE(dram != MAP_FAILED);
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        ops.log = [](void*, int, const char* what, std::uint64_t, std::uint64_t) { FAIL(what); };
        geo.luns = geo.planes = geo.plane_all = geo.page_units = geo.group = 1;
        geo.part.luns = luns;
        geo.blocks = blocks_of_part;
        geo.pages = pages;
        geo.unit_shift = 12;
        geo.unit_size = page_bytes;
        geo.pages_shift = 32;
        e.hal = &port;
        env_windows(&e, nullptr, static_cast<std::uint8_t*>(dram));
        e.geo = &geo;
        e.telemetry = &counters;
        e.arenas = &memory;
        e.blocks = &table;
        e.slc = &cached;
        e.run = &rounds;
        e.flash = &work;
        e.ftl = &map;
        e.maps = &levels;
        e.segments = &parts;
        e.hybrid = &merged;
        e.blockmap = &placed;
        e.recovery = &past;
        arenas_init(&e, 1u << 20, 0, dram_bytes);
        ssdvp::test::tell(e, p);
        REQUIRE(blocks_init(&e) == 0);
    }
    bare_part(const bare_part&) = delete;
    bare_part& operator=(const bare_part&) = delete;
    ~bare_part() { munmap(dram, dram_bytes); }

    std::uint64_t taken_by(ftl_scheme_id scheme)
    {
        const std::uint64_t spare = scheme == FTL_SCHEME_MSBS ? spare_pages : 0;
        geo.user_units = lblocks * (pages - spare);
        p.ftl.scheme = scheme;
        p.map.log_blocks = logs;
        boot_placed& how = p.map.placed;
        how.page_order = PAGE_ORDER_ANY;
        how.spare_pages = spare_pages;
        how.moving_blocks = logs;
        how.superblock_blocks = blocks_of_superblock;
        how.update_blocks = 4;
        how.associativity = 3;
        how.stream_bytes = 1u << 15;
        how.stream_blocks = logs;
        how.hot_blocks = logs / 2;
        how.hot_window = 4096;
        const std::uint64_t before = memory.dram.next;
        REQUIRE(ftl_init(&e) == 0);
        return memory.dram.next - before;
    }
};

struct expected {
    ftl_scheme_id scheme;
    std::uint64_t seconds; // second blocks that the scheme has at a time, 0 = it has none
    std::uint64_t shared;  // likewise
    std::uint64_t spare;   // pages of a block
    std::uint64_t beside;  // bytes of the scheme's own
    std::uint64_t groups;  // superblocks, 0 = logical blocks stand for themselves
};

std::uint64_t power_of_two_from(std::uint64_t n)
{
    std::uint64_t p = 1;
    while (p < n) {
        p *= 2;
    }
    return p;
}

/// docs/ftl/block_map.md, Memory, in its letters; docs/ftl/superblock.md.
std::uint64_t formula(const expected& x)
{
    const std::uint64_t more = 8 + merges;
    const std::uint64_t B = blocks_of_part;
    const std::uint64_t N = pages;
    const std::uint64_t L = x.groups != 0 ? x.groups : lblocks;
    const std::uint64_t S = x.seconds != 0 ? x.seconds + more : 0;
    const std::uint64_t H = x.shared != 0 ? x.shared + more + (x.groups != 0 ? lblocks : 0) : 0;
    const std::uint64_t s = x.spare;
    const std::uint64_t units = x.groups != 0 ? 4 * N * H : 8 * N * H;
    const std::uint64_t hash = x.groups != 0 || H == 0 ? 0 : 4 * power_of_two_from(2 * N * H);
    const std::uint64_t image =
        16 + B * (8 + 12 * ((N + 31) / 32)) + 16 * (S + H) + 2 * N * S + 2 * s * B + 4 * N * H;
    return 12 * L + 3 * B * N / 8 + 24 * (S + H) + 2 * N * S + 2 * s * B + units + hash +
           merges * (page_bytes + 64) + 2 * image + 5 * (2 * image / page_bytes) + x.beside;
}

} // namespace

TEST_CASE("blockmap: the map takes the DRAM that its page in docs/ftl says")
{
    const std::uint64_t slots = logs + 8 + merges;
    const expected cases[] = {
        {FTL_SCHEME_MSBS, 0, 0, spare_pages, 0, 0},
        {FTL_SCHEME_FMAX, lblocks, 0, 0, 0, 0},
        {FTL_SCHEME_LM, logs, 0, 0, 0, 0},
        {FTL_SCHEME_BAST, logs, 0, 0, 0, 0},
        {FTL_SCHEME_FAST, 1, logs, 0, 0, 0},
        {FTL_SCHEME_KAST, logs, logs, 0, 4 * slots * (3 + 1) + 4 * pages, 0},
        {FTL_SCHEME_LAST, logs, logs, 0, 4 * slots * pages + 4 * pages, 0},
        {FTL_SCHEME_SAST, logs, logs, 0, 0, 0},
        {FTL_SCHEME_SUPERBLOCK, 0, logs, 0,
         28 * (lblocks / blocks_of_superblock) + 8 * (logs + 8 + merges + lblocks) +
             4 * lblocks * pages,
         lblocks / blocks_of_superblock},
    };
    const expected& x = cases[GENERATE(range(0, 9))];
    CAPTURE(x.scheme);
    bare_part p;
    const std::uint64_t taken = p.taken_by(x.scheme);
    CHECK(taken >= formula(x));
    CHECK(taken <= formula(x) + rounding);
}

} // namespace blockmap_memory_test
