/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/blocks.h"

#include "firmware/space/blocks_boot.h"
#include "firmware/space/blocks_single.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/reserve.h"
#include "firmware/space/slc.h"

static uint8_t* bad_of(struct env* e, uint32_t block, uint32_t lun)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, block < g->blocks && lun < g->luns);
    return (uint8_t*)env_dram(e, e->blocks->bad) + (uint64_t)block * g->luns + lun;
}

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

static bool is_directed(uint32_t stream)
{
    return stream >= STREAM_DIRECTED;
}

/* true = the drive has such a stream. */
static bool exists(const struct blocks* b, uint32_t stream)
{
    return stream < STREAMS_ALL && b->stream[stream].pages != 0;
}

uint32_t blocks_writer(const struct env* e, uint32_t block)
{
    const struct blocks* b = e->blocks;
    for (uint32_t n = 0; n < STREAMS_ALL; ++n) {
        if (exists(b, n) && b->stream[n].block == block) {
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

int blocks_init(struct env* e, const struct blocks_setup* setup)
{
    struct blocks* b = e->blocks;
    const struct geometry* g = e->geo;
    const uint64_t addresses = ((uint64_t)g->blocks * g->pages) << g->row_shift;
    FW_ASSERT(e, g->planes <= 8 && g->pages <= 0xFFFFu);
    FW_ASSERT(e, setup != NULL);
    b->table = dram_take(e, (uint64_t)g->blocks * sizeof(struct superblock));
    b->bad = dram_take(e, (uint64_t)g->blocks * g->luns);
    b->hidden = dram_take(e, (uint64_t)g->blocks * g->luns);
    b->erase_links = dram_take(e, (uint64_t)g->blocks * sizeof(uint32_t));
    b->valid_map = dram_take_pages(e, addresses / 8 + 16);
    while (b->streams < STREAMS) {
        add_stream(e, b->streams++);
    }
    while (b->directed < setup->directed) {
        add_stream(e, STREAM_DIRECTED + b->directed++);
    }
    if (e->slc->on != 0) {
        add_stream(e, STREAM_SLC);
    }
    b->routes = b->directed != 0 || e->slc->on != 0 ? 1 : 0;
    fifo_init(&b->erase_queue);
    b->wear.dynamic = setup->wear_dynamic;
    b->wear.delta = setup->wear_static;
    b->wear.superblocks = erase_counts_none();
    b->wear.least = INDEX_NONE;
    b->wear.map_blocks = erase_counts_none();
    b->kept = RESERVE_FREE; /* gc.c says how many */
    b->map_stream = STREAM_GC;
    b->map_kept = RESERVE_FREE;
    b->planes_most = setup->planes_most != 0 ? setup->planes_most : g->planes;
    if (lanes_init(e, &setup->lanes) != 0) {
        return -1;
    }
    b->reserve = RESERVE_SUPERBLOCKS + (setup->wear_static != 0 ? 1u : 0u) +
                 lanes_reserve(e, setup->wear_static != 0) + b->directed +
                 (e->slc->on != 0 ? RESERVE_FOLD : 0) +
                 (e->geo->word_line != 0 ? RESERVE_PASSES : 0);
    if (geometry_planes(g)) {
        planes_init(e, setup->wear_static != 0);
        b->reserve = planes_reserve(e);
    }
    b->endurance = setup->endurance;
    b->pe_cycles = setup->pe_cycles;
    b->watch = setup->watch;
    b->watches = (b->watch.bits | b->watch.reads | b->watch.level) != 0;
    if (b->watch.reads != 0) {
        b->reads = dram_take(e, (uint64_t)g->blocks * g->luns * g->planes * sizeof(uint32_t));
    }
    if (b->watch.retire != 0) {
        b->strikes = dram_take(e, (uint64_t)g->blocks * g->luns * g->planes);
    }
    return arenas_result(e);
}

uint32_t blocks_good_planes(struct env* e, uint32_t block, uint32_t lun)
{
    return e->geo->plane_all & ~(uint32_t)*bad_of(e, block, lun);
}

void blocks_mark_factory_bad(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask)
{
    uint8_t* bad = bad_of(e, block, lun);
    FW_ASSERT(e, (plane_mask & ~e->geo->plane_all) == 0);
    e->telemetry->bad_blocks += count_bits(plane_mask & ~(uint32_t)*bad);
    *bad = (uint8_t)(*bad | plane_mask);
}

uint64_t blocks_needed(const struct env* e)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, g->luns != 0);
    return g->user_units + e->blocks->overhead +
           e->blocks->reserve * ((uint64_t)g->luns * g->pages * g->group);
}

/* Below this nothing can be collected any more: user data, the open superblocks and the reserve.
 * Once a drive is read only its spares do not come back, whatever was the reason. */
static void check_spares(struct env* e)
{
    FW_ASSERT(e, e->blocks->reserve != 0);
    if (e->telemetry->read_only != 0) {
        return;
    }
    if (e->blocks->capacity < blocks_needed(e)) {
        hal_log(e->hal, HAL_LOG_WARN, "spare blocks used up: read only; units left, needed",
                e->blocks->capacity, blocks_needed(e));
        e->telemetry->read_only = 1;
    }
    e->telemetry->spare_percent = blocks_spare_percent(e);
}

void blocks_retire(struct env* e, const struct erase_piece* piece, uint32_t why)
{
    struct superblock* s = superblock_of(e, e->blocks, piece->block);
    uint8_t* bad = bad_of(e, piece->block, piece->lun);
    const uint32_t fresh = count_bits(piece->plane_mask & ~(uint32_t)*bad);
    FW_ASSERT(e, (piece->plane_mask & ~e->geo->plane_all) == 0 && why < RETIRE_REASONS);
    FW_ASSERT(e, s->good >= fresh);
    if (fresh == 0) {
        return;
    }
    const uint32_t units = fresh * slc_pages(e, piece->block) * e->geo->page_units;
    *bad = (uint8_t)(*bad | piece->plane_mask);
    s->good -= fresh;
    s->capacity -= units;
    e->blocks->capacity -=
        slc_fixed(e, piece->block) ? 0 : fresh * e->geo->pages * e->geo->page_units;
    e->telemetry->bad_blocks += fresh;
    e->telemetry->retired[why] += fresh;
    e->blocks->bad_changed = 1;
    lanes_retired(e, piece->block, piece->lun, piece->plane_mask);
    blocks_make_stale(e, piece->block, REFRESH_FAILED);
    blocks_count_erases(e);
    check_spares(e);
}

uint32_t blocks_spare_percent(const struct env* e)
{
    const struct blocks* b = e->blocks;
    const uint64_t needed = blocks_needed(e);
    FW_ASSERT(e, b->capacity <= b->capacity_first);
    if (b->capacity < needed) {
        return 0;
    }
    if (b->capacity_first == needed) {
        return 100;
    }
    return (uint32_t)((b->capacity - needed) * 100 / (b->capacity_first - needed));
}

void blocks_count(struct env* e)
{
    struct blocks* b = e->blocks;
    const struct geometry* g = e->geo;
    FW_ASSERT(e, b->free == 0);
    FW_ASSERT(e, b->capacity == 0);
    for (uint32_t i = 0; i < g->blocks; ++i) {
        struct superblock* s = superblock_of(e, b, i);
        for (uint32_t lun = 0; lun < g->luns; ++lun) {
            s->good += count_bits(blocks_good_planes(e, i, lun));
        }
        const bool cache = slc_fixed(e, i);
        s->capacity = s->good * slc_pages(e, i) * g->page_units;
        b->capacity += cache ? 0 : s->good * g->pages * g->page_units;
        s->flags |= cache ? BLOCK_SLC : 0;
        s->state = s->good == 0 ? BLOCK_DEAD : BLOCK_FREE;
        s->stamp = b->stamp++;
    }
    b->capacity_first = b->capacity;
    blocks_count_free(e);
    check_spares(e);
}

/* lane: of that plane, INDEX_NONE = of any. */
static uint32_t choose_free(struct env* e, uint32_t stream, uint32_t lane)
{
    const struct blocks* b = e->blocks;
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    const uint32_t first = lane == INDEX_NONE ? 0 : lane_first_block(e->geo, lane);
    const uint32_t step = lane == INDEX_NONE ? 1 : part_lanes(e->geo);
    const uint32_t mode = stream == STREAM_SLC ? BLOCK_SLC : 0;
    uint32_t best = INDEX_NONE;
    FW_ASSERT(e, exists(e->blocks, stream));
    for (uint32_t i = first; i < e->geo->blocks; i += step) {
        if (t[i].state != BLOCK_FREE || (t[i].flags & (BLOCK_SLC | BLOCK_TURNS)) != mode) {
            continue;
        }
        if (best == INDEX_NONE) {
            best = i;
            continue;
        }
        bool better = t[i].stamp < t[best].stamp;
        if (stream == STREAM_WEAR && t[i].erases != t[best].erases) {
            better = t[i].erases > t[best].erases;
        } else if (stream != STREAM_WEAR && b->wear.dynamic != 0 && t[i].erases != t[best].erases) {
            better = t[i].erases < t[best].erases;
        }
        best = better ? i : best;
    }
    FW_ASSERT(e, best == INDEX_NONE || t[best].valid == 0);
    return best;
}

uint32_t blocks_next_free(struct env* e)
{
    FW_ASSERT(e, e->blocks->free != 0 && e->blocks->planes.count == 0);
    return choose_free(e, STREAM_HOST, INDEX_NONE);
}

/* A free superblock becomes an open one. */
static uint32_t take_free(struct env* e, uint32_t stream, uint32_t lane)
{
    struct blocks* b = e->blocks;
    const uint32_t i = choose_free(e, stream, lane);
    FW_ASSERT(e, i != INDEX_NONE);
    struct superblock* s = superblock_of(e, b, i);
    FW_ASSERT(e, s->state == BLOCK_FREE && s->pending == 0);
    s->state = BLOCK_OPEN;
    s->role = BLOCK_PAGES;
    slc_count_free(e, i, -1);
    if (b->planes.count != 0) {
        planes_taken(e, i);
    }
    run_due(e, DUE_STEPS); /* collection counts what is free */
    return i;
}

/* Of a stream that is in no plane. */
static uint32_t take_any(struct env* e, uint32_t stream)
{
    FW_ASSERT(e, e->blocks->free != 0 || stream == STREAM_SLC);
    return take_free(e, stream, e->blocks->planes.count != 0 ? planes_roomiest(e) : INDEX_NONE);
}

uint32_t blocks_take(struct env* e, uint32_t kept)
{
    FW_ASSERT(e, e->blocks->closed != BLOCKS_MAPS_ONLY);
    if (e->blocks->closed == BLOCKS_CLOSED) {
        e->blocks->knocked = 1;
        return INDEX_NONE;
    }
    return e->blocks->free > kept ? take_any(e, STREAM_GC) : INDEX_NONE;
}

static void fill_up(struct env* e, struct superblock* s)
{
    FW_ASSERT(e, s->state == BLOCK_OPEN);
    s->state = BLOCK_FULL;
    s->changed = e->blocks->invalidations;
    if (s->erases < e->blocks->wear.least && (s->flags & BLOCK_SLC) == 0) {
        e->blocks->wear.least = s->erases;
    }
}

void blocks_filled_up(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    fill_up(e, superblock_of(e, e->blocks, block));
}

/* The last free superblocks belong to collection, which gives more back than it takes. */
static uint32_t kept_from(const struct blocks* b, uint32_t stream)
{
    switch (stream) {
    case STREAM_HOST:
        return b->kept;
    case STREAM_GC:
        return 0;
    case STREAM_WEAR:
        return RESERVE_FREE + b->map_reserve;
    default:
        if (is_directed(stream)) {
            return b->kept;
        }
        if (((b->relocating >> (stream - STREAM_MAP)) & 1u) != 0) {
            return 0;
        }
        if (b->planes.count != 0) {
            return b->planes.count; /* one in each plane, more or less */
        }
        return b->map_kept + (stream == STREAM_MAP ? b->map_above : 0);
    }
}

bool blocks_may_open(const struct env* e, uint32_t stream)
{
    FW_ASSERT(e, exists(e->blocks, stream));
    return stream == STREAM_SLC ? e->slc->free != 0
                                : e->blocks->free > kept_from(e->blocks, stream);
}

uint32_t blocks_open(struct env* e, uint32_t stream)
{
    FW_ASSERT(e, blocks_may_open(e, stream));
    return take_any(e, stream);
}

uint32_t blocks_open_in(struct env* e, uint32_t stream, uint32_t lane)
{
    FW_ASSERT(e, planes_free(e)[lane] != 0);
    return take_free(e, stream, lane);
}

/* true = map pages go there. */
static bool takes_maps(const struct blocks* b, uint32_t stream)
{
    return stream == b->map_stream || (stream >= STREAM_MAP && !is_directed(stream));
}

bool blocks_may_write(struct env* e, uint32_t stream)
{
    struct blocks* b = e->blocks;
    FW_ASSERT(e, exists(b, stream));
    if (b->closed == BLOCKS_CLOSED || (b->closed == BLOCKS_MAPS_ONLY && !takes_maps(b, stream))) {
        b->knocked = 1;
        return false;
    }
    return true;
}

uint32_t blocks_room(struct env* e, uint32_t stream)
{
    const struct stream* st = &e->blocks->stream[stream];
    FW_ASSERT(e, exists(e->blocks, stream));
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
    const uint32_t i = take_any(e, stream);
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
    fill_up(e, superblock_of(e, e->blocks, st->block));
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
    struct write_pointer* w = (struct write_pointer*)env_dram(e, st->pointers) + lun;
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
    FW_ASSERT(e, exists(e->blocks, stream));
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

uint32_t blocks_planes_most(const struct env* e, uint32_t stream)
{
    FW_ASSERT(e, exists(e->blocks, stream));
    return stream == STREAM_HOST || is_directed(stream) ? e->blocks->planes_most : e->geo->planes;
}

uint32_t blocks_next_units(struct env* e, uint32_t stream)
{
    if (lanes_has(e, stream)) {
        return lanes_next_units(e, stream);
    }
    const uint32_t left = seek(e, stream);
    const uint32_t most = e->geo->multi_plane != 0 ? blocks_planes_most(e, stream) : 1;
    const uint32_t planes = count_bits(left);
    FW_ASSERT(e, (left & ~e->geo->plane_all) == 0);
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
    struct write_pointer* w = (struct write_pointer*)env_dram(e, st->pointers) + out->lun;
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
    FW_ASSERT(e, out->units <= e->geo->group);
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
