/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/blocks.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/space/bad.h"
#include "firmware/space/lanes.h"
#include "firmware/space/lanes_place.h"
#include "firmware/space/planes.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "firmware/space/wear.h"
#include "models/regs/parts/host.h"
#include "models/regs/parts/placement.h"
#include "models/regs/parts/refresh.h"
#include "models/regs/parts/wear.h"

static void add_stream(struct env* e, uint32_t n)
{
    struct stream* st = &e->blocks->stream[n];
    const struct geometry* g = e->geo;
    FW_ASSERT(e, n < STREAMS_ALL);
    st->block = INDEX_NONE;
    st->pages = g->pages;
    st->ends_of = INDEX_NONE;
    st->pointers = dram_take(e, (uint64_t)g->luns * sizeof(struct write_pointer));
    st->ends = dram_take(e, (uint64_t)g->luns * g->planes * sizeof(uint16_t));
}

uint32_t blocks_writer(const struct env* e, uint32_t block)
{
    const struct blocks* b = e->blocks;
    for (uint32_t n = 0; n < STREAMS_ALL; ++n) {
        if (stream_exists(b, n) && b->stream[n].block == block) {
            return n;
        }
    }
    return INDEX_NONE;
}

int blocks_map_streams(struct env* e, uint32_t count)
{
    FW_ASSERT(e, e->blocks->streams == STREAMS && count >= 1);
    while (e->blocks->streams < STREAM_MAP + count) {
        FW_ASSERT(e, e->blocks->streams < STREAMS_MOST);
        add_stream(e, e->blocks->streams++);
    }
    return arenas_result(e);
}

int blocks_init(struct env* e)
{
    const struct boot_refresh* refresh = e->told.refresh;
    const bool levels = e->told.wear->static_delta != 0;
    struct blocks* b = e->blocks;
    const struct geometry* g = e->geo;
    const uint64_t addresses = ((uint64_t)g->blocks * g->pages) << g->row_shift;
    FW_ASSERT(e, g->planes <= 8 && g->pages <= 0xFFFFu);
    b->table = dram_take(e, (uint64_t)g->blocks * sizeof(struct superblock));
    b->bad = dram_take(e, (uint64_t)g->blocks * g->luns);
    b->hidden = dram_take(e, (uint64_t)g->blocks * g->luns);
    b->erase_links = dram_take(e, (uint64_t)g->blocks * sizeof(uint32_t));
    b->valid_map = dram_take_pages(e, addresses / 8 + 16);
    while (b->streams < STREAMS) {
        add_stream(e, b->streams++);
    }
    while (b->directed < e->told.host->streams) {
        add_stream(e, STREAM_DIRECTED + b->directed++);
    }
    if (e->slc->on != 0) {
        add_stream(e, STREAM_SLC);
    }
    b->routes = b->directed != 0 || e->slc->on != 0 ? 1 : 0;
    fifo_init(&b->erase_queue);
    b->wear.superblocks = erase_counts_none();
    b->wear.least = INDEX_NONE;
    b->wear.map_blocks = erase_counts_none();
    b->kept = RESERVE_FREE; /* gc.c says how many */
    b->map_stream = STREAM_GC;
    b->map_kept = RESERVE_FREE;
    b->planes_most = e->told.placement->planes_most;
    b->planes_most = b->planes_most != 0 ? b->planes_most : g->planes;
    if (lanes_init(e) != 0) {
        return -1;
    }
    b->reserve = RESERVE_SUPERBLOCKS + (levels ? 1u : 0u) + lanes_reserve(e, levels) + b->directed +
                 (e->slc->on != 0 ? RESERVE_FOLD : 0) +
                 (e->geo->word_line != 0 ? RESERVE_PASSES : 0);
    if (geometry_planes(g)) {
        planes_init(e, levels);
        b->reserve = planes_reserve(e);
    }
    b->watches = (refresh->bits | refresh->reads | refresh->level) != 0;
    if (refresh->reads != 0) {
        b->reads = dram_take(e, (uint64_t)g->blocks * g->luns * g->planes * sizeof(uint32_t));
    }
    if (refresh->retire != 0) {
        b->strikes = dram_take(e, (uint64_t)g->blocks * g->luns * g->planes);
    }
    return arenas_result(e);
}

uint32_t blocks_room(struct env* e, uint32_t stream)
{
    const struct stream* st = &e->blocks->stream[stream];
    FW_ASSERT(e, stream_exists(e->blocks, stream));
    if (lanes_has(e, stream)) {
        return lanes_room(e, stream);
    }
    if (st->block == INDEX_NONE) {
        return 0;
    }
    /* What was taken in blocks that went bad since counts twice: less room, never more. */
    const uint32_t capacity = superblock_of(e, e->blocks, st->block)->capacity;
    return capacity > st->taken ? capacity - st->taken : 0;
}

/* Nothing is free or about to be, until a victim is through: collection goes on in what another
 * stream has open. The host may take the last free superblock while the victim fits into the one
 * that collection has open, but power-up may give that to another stream. */
static bool take_over(struct env* e)
{
    struct blocks* b = e->blocks;
    struct stream* own = &b->stream[STREAM_GC];
    const uint32_t from =
        blocks_room(e, STREAM_WEAR) > blocks_room(e, STREAM_HOST) ? STREAM_WEAR : STREAM_HOST;
    const struct stream other = b->stream[from];
    FW_ASSERT(e, own->block == INDEX_NONE);
    if (b->free != 0 || b->erase_queue.head != INDEX_NONE || b->apart != 0 ||
        lanes_has(e, STREAM_GC) || other.block == INDEX_NONE ||
        superblock_of(e, b, other.block)->pending != 0) {
        return false; /* collection's programs could pass those of the host */
    }
    b->stream[from] = *own;
    *own = other;
    return true;
}

static bool open_superblock(struct env* e, uint32_t stream)
{
    struct blocks* b = e->blocks;
    struct stream* st = &b->stream[stream];
    struct write_pointer* w = env_dram(e, st->pointers);
    if (!blocks_may_open(e, stream)) {
        return stream == STREAM_GC && take_over(e);
    }
    const uint32_t i = blocks_open(e, stream);
    st->block = i;
    st->pages = slc_pages(e, i);
    st->cursor = 0;
    st->luns_left = 0;
    st->taken = 0;
    for (uint32_t lun = 0; lun < e->geo->luns; ++lun) {
        w[lun].page = 0;
        w[lun].used = 0;
        w[lun].ended = blocks_good_planes(e, i, lun) == 0;
        st->luns_left += w[lun].ended ? 0u : 1u;
    }
    return true;
}

static void close_superblock(struct env* e, struct stream* st)
{
    FW_ASSERT(e, st->luns_left == 0);
    blocks_filled_up(e, st->block);
    st->block = INDEX_NONE;
}

void blocks_close(struct env* e, uint32_t stream)
{
    struct stream* st = &e->blocks->stream[stream];
    FW_ASSERT(e, st->block != INDEX_NONE && !lanes_has(e, stream));
    st->luns_left = 0;
    close_superblock(e, st);
}

/* Planes the LUN under the pointer can still take at its page, moving to the next page when all
 * are taken; 0 = the LUN has ended. */
static uint32_t planes_left(struct env* e, struct stream* st, uint32_t lun)
{
    struct write_pointer* w = env_dram_entry(e, st->pointers, lun, sizeof(struct write_pointer));
    FW_ASSERT(e, lun < e->geo->luns);
    if (w->ended) {
        return 0;
    }
    const uint32_t good = blocks_good_planes(e, st->block, lun);
    uint32_t left = good & ~(uint32_t)w->used;
    if (left == 0 && good != 0) {
        w->used = 0;
        ++w->page;
        left = good;
    }
    if (good == 0 || w->page >= st->pages) {
        FW_ASSERT(e, st->luns_left > 0);
        w->ended = true;
        --st->luns_left;
        return 0;
    }
    return left;
}

/* Moves the cursor to a LUN that takes data and says which planes; 0 = nothing to open. */
static uint32_t seek(struct env* e, uint32_t stream)
{
    struct stream* st = &e->blocks->stream[stream];
    FW_ASSERT(e, stream_exists(e->blocks, stream));
    if (!blocks_may_write(e, stream)) {
        return 0;
    }
    for (uint32_t opened = 0; opened < 2; ++opened) {
        if (st->block == INDEX_NONE && !open_superblock(e, stream)) {
            return 0;
        }
        for (uint32_t n = 0; n < e->geo->luns; ++n) {
            const uint32_t left = planes_left(e, st, st->cursor);
            if (left != 0) {
                return left;
            }
            st->cursor = st->cursor + 1 == e->geo->luns ? 0 : st->cursor + 1;
        }
        close_superblock(e, st);
    }
    FW_ASSERT(e, 0 && "an opened superblock takes data");
    return 0;
}

uint32_t blocks_next_units(struct env* e, uint32_t stream)
{
    if (lanes_has(e, stream)) {
        return lanes_next_units(e, stream);
    }
    const uint32_t left = seek(e, stream);
    const uint32_t most = e->geo->multi_plane != 0 ? blocks_planes_most(e, stream) : 1;
    const uint32_t planes = count_bits(left);
    return (planes < most ? planes : most) * e->geo->page_units;
}

uint32_t blocks_map_stream(struct env* e, uint32_t log)
{
    const struct blocks* b = e->blocks;
    const uint32_t own = b->map_stream + log;
    FW_ASSERT(e, own < STREAMS_MOST);
    const bool leaves = ((b->relocating >> log) & 1u) != 0;
    return leaves && own != STREAM_GC && !lanes_has(e, STREAM_GC) &&
                   blocks_next_units(e, own) == 0 && blocks_next_units(e, STREAM_GC) != 0
               ? STREAM_GC
               : own;
}

/* Planes of the next page of a LUN: they are written, and superblock or LUN may end with them. */
static void take(struct env* e, struct stream* st, struct write_unit* out)
{
    struct write_pointer* w =
        env_dram_entry(e, st->pointers, out->lun, sizeof(struct write_pointer));
    FW_ASSERT(e, out->plane_mask != 0 && (w->used & out->plane_mask) == 0);
    out->block = st->block;
    out->page = w->page;
    w->used = (uint8_t)(w->used | out->plane_mask);
    st->taken += out->units;
    ++superblock_of(e, e->blocks, st->block)->pending;
    (void)planes_left(e, st, out->lun); /* ends the LUN with its last page */
    FW_ASSERT(e, out->units != 0 && out->units <= GROUP_MAX);
    if (st->luns_left == 0) {
        close_superblock(e, st);
    }
}

uint32_t blocks_next_planes(struct env* e, uint32_t stream, uint32_t lun, uint32_t first)
{
    if (lanes_has(e, stream)) {
        return lanes_next_planes(e, stream, lun, first);
    }
    const uint32_t some = seek(e, stream);
    FW_ASSERT(e, lun < e->geo->luns && first < e->geo->planes);
    return some != 0 ? planes_left(e, &e->blocks->stream[stream], lun) : 0;
}

bool blocks_place_on(struct env* e, uint32_t stream, uint32_t lun, uint32_t planes,
                     struct write_unit* out)
{
    FW_ASSERT(e, planes != 0);
    if (lanes_has(e, stream)) {
        return lanes_place_on(e, stream, lun, planes, out);
    }
    const uint32_t left = blocks_next_planes(e, stream, lun, lowest_bit(planes));
    if ((planes & ~left) != 0) {
        return false;
    }
    out->lun = lun;
    out->plane_mask = planes;
    out->units = count_bits(planes) * e->geo->page_units;
    take(e, &e->blocks->stream[stream], out);
    return true;
}

bool blocks_place(struct env* e, uint32_t stream, uint32_t wanted, struct write_unit* out)
{
    const struct geometry* g = e->geo;
    struct stream* st = &e->blocks->stream[stream];
    FW_ASSERT(e, wanted >= 1);
    if (lanes_has(e, stream)) {
        return lanes_place(e, stream, wanted, out);
    }
    const uint32_t most = g->multi_plane != 0 ? blocks_planes_most(e, stream) : 1;
    const uint32_t left = seek(e, stream);
    if (left == 0) {
        return false;
    }
    uint32_t mask = 0;
    uint32_t units = 0;
    for (uint32_t rest = left; rest != 0 && units < wanted; rest &= rest - 1) {
        mask |= rest & (0u - rest);
        units += g->page_units;
        if (units == most * g->page_units) {
            break;
        }
    }
    out->lun = st->cursor;
    out->plane_mask = mask;
    out->units = units;
    st->cursor = st->cursor + 1 == g->luns ? 0 : st->cursor + 1;
    take(e, st, out);
    return true;
}

/* ---- What has been given to whoever writes it ---- */

/* The stream that has the superblock open; NULL = it is full. Lanes are not looked at. */
static const struct stream* writer_of(struct env* e, uint32_t block)
{
    const uint32_t stream = blocks_writer(e, block);
    FW_ASSERT(e, stream != INDEX_NONE || superblock_of(e, e->blocks, block)->state == BLOCK_FULL);
    return stream != INDEX_NONE ? &e->blocks->stream[stream] : NULL;
}

uint32_t blocks_placed_planes(struct env* e, uint32_t block, uint32_t lun, uint32_t page)
{
    const struct stream* st = writer_of(e, block);
    const uint32_t good = blocks_good_planes(e, block, lun);
    FW_ASSERT(e, page < e->geo->pages);
    if (st == NULL) {
        return good;
    }
    const struct write_pointer* w = (const struct write_pointer*)env_dram(e, st->pointers) + lun;
    return page < w->page ? good : page == w->page ? w->used : 0;
}

uint32_t blocks_placed_units(struct env* e, uint32_t block)
{
    const struct stream* st = writer_of(e, block);
    return st != NULL ? st->taken : superblock_of(e, e->blocks, block)->capacity;
}
