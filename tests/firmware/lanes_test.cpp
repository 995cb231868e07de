// SPDX-License-Identifier: Apache-2.0
//
// Streams whose planes are apart: pointers, windows, strays, and LUNs chosen by their queues, on
// tables without a flash.
#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <vector>

#include "tests/firmware/told.h"

extern "C" {
#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/ops/ring.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/lanes.h"
#include "firmware/space/lanes_place.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "models/regs/choices/placement.h"
#include "models/regs/telemetry.h"
}

extern "C" void fw_asks(struct env* e); // run/fw.h, which is C's alone

namespace ssdvp::test::lanes_test {
namespace {

constexpr std::uint64_t dram_bytes = 64u << 20;
constexpr std::uint64_t sram_bytes = 1u << 20;

struct shape {
    std::uint32_t channels = 1, luns_per_channel = 4, planes = 1, dies_per_chip = 1;
    std::uint32_t slots = 1, pages = 4, blocks = 16;
};

/// Block tables and queues of a fresh part.
struct lanes_part {
    hal_ops ops{};
    hal port{&ops, nullptr, nullptr, nullptr, 0};
    geometry geo{};
    telemetry counters{};
    arenas memory{};
    blocks table{};
    slc cached{};
    flash queues{};
    boot_params p{};
    env e{};
    struct ::run rounds {};
    void* dram = mmap(nullptr, dram_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    std::vector<std::uint8_t> sram = std::vector<std::uint8_t>(sram_bytes);

    lanes_part(const shape& s, std::uint32_t kind,
               std::uint32_t order = PLACEMENT_ORDER(0, 1, 2, 3), std::uint32_t window = 2,
               std::uint32_t planes_most = 0)
    {
        REQUIRE(dram != MAP_FAILED);
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        ops.log = [](void*, int, const char*, std::uint64_t, std::uint64_t) {};
        fw_asks(&e);
        geo.channels = s.channels;
        geo.luns_per_channel = s.luns_per_channel;
        geo.luns = geo.part.luns = s.channels * s.luns_per_channel;
        geo.planes = geo.part.planes = s.planes;
        geo.plane_all = (1u << s.planes) - 1;
        geo.blocks = geo.part.blocks = s.blocks;
        geo.pages = s.pages;
        geo.page_units = s.slots;
        geo.unit_bits = s.slots == 1 ? 0 : s.slots == 2 ? 1 : 2;
        geo.group = s.slots * s.planes;
        geo.lun_shift = geo.unit_bits + 3;
        geo.row_shift = geo.lun_shift + 6;
        geo.pages_shift = 32;
        geo.page_size = 4096;
        geo.unit_size = 4096 / s.slots;
        geo.multi_plane = 1;
        geo.lun_programs = 1;
        geo.user_units = 1000;
        e.hal = &port;
        env_windows(&e, sram.data(), static_cast<std::uint8_t*>(dram));
        e.geo = &geo;
        e.telemetry = &counters;
        e.arenas = &memory;
        e.blocks = &table;
        e.slc = &cached;
        e.run = &rounds;
        e.flash = &queues;
        arenas_init(&e, sram_bytes, 64, dram_bytes);
        p.placement = {kind, order, window, s.dies_per_chip, planes_most, 0};
        tell(e, p);
        REQUIRE(blocks_init(&e) == 0);
        queues.luns = sram_take(&e, geo.luns * sizeof(lun_queue));
        blocks_count(&e);
    }
    lanes_part(const lanes_part&) = delete;
    lanes_part& operator=(const lanes_part&) = delete;
    ~lanes_part() { munmap(dram, dram_bytes); }

    std::uint16_t& queued(std::uint32_t lun)
    {
        return (static_cast<lun_queue*>(env_sram(&e, queues.luns)) + lun)->queued;
    }
    /// The next write unit of the host; it is queued.
    write_unit write(std::uint32_t units = 1)
    {
        write_unit w{};
        REQUIRE(blocks_next_units(&e, STREAM_HOST) != 0);
        REQUIRE(blocks_place(&e, STREAM_HOST, units, &w) == 1);
        ++queued(w.lun);
        return w;
    }
    /// ... of a unit with that address.
    write_unit write_to(std::uint64_t unit, lane_target* to = nullptr)
    {
        lane_target t{};
        write_unit w{};
        REQUIRE(lanes_target(&e, STREAM_HOST, lanes_bin(&e, unit), &t) == 1);
        REQUIRE(blocks_place_on(&e, STREAM_HOST, t.lun, 1u << t.first, &w) == 1);
        if (to != nullptr) {
            *to = t;
        }
        return w;
    }
};

} // namespace

TEST_CASE("shortest queue: lengths 2, 0, 1, 0 take five writes on LUNs 1, 3, 1, 2, 3")
{
    shape s;
    s.channels = GENERATE(1u, 2u, 4u); // whatever channels they are on
    s.luns_per_channel = 4 / s.channels;
    lanes_part p(s, PLACEMENT_SHORTEST_QUEUE);
    const std::uint16_t lengths[4] = {2, 0, 1, 0};
    for (std::uint32_t lun = 0; lun < 4; ++lun) {
        p.queued(lun) = lengths[lun];
    }
    for (const std::uint32_t expected : {1u, 3u, 1u, 2u, 3u}) {
        CHECK(p.write().lun == expected);
    }
    for (std::uint32_t lun = 0; lun < 4; ++lun) {
        CHECK(p.queued(lun) == 2);
    }
    CHECK(p.write().lun == 0); // a tie of all
}

TEST_CASE("channel_die: idle LUN of an idle channel, idle LUN, then LUN and channel weighted")
{
    shape s;
    s.channels = 2;
    s.luns_per_channel = 2; // LUN 0 and 2 are on channel 0, 1 and 3 on channel 1
    struct row {
        std::uint16_t lengths[4];
        std::uint32_t expected;
    };
    const row rows[] = {
        {{0, 0, 0, 0}, 0}, // all idle: the lowest index
        {{1, 0, 0, 0}, 1}, // channel 1 is idle, LUN 2 is not on it
        {{1, 2, 0, 0}, 2}, // no idle channel: the idle LUN of the one with fewer operations
        {{2, 1, 0, 0}, 3}, {{3, 2, 1, 2}, 2}, // 3*2+4, 2*2+4, 1*2+4, 2*2+4
        {{3, 1, 2, 4}, 1},                    // 3*2+5, 1*2+5, 2*2+5, 4*2+5
        {{9, 1, 1, 2}, 1},                    // 28, 5, 12, 7: not the one beside the long queue
    };
    for (const row& r : rows) {
        lanes_part p(s, PLACEMENT_CHANNEL_DIE);
        for (std::uint32_t lun = 0; lun < 4; ++lun) {
            p.queued(lun) = r.lengths[lun];
        }
        CHECK(p.write().lun == r.expected);
    }
}

TEST_CASE("round_robin: channels, chips, dies in turns, channel_rr: the channel by the address")
{
    shape s;
    s.channels = 2;
    s.luns_per_channel = 4;
    s.dies_per_chip = 2; // LUN of a channel = chip * 2 + die
    lanes_part turns(s, PLACEMENT_ROUND_ROBIN);
    for (const std::uint32_t expected : {0u, 1u, 4u, 5u, 2u, 3u, 6u, 7u, 0u, 1u}) {
        CHECK(turns.write().lun == expected);
    }
    lanes_part fixed(s, PLACEMENT_CHANNEL_RR);
    // Even pages are of channel 0, whatever else is written.
    for (const std::uint32_t expected : {0u, 4u, 2u, 6u, 0u}) {
        CHECK(fixed.write_to(4).lun == expected);
    }
    CHECK(fixed.write_to(7).lun == 1);
    CHECK(fixed.write_to(9).lun == 5);
}

TEST_CASE("lanes: each plane goes on by itself, planes at the same page go together")
{
    shape s;
    s.luns_per_channel = 1;
    s.planes = 2;
    lanes_part p(s, PLACEMENT_STATIC);
    lane_target t{};
    REQUIRE(lanes_target(&p.e, STREAM_HOST, 0, &t) == 1);
    CHECK(t.planes == 3u); // both at page 0
    CHECK(p.write_to(0, &t).page == 0);
    CHECK(p.write_to(2, &t).page == 1); // plane 0 again: plane 1 stays where it is
    CHECK(t.planes == 1u);
    CHECK(p.write_to(1, &t).page == 0);
    CHECK(t.planes == 2u);
    CHECK(p.write_to(3, &t).page == 1);
    REQUIRE(lanes_target(&p.e, STREAM_HOST, 1, &t) == 1);
    CHECK(t.planes == 3u); // together again
    CHECK(t.first == 1u);
}

TEST_CASE("lanes: a second superblock takes what the first has no room for, then units stray")
{
    shape s;
    s.luns_per_channel = 2;
    s.planes = 1;
    lanes_part p(s, PLACEMENT_STATIC);
    lane_target t{};
    const std::uint32_t first = p.write_to(0).block;
    for (std::uint32_t n = 1; n < s.pages; ++n) {
        CHECK(p.write_to(0).block == first);
    }
    const std::uint32_t second = p.write_to(0, &t).block;
    CHECK(second != first);
    CHECK(t.strays == 0);
    CHECK(p.write_to(1).block == first); // LUN 1 fills the older one first
    for (std::uint32_t n = 1; n < s.pages; ++n) {
        CHECK(p.write_to(0).block == second);
    }
    // The window is full: LUN 1 takes what LUN 0 has no room for.
    const std::uint32_t room = blocks_room(&p.e, STREAM_HOST);
    CHECK(room == 2 * s.pages - 1);
    const write_unit stray = p.write_to(0, &t);
    CHECK(t.strays == 1);
    CHECK(stray.lun == 1);
    CHECK(stray.block == first);
    for (std::uint32_t n = 2; n < s.pages; ++n) {
        (void)p.write_to(1);
    }
    CHECK(superblock_of(&p.e, &p.table, first)->state == BLOCK_FULL);
    // The oldest is full and gone: there is place for another.
    const write_unit home = p.write_to(0, &t);
    CHECK(t.strays == 0);
    CHECK(home.lun == 0);
    CHECK(home.block != second);
}

TEST_CASE("lanes: without free superblocks to spare a stream takes the room that it has")
{
    shape s;
    s.luns_per_channel = 2;
    lanes_part p(s, PLACEMENT_STATIC);
    p.table.kept = 3;
    while (p.table.free > 4) {
        (void)blocks_open(&p.e, STREAM_GC); // somebody else has it
    }
    lane_target t{};
    const std::uint32_t first = p.write_to(0).block;
    CHECK(p.table.free == 3);
    for (std::uint32_t n = 1; n < s.pages; ++n) {
        (void)p.write_to(0);
    }
    CHECK(p.write_to(0, &t).block == first);
    CHECK(t.strays == 1);
    CHECK(p.table.free == 3);
    for (std::uint32_t n = 1; n < s.pages; ++n) {
        (void)p.write_to(0);
    }
    CHECK(blocks_next_units(&p.e, STREAM_HOST) == 0);
    CHECK_FALSE(lanes_target(&p.e, STREAM_HOST, 0, &t));
}

TEST_CASE(
    "lanes: a block that goes bad takes its room with it, and the superblock if it is the last")
{
    shape s;
    s.luns_per_channel = 2;
    lanes_part p(s, PLACEMENT_STATIC);
    const std::uint32_t first = p.write_to(0).block;
    const erase_piece failed = {first, 0, 1};
    blocks_retire(&p.e, &failed, RETIRE_PROGRAM);
    CHECK(p.write_to(1).block == first);
    CHECK(p.write_to(0).block != first);
    const erase_piece other = {first, 1, 1};
    blocks_retire(&p.e, &other, RETIRE_PROGRAM);
    CHECK(superblock_of(&p.e, &p.table, first)->state == BLOCK_FULL);
    CHECK(p.table.lanes.open[STREAM_HOST] == 1);
}

TEST_CASE("lanes: a program of the host takes so many planes, one of collection all of them")
{
    shape s;
    s.luns_per_channel = 1;
    s.planes = 4;
    for (const std::uint32_t kind : {PLACEMENT_STRIPE, PLACEMENT_SHORTEST_QUEUE}) {
        for (const std::uint32_t most : {1u, 2u, 3u, 4u, 0u}) {
            lanes_part p(s, kind, 0, 2, most);
            const std::uint32_t expected = most == 0 ? 4 : most;
            CHECK(blocks_next_units(&p.e, STREAM_HOST) == expected);
            CHECK(p.write(4).units == expected);
            CHECK(blocks_next_units(&p.e, STREAM_GC) == 4);
        }
    }
}

} // namespace ssdvp::test::lanes_test
