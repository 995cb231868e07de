/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/planes.h"

#include "firmware/gc/pace.h"
#include "firmware/gc/patrol.h"
#include "firmware/gc/policy.h"
#include "firmware/gc/program.h"
#include "firmware/gc/read.h"
#include "firmware/gc/state.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/planes.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/valid.h"
#include "firmware/space/wear.h"

enum {
    PAGES_AHEAD = 4, /* of a victim that are read and not programmed: one is read meanwhile */
    WEAR_VICTIMS = 2 /* victims for their garbage between two of wear levelling, at least */
};

uint32_t gc_planes_units(const struct env* e)
{
    /* As many again for pages that are rewritten in time. */
    return 2 * PAGES_AHEAD * planes_count(e) * e->geo->page_units;
}

int gc_planes_init(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t lanes = planes_count(e);
    c->planes = dram_take(e, (uint64_t)lanes * sizeof(struct gc_plane));
    c->own = dram_take(e, (uint64_t)e->geo->part.luns * sizeof(uint32_t));
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    run_hears_reads(e, DUE_GC); /* a LUN may have nothing else to do any more */
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        struct gc_plane* p = gc_plane_at(e, lane);
        fifo_init(&p->ready);
        p->victim = INDEX_NONE;
        p->futile = UINT64_MAX;
    }
    return 0;
}

/* ---- Choice of a victim ---- */

static void take(struct env* e, struct gc_plane* p, uint32_t block, uint32_t kind)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_FULL && s->pending == 0 && blocks_known(s));
    p->victim = block;
    p->kind = kind;
    p->scan = (uint64_t)(block * e->geo->pages) << e->geo->row_shift;
    p->scanned = 0;
    p->since = kind == GC_WEAR ? 0 : p->since + 1;
    s->state = BLOCK_VICTIM;
    s->purpose = gc_purpose(kind);
    blocks_refreshing(e, block);
    ++e->gc->victims;
}

/* A block of the plane whose data have to move. */
static uint32_t stale_block(struct env* e, uint32_t lane)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    for (uint32_t i = lane_first_block(e->geo, lane);
         i < e->geo->blocks && blocks_stale(e) != 0 && e->telemetry->read_only == 0;
         i += planes_count(e)) {
        if ((t[i].flags & BLOCK_STALE) != 0 && t[i].state == BLOCK_FULL && t[i].pending == 0) {
            return i;
        }
    }
    return INDEX_NONE;
}

/* The coldest data lie in the full block with the fewest erases. They move when the plane's blocks
 * differ too much; planes that the host writes to at different rates wear at these rates. */
static uint32_t cold_block(struct env* e, uint32_t lane, const struct gc_plane* p)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    uint32_t best = INDEX_NONE;
    uint32_t most = 0;
    if (wear_delta(e) == 0 || p->since < WEAR_VICTIMS || e->telemetry->read_only != 0 ||
        !gc_thrives(e)) {
        return INDEX_NONE;
    }
    for (uint32_t i = lane_first_block(e->geo, lane); i < e->geo->blocks; i += planes_count(e)) {
        most = t[i].good != 0 && t[i].erases > most ? t[i].erases : most;
        if (t[i].state == BLOCK_FULL && t[i].pending == 0 &&
            (best == INDEX_NONE || t[i].erases < t[best].erases)) {
            best = i;
        }
    }
    return best != INDEX_NONE && most - t[best].erases > wear_delta(e) ? best : INDEX_NONE;
}

/* Free blocks below which the plane is collected. A drive that can gain nothing more, or is read
 * only and at rest, wants what moves take. */
static uint32_t mark_of(const struct env* e, uint32_t mark)
{
    const uint32_t least = planes_kept(e) + 1;
    FW_ASSERT(e, mark >= least);
    return gc_mark(e, mark) == 0 ? 0 : gc_mark(e, mark) == mark ? mark : least;
}

static uint32_t garbage_block(struct env* e, uint32_t lane, struct gc_plane* p)
{
    struct gc* c = e->gc;
    const uint32_t free = planes_free(e)[lane];
    if (free < mark_of(e, c->low)) {
        p->active = 1;
    } else if (free >= mark_of(e, c->high)) {
        p->active = 0;
    }
    if (p->active == 0 || p->futile == blocks_invalidations(e) || ftl_ops_of(e)->hoards != 0) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, lane, 0);
    p->futile = victim == INDEX_NONE ? blocks_invalidations(e) : p->futile;
    FW_ASSERT(e, victim == INDEX_NONE || lane_of_block(e->geo, victim) == lane);
    return victim;
}

/* true = the plane has a victim. */
static bool choose(struct env* e, uint32_t lane, struct gc_plane* p)
{
    struct gc* c = e->gc;
    const bool room = planes_free(e)[lane] > planes_kept(e); /* for what is not garbage */
    FW_ASSERT(e, p->victim == INDEX_NONE && p->ready.count == 0);
    const uint32_t stale = room ? stale_block(e, lane) : INDEX_NONE;
    if (stale != INDEX_NONE) {
        take(e, p, stale, GC_REFRESH);
        return true;
    }
    const uint32_t cold = room ? cold_block(e, lane, p) : INDEX_NONE;
    if (cold != INDEX_NONE) {
        take(e, p, cold, GC_WEAR);
        return true;
    }
    const uint32_t victim = garbage_block(e, lane, p);
    if (victim != INDEX_NONE) {
        take(e, p, victim, GC_GARBAGE);
        c->effort -= c->effort != 0 ? 1u : 0u;
    }
    return victim != INDEX_NONE;
}

/* ---- Reading ---- */

/* The host has to wait for a block of this plane, or will have to soon. */
static bool is_urgent(struct env* e, uint32_t lane)
{
    return planes_free(e)[lane] <= planes_kept(e);
}

static bool may_read(struct env* e, uint32_t lane, const struct gc_plane* p)
{
    const struct gc* c = e->gc;
    const uint32_t lun = lane / e->geo->part.planes;
    const uint32_t held = superblock_of(e, e->blocks, p->victim)->pending;
    if (held + e->geo->page_units > PAGES_AHEAD * e->geo->page_units ||
        c->free.count < e->geo->page_units || !flash_may_take(e, OWNER_GC_READ)) {
        return false;
    }
    return is_urgent(e, lane) || flash_queued(e, lun) <= *gc_own_of(e, lun) ||
           p->victim == retention_hurried(e);
}

/* Page by page. */
static void scan(struct env* e, uint32_t lane, struct gc_plane* p)
{
    const struct geometry* g = e->geo;
    const uint64_t* map = blocks_valid_map(e);
    const uint64_t end = (uint64_t)((p->victim + 1) * g->pages) << g->row_shift;
    FW_ASSERT(e, p->scan <= end && p->scanned == 0);
    while (p->scan < end) {
        const uint32_t valid = bitmap_field(map, p->scan, g->page_units);
        if (valid != 0) {
            if (!may_read(e, lane, p)) {
                return;
            }
            gc_read_in_plane(e, p->scan, valid);
        }
        p->scan += UINT64_C(1) << g->row_shift;
    }
    if (p->reads == 0) {
        p->scanned = 1;
        e->telemetry->gc_runs += p->kind == GC_GARBAGE ? 1u : 0u;
        e->telemetry->refresh_runs += p->kind == GC_REFRESH ? 1u : 0u;
        blocks_collected(e, p->victim);
    }
}

/* ---- Writing ---- */

/* Claims up to a page of units of a list, of those that lie in the plane (INDEX_NONE = in any).
 * true = others of them wait. */
static bool pick(struct env* e, struct fifo* ready, uint32_t lane, struct picks* out)
{
    bool waits = false;
    uint32_t unpinned = 0;
    out->count = 0;
    for (uint32_t left = ready->count; left != 0 && out->count < e->geo->page_units; --left) {
        const uint32_t i = fifo_pop(ready, gc_links(e));
        const uint32_t from = lane_of_block(e->geo, address_block(e->geo, gc_unit_of(e, i)->from));
        const bool may = lane == INDEX_NONE || from == lane;
        const bool vain = gc_is_vain(e, unpinned);
        const enum gc_verdict verdict = may && !vain ? gc_claim_buffer(e, i) : CLAIM_LATER;
        if (verdict == CLAIM_YES) {
            out->buffer[out->count++] = i;
        } else if (verdict == CLAIM_GONE) {
            gc_drop_buffer(e, i);
        } else {
            fifo_push(ready, gc_links(e), i);
            waits = waits || may;
            unpinned += verdict == CLAIM_UNPINNED ? 1u : 0u;
        }
    }
    return waits;
}

struct page_move {
    uint32_t kind;
    uint32_t stream;
    uint32_t lane; /* that the units lie in, INDEX_NONE = in any */
    uint32_t to;   /* INDEX_NONE = no plane has room */
    bool short_too;
};

/* One page of units. */
static bool write_page(struct env* e, struct fifo* ready, const struct page_move* m)
{
    struct picks p;
    struct write_unit w;
    if (m->to == INDEX_NONE || !blocks_may_write(e, m->stream)) {
        return false;
    }
    const bool waits = pick(e, ready, m->lane, &p);
    if (p.count == 0 || (p.count < e->geo->page_units && (waits || !m->short_too))) {
        while (p.count != 0) {
            const uint32_t i = p.buffer[--p.count];
            ftl_ops_of(e)->unpin(e, gc_unit_of(e, i)->unit & ~FTL_LOST);
            fifo_push_front(ready, gc_links(e), i);
        }
        return false;
    }
    e->telemetry->strayed_units += m->lane != INDEX_NONE && m->to != m->lane ? p.count : 0;
    planes_place(e, m->stream, m->to, &w);
    gc_planes_begin(e, w.block);
    gc_program(e, m->kind, &w, &p);
    return true;
}

static bool may_program(const struct env* e)
{
    return flash_may_take(e, OWNER_GC_PROGRAM);
}

static bool write_moved(struct env* e, uint32_t lane)
{
    struct gc_plane* p = gc_plane_at(e, lane);
    const bool wear = p->kind == GC_WEAR && planes_has_room(e, STREAM_WEAR, lane);
    const uint32_t stream = wear ? STREAM_WEAR : STREAM_GC;
    const struct page_move m = {.kind = p->kind,
                                .stream = stream,
                                .lane = lane,
                                .to = planes_for_moves(e, stream, lane, 0),
                                .short_too = p->scanned != 0};
    return write_page(e, &p->ready, &m);
}

/* ---- Pages that are due (patrol.c) ---- */

/* The plane whose units fill a page, else that of the first ones. */
static uint32_t retained_lane(struct env* e, bool* full)
{
    const struct fifo* ready = &e->gc->ready[GC_RETAIN];
    uint16_t* counts = lanes_counts_of_all(e);
    *full = false;
    for (uint32_t i = ready->head; i != INDEX_NONE; i = gc_links(e)[i]) {
        const uint32_t lane = lane_of_block(e->geo, address_block(e->geo, gc_unit_of(e, i)->from));
        if (++counts[lane] == e->geo->page_units) {
            *full = true;
            return lane;
        }
    }
    return lane_of_block(e->geo, address_block(e->geo, gc_unit_of(e, ready->head)->from));
}

/* The next plane in turn that has room beside what its collection needs. */
static uint32_t next_plane(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t lanes = planes_count(e);
    for (uint32_t n = 0; n < lanes; ++n) {
        const uint32_t lane = (c->spread + n) % lanes;
        if (planes_can_take(e, STREAM_GC, lane, RESERVE_FREE)) {
            c->spread = (lane + 1) % lanes;
            return lane;
        }
    }
    return INDEX_NONE;
}

/* All that is due of a block lies in one plane, which would take long to program it. So it goes to
 * all planes in turns, but where an order says in which one it lies. */
static bool write_retained(struct env* e)
{
    struct fifo* ready = &e->gc->ready[GC_RETAIN];
    const bool ordered = lanes_static(e);
    bool full = ready->count >= e->geo->page_units;
    const uint32_t lane = ordered ? retained_lane(e, &full) : INDEX_NONE;
    const bool ends = !gc_rewrites(e) || e->gc->free.count < e->geo->page_units;
    if (!full && !ends) {
        return false;
    }
    const struct page_move m = {.kind = GC_RETAIN,
                                .stream = STREAM_GC,
                                .lane = lane,
                                .to = ordered ? planes_for_moves(e, STREAM_GC, lane, RESERVE_FREE)
                                              : next_plane(e),
                                .short_too = ends};
    return write_page(e, ready, &m);
}

/* ---- Steps ---- */

static bool is_erased(struct env* e, uint32_t block)
{
    const uint8_t state = superblock_of(e, e->blocks, block)->state;
    return state != BLOCK_VICTIM && state != BLOCK_COLLECTED && state != BLOCK_ERASING;
}

/* true = there is nothing more to be done in the plane until something happens there. */
static bool plane_step(struct env* e, uint32_t lane)
{
    struct gc_plane* p = gc_plane_at(e, lane);
    if (p->victim != INDEX_NONE && is_erased(e, p->victim)) {
        p->victim = INDEX_NONE;
        --e->gc->victims;
    }
    if (p->victim == INDEX_NONE && !choose(e, lane, p)) {
        bitmap_clear(planes_hope(e), lane);
        return p->active == 0 && blocks_stale(e) == 0;
    }
    bitmap_set(planes_hope(e), lane);
    if (p->scanned == 0) {
        scan(e, lane, p);
    }
    while (p->ready.count != 0 && may_program(e) && write_moved(e, lane)) {
    }
    return false;
}

/* Nothing may move before it is known what is valid. */
static bool is_known(struct env* e)
{
    return maps_all_counted(e) && !maps_gathers(e);
}

/* The planes take turns as to who comes first. */
void gc_planes_step(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t lanes = planes_count(e);
    uint64_t* work = planes_work(e);
    gc_rewrite_step(e);
    while (c->ready[GC_RETAIN].count != 0 && may_program(e) && write_retained(e)) {
    }
    for (uint32_t n = 0, lane = c->turn; n < lanes && is_known(e); ++n) {
        if ((lane & 63u) == 0 && work[lane >> 6] == 0 && lanes - lane >= 64) {
            n += 63;
            lane = lane + 64 == lanes ? 0 : lane + 64;
            continue;
        }
        if (bitmap_get(work, lane) && plane_step(e, lane)) {
            bitmap_clear(work, lane);
        }
        lane = lane + 1 == lanes ? 0 : lane + 1;
    }
    c->turn = c->turn + 1 < lanes ? c->turn + 1 : 0;
    gc_relocate_step(e);
}
