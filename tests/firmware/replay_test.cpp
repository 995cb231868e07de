// SPDX-License-Identifier: Apache-2.0
//
// Replay (firmware/durable/replay.c, paged.c) on tables without flash: what becomes of the counts
// that an anchor record brought along, of the pages that stay in log_set's buffer, and of those for
// whose changes there is no room (replay.c).
#include "tests/firmware/mapped_part.h"

extern "C" {
#include "firmware/blocks/blockmap_state.h"
#include "firmware/blocks/hybrid.h"
#include "firmware/durable/paged.h"
#include "firmware/durable/replay.h"
#include "firmware/map/maps_buffer.h"
#include "firmware/map/maps_count.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/segments.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"
#include "models/regs/choices/ftl_scheme.h"
}

namespace ssdvp::test::replay_test {
namespace {

constexpr std::uint64_t per_page = 128; // entries of a map page of 512 bytes
constexpr std::uint64_t window = 4;     // programs, each of two units

geometry three_map_pages()
{
    geometry geo{};
    geo.luns = 1;
    geo.page_units = 2;
    geo.unit_bits = 1;
    geo.blocks = 16;
    geo.pages = 64;
    geo.user_units = 3 * per_page;
    geo.unit_shift = 9;
    return geo;
}

/// A drive that power came back to, with its anchor record read and nothing else.
struct powered_part : mapped_part {
    struct flash channels_of {};
    struct segments none {};
    struct hybrid pages_only {};
    struct blockmap no_blocks {};

    explicit powered_part(std::uint32_t scheme, std::uint64_t frames = 0)
        : mapped_part(three_map_pages(), scheme, frames * 512)
    {
        ops.stopping = [](void*) { return 0; };
        e.flash = &channels_of;
        e.segments = &none;
        e.hybrid = &pages_only;
        e.blockmap = &no_blocks;
        past.limit = window;
        past.replay = dram_take_pages(&e, window * (1 + geo.group) * sizeof(std::uint64_t));
        past.flags = dram_take(&e, geo.blocks);
        past.erased = dram_take(&e, std::uint64_t{geo.blocks} * geo.luns);
        past.batch_most = 1;
        past.batch = dram_take(&e, sizeof(std::uint32_t));
        past.journal.units = 1;
        past.journal.home = dram_take_pages(&e, geo.unit_size);
        levels.counting = 0;
        for (std::uint32_t b = 0; b < geo.blocks; ++b) {
            block(b).kept = 1;
        }
    }
    superblock& block(std::uint32_t b) { return *superblock_of(&e, &table, b); }
    /// The first of the two places of a page of a superblock.
    [[nodiscard]] std::uint64_t place(std::uint32_t b, std::uint64_t page) const
    {
        return (std::uint64_t{b} * geo.pages + page) << geo.row_shift;
    }
    /// The n-th program of the window wrote two units.
    void wrote(std::uint64_t n, std::uint64_t address, std::uint64_t first, std::uint64_t second)
    {
        std::uint64_t* entry = window_entry(&e, n);
        entry[0] = address + 1;
        entry[1] = spare_pack(SPARE_DATA, first);
        entry[2] = spare_pack(SPARE_DATA, second);
    }
    /// Applies the window, which is empty then.
    void replay()
    {
        trims none_trimmed{};
        past.highest = past.window + window;
        REQUIRE(replay_paged(&e, &none_trimmed, 1) == 0);
        past.window += window;
        std::fill_n(window_entry(&e, 0), window * (1 + geo.group), 0);
    }
};

} // namespace

TEST_CASE("replay: what the record counts is the guess, whatever of it has been seen by then")
{
    powered_part p(FTL_SCHEME_PAGE_MAP);
    REQUIRE(maps_load(&p.e, 1, 0, 0) == 1); // one page of three is there to be counted
    for (std::uint64_t unit = 0; unit < 40; ++unit) {
        maps_set(&p.e, 1, unit, p.place(2, 0) + unit);
    }
    p.block(2).unseen = 100;
    p.block(2).flags |= BLOCK_GUESSED;
    p.block(3).unseen = 7;
    p.block(3).flags |= BLOCK_GUESSED;
    REQUIRE(replay_all(&p.e) == 0);
    CHECK(p.block(2).valid == 40);
    CHECK(blocks_live(&p.block(2)) == 100);
    CHECK(blocks_live(&p.block(3)) == 7);
    for (const std::uint32_t b : {2u, 3u}) {
        CHECK((p.block(b).flags & (BLOCK_GUESSED | BLOCK_UNTOLD)) == BLOCK_GUESSED);
        CHECK_FALSE(blocks_known(&p.block(b)));
    }
}

TEST_CASE("replay: a count that the record does not know stays unknown")
{
    powered_part p(FTL_SCHEME_PAGE_MAP);
    p.block(3).flags |= BLOCK_UNTOLD;
    REQUIRE(replay_all(&p.e) == 0);
    CHECK((p.block(3).flags & (BLOCK_GUESSED | BLOCK_UNTOLD)) == BLOCK_UNTOLD);
    CHECK_FALSE(blocks_tellable(&p.block(3)));
    CHECK((p.block(4).flags & (BLOCK_GUESSED | BLOCK_UNTOLD)) == BLOCK_GUESSED);
}

TEST_CASE("replay: what moves away is off the record's count, and the pages that say so stay")
{
    powered_part p(FTL_SCHEME_LOG_SET, 4);
    for (std::uint32_t b = 2; b < 6; ++b) {
        p.block(b).unseen = 10;
    }
    p.block(5).unseen = 0;
    replay_paged_begin(&p.e);
    p.wrote(0, p.place(2, 0), 5, 6);
    p.wrote(1, p.place(5, 0), 7, per_page);
    p.replay();
    CHECK(p.block(2).unseen == 10); // they came to be mapped
    p.wrote(0, p.place(3, 0), 5, 7);
    p.wrote(2, p.place(4, 0), 5, 2 * per_page);
    p.replay();
    CHECK(p.block(2).unseen == 9); // 5 left it, 6 did not
    CHECK(p.block(3).unseen == 9); // 5 left it too
    CHECK(p.block(4).unseen == 10);
    CHECK(p.block(5).unseen == 0); // less than nothing it does not become
    REQUIRE(replay_paged_end(&p.e) == 0);
    CHECK(maps_entry(&p.e, 1, 5) == p.place(4, 0));
    CHECK(maps_entry(&p.e, 1, 6) == p.place(2, 0) + 1);
    CHECK(maps_entry(&p.e, 1, per_page) == p.place(5, 0) + 1);
    CHECK(p.levels.frames.holding == 0);
    CHECK(p.levels.frames.buffer.bound == 3); // of four frames; the rest of the map was not touched
    CHECK(p.levels.level[1].dirty == 3);
    CHECK(p.levels.out.ready == 0);
}

TEST_CASE(
    "replay: a buffer whose pages all changed has one of them written before the drive serves")
{
    powered_part p(FTL_SCHEME_LOG_SET, 3);
    replay_paged_begin(&p.e);
    p.wrote(0, p.place(2, 0), 0, per_page);
    p.wrote(1, p.place(2, 1), 1, 2 * per_page);
    p.replay();
    CHECK(p.levels.frames.buffer.bound == 3);
    CHECK(maps_shrink(&p.e, 1) == 0); // no frame is left to read with
    CHECK(maps_put_copy(&p.e, 1, 1) == 1);
    CHECK(p.levels.frames.buffer.bound == 2);
}

namespace {

/// Power came back, all superblocks are full, and the window changes the pages of level 1.
struct full_part : powered_part {
    static constexpr std::uint32_t written = 2; // the superblock that the window lies in

    full_part() : powered_part(FTL_SCHEME_LOG_SET, 2)
    {
        ops.log = [](void*, int, const char*, std::uint64_t, std::uint64_t) {};
        table.map_stream = STREAM_MAP;
        table.map_reserve = 2;
        fifo_init(&table.erase_queue);
        replay_paged_begin(&e);
        wrote(0, place(written, 0), 0, per_page);
        wrote(1, place(written, 1), 1, 2 * per_page);
        past.highest = window;
        past.trims_end = 0;
    }
    void no_room()
    {
        trims none_trimmed{};
        REQUIRE(replay_paged(&e, &none_trimmed, 1) != 0);
        REQUIRE(levels.out.ready != 0);
    }
    std::uint64_t entry(std::uint64_t unit)
    {
        REQUIRE(maps_load(&e, 1, unit / per_page, 0) == 1);
        const std::uint64_t found = maps_entry(&e, 1, unit);
        maps_leave(&e, 1, unit / per_page);
        return found;
    }
    std::uint8_t flags(std::uint64_t page) { return *maps_flags(&e, &levels, 1, page); }
    void count_all_pages()
    {
        levels.counting = 1;
        maps_count(&e, 2, 0);
        for (std::uint64_t page = 0; page < 3; ++page) {
            (void)entry(page * per_page);
        }
        REQUIRE(levels.uncounted == 0);
    }
    /// What is to be erased is.
    std::uint32_t erase()
    {
        std::uint32_t erased = 0;
        for (erase_piece piece{}; blocks_next_erase(&e, &piece) != 0; ++erased) {
            blocks_erased(&e, piece.block, piece.lun, 0);
        }
        return erased;
    }
};

} // namespace

TEST_CASE("replay: without room for what changes pages are derived whenever they come in")
{
    full_part p;
    CHECK(replay_derive(&p.e) == 0); // nothing waits for room
    p.no_room();
    REQUIRE(replay_derive(&p.e) == 1);
    CHECK(p.levels.frames.holding == 0);
    CHECK(p.levels.out.ready == 0);
    CHECK(p.levels.out.queue[0].free.count == p.levels.out.count);
    CHECK(maps_gathers(&p.e) == 1);
    for (int round = 0; round < 3; ++round) { // two frames: they come and go
        CHECK(p.entry(0) == p.place(p.written, 0));
        CHECK(p.entry(per_page) == p.place(p.written, 0) + 1);
        CHECK(p.entry(1) == p.place(p.written, 1));
        CHECK(p.entry(2 * per_page) == p.place(p.written, 1) + 1);
    }
    CHECK(p.levels.level[1].dirty == 0);
    CHECK(p.levels.frames.wanted == 0);
    CHECK(maps_absent(&p.e, 1, 1) == 0); // it was never written, and has entries
    // Put out, with what has changed since: that is not derived again.
    REQUIRE(maps_load(&p.e, 1, 1, 0) == 1);
    maps_set(&p.e, 1, per_page, p.place(3, 0));
    REQUIRE(maps_put_copy(&p.e, 1, 1) == 1);
    CHECK((p.flags(1) & (MAP_TOUCHED | MAP_CHECKED)) == MAP_CHECKED);
    while ((p.flags(1) & MAP_RESIDENT) != 0) {
        REQUIRE(maps_buffer_evict(&p.e, 1) == 1);
    }
    REQUIRE(maps_load(&p.e, 1, 1, 0) == 1); // from the copy
    CHECK(maps_entry(&p.e, 1, per_page) == p.place(3, 0));
}

TEST_CASE("replay: a window that is not all in memory leaves no choice but to refuse")
{
    full_part p;
    p.no_room();
    p.past.beyond = 1;
    CHECK(replay_derive(&p.e) == 0);
}

TEST_CASE("derived: what holds nothing valid is erased, then the map may change")
{
    const bool any = GENERATE(true, false);
    full_part p;
    p.no_room();
    REQUIRE(replay_derive(&p.e) == 1);
    derived_step(&p.e);
    CHECK(p.levels.frames.derived == DERIVED_COUNTS);
    for (std::uint32_t b = 0; b < p.geo.blocks; ++b) {
        superblock& s = p.block(b);
        s.good = 1;
        if (!any && b != p.written) {
            s.valid = 1;
        }
    }
    p.count_all_pages();
    derived_step(&p.e);
    CHECK(p.block(p.written).valid == 4);
    CHECK(p.erase() == (any ? p.geo.blocks - 1 : 0));
    CHECK(maps_gathers(&p.e) == (any ? 1 : 0));
    derived_step(&p.e);
    CHECK(maps_gathers(&p.e) == 0);
    CHECK(p.past.again == 1);
    // A drive that found no room may be read: its pages leave as they came.
    CHECK(p.counters.read_only == (any ? 0 : 1));
    CHECK(recovery_in_vain(&p.e) == (any ? 0 : 1));
    CHECK(p.table.free == (any ? p.geo.blocks - 1 : 0));
    CHECK(p.entry(0) == p.place(p.written, 0));
    CHECK(p.levels.level[1].dirty == 0);
}

TEST_CASE("buffer: where room runs out a page is held if another one stays that can leave as it is")
{
    powered_part p(FTL_SCHEME_LOG_SET, 3); // more than a write unit's two
    const auto hold = [&](std::uint64_t page) {
        REQUIRE(maps_buffer_may_hold(&p.e, 1, page) == 1);
        REQUIRE(maps_buffer_use(&p.e, 1, page) == 1);
        maps_buffer_hold(&p.e, 1, page);
    };
    map_buffer& b = p.levels.frames.buffer;
    p.table.free = GENERATE(0u, 100u);
    const bool runs_out = p.table.free == 0;
    hold(0);
    maps_dirty(&p.e, 1, 0);
    hold(0);
    hold(1);
    CHECK(b.bound == 2);
    maps_buffer_release(&p.e, 1, 0);
    maps_buffer_release(&p.e, 1, 0);
    CHECK(b.bound == 2); // it differs from the flash
    hold(2);
    CHECK(p.levels.out.ready == (runs_out ? 1 : 0)); // page 0, which stays
    CHECK(b.bound == (runs_out ? 2 : 3));
    CHECK((*maps_flags(&p.e, &p.levels, 1, 0) & MAP_RESIDENT) != 0);
    // Pages 1 and 2 are held: nothing can be written for a third one, but for who holds one of
    // them.
    CHECK(maps_buffer_may_hold(&p.e, 1, 0) == (runs_out ? 0 : 1));
    CHECK(maps_buffer_may_hold(&p.e, 1, 1) == 1);
    maps_buffer_release(&p.e, 1, 1);
    maps_buffer_release(&p.e, 1, 2);
    CHECK(b.bound == (runs_out ? 0 : 1));
}

} // namespace ssdvp::test::replay_test
