/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/gc.h"

#include "firmware/gc/copy.h"
#include "firmware/gc/pace.h"
#include "firmware/gc/patrol.h"
#include "firmware/gc/planes.h"
#include "firmware/gc/policy.h"
#include "firmware/gc/program.h"
#include "firmware/gc/read.h"
#include "firmware/gc/victim.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/modes.h"
#include "firmware/slc/policy.h"
#include "firmware/space/erase.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"
#include "firmware/space/wear.h"
#include "models/regs/parts/gc.h"

enum { LEAVING_MAX = 4 };

bool gc_watches_for(const struct env* e, uint64_t garbage, uint64_t units)
{
    const uint32_t share = e->told.gc->invalid_permille;
    return share != 0 && garbage * 1000 > units * share;
}

int gc_init(struct env* e)
{
    struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    const uint32_t planes = planes_own(e) ? gc_planes_units(e) : 0;
    /* Programs keep their buffers until the fine pass of their word line. */
    const uint32_t each = WORD_LINES_HELD * e->geo->word_line;
    const uint32_t running = (each > 3 ? each : 3) * g->luns * g->group + planes;
    const uint32_t functional = (g->group + 2) * g->group; /* preconditioning borrows them */
    gc_patrol_init(e);
    if (gc_policy_of(e) == NULL) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such collection policy", e->told.gc->policy, 0);
        return -1;
    }
    FW_ASSERT(e, g->group <= GROUP_MAX);
    gc_pace_init(e);
    c->victim = INDEX_NONE;
    c->asked = INDEX_NONE;
    c->lane = INDEX_NONE;
    c->futile = UINT64_MAX;
    c->reclaimed = UINT64_MAX;
    c->units = running > functional ? running : functional;
    c->table = dram_take(e, (uint64_t)c->units * sizeof(struct gc_unit));
    c->links = dram_take(e, (uint64_t)c->units * sizeof(uint32_t));
    c->buffers = dram_take_pages(e, (uint64_t)(c->units + 1) << g->unit_shift);
    if (retention_on(e)) {
        c->rewrite.deadlines = dram_take(e, (uint64_t)c->units * sizeof(uint64_t));
    }
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    fifo_init(&c->free);
    fifo_init(&c->refused);
    fifo_init(&c->asking);
    fifo_init(&c->moving);
    fifo_init(&c->unmoved);
    for (uint32_t kind = 0; kind < GC_KINDS; ++kind) {
        fifo_init(&c->ready[kind]);
        fifo_init(&c->claimed[kind]);
    }
    for (uint32_t i = 0; i < c->units; ++i) {
        fifo_push(&c->free, gc_links(e), i);
    }
    return planes != 0 ? gc_planes_init(e) : 0;
}

static void take_victim(struct env* e, uint32_t block, uint32_t kind)
{
    struct gc* c = e->gc;
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_FULL && s->pending == 0);
    FW_ASSERT(e, c->victim == INDEX_NONE && blocks_known(s));
    c->victim = block;
    c->kind = kind;
    c->plain = 0;
    c->scan = (uint64_t)(block * e->geo->pages) << e->geo->row_shift;
    s->state = BLOCK_VICTIM;
    s->purpose = gc_purpose(kind);
    blocks_refreshing(e, block);
    c->usual = kind == GC_GARBAGE ? s->valid : c->usual;
}

/* Wear levelling and refresh wait until all is known: true = it is. */
static bool all_known(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t partial = !maps_all_counted(e);
    if (c->partial != 0 && partial == 0) {
        c->futile = UINT64_MAX;
    }
    c->partial = partial;
    return partial == 0 && c->asked == INDEX_NONE;
}

/* Between the marks. */
static void mark_active(struct env* e)
{
    struct gc* c = e->gc;
    if (!c->active && blocks_free(e) < gc_mark(e, c->low)) {
        c->active = 1;
    }
    if (c->active && slc_coming(e) >= gc_mark(e, c->high)) {
        c->active = 0;
    }
}

/* What space does not ask for, but the SLC cache. false = nothing. */
static bool take_for_cache(struct env* e)
{
    const uint32_t cached = gc_fold_victim(e);
    const uint32_t block = cached != INDEX_NONE ? cached : gc_reclaim_victim(e);
    if (block != INDEX_NONE) {
        take_victim(e, block, cached != INDEX_NONE ? GC_FOLD : GC_GARBAGE);
    }
    return block != INDEX_NONE;
}

static void choose(struct env* e)
{
    struct gc* c = e->gc;
    const bool all = all_known(e);
    if ((!all && ftl_layout_of(e)->logical_blocks != 0) || maps_gathers(e)) {
        return; /* nobody knows which superblocks are collection's, or its maps find no room */
    }
    mark_active(e);
    const uint32_t cold = all ? gc_wear_victim(e) : INDEX_NONE;
    if (cold != INDEX_NONE && !gc_moves_itself(e, cold)) {
        take_victim(e, cold, GC_WEAR);
        return;
    }
    const uint32_t stale = all ? gc_refresh_victim(e) : INDEX_NONE;
    if (stale != INDEX_NONE && !gc_moves_itself(e, stale)) {
        take_victim(e, stale, GC_REFRESH);
        return;
    }
    const uint32_t room = blocks_set_aside(e) + RESERVE_REFRESH + 1;
    const uint32_t high = gc_mark(e, c->high > room ? c->high : room);
    if (c->refresh_waits != 0 && slc_coming(e) < high) {
        c->active = 1;
    }
    const bool caches = slc_on(e) && all;
    if (caches && gc_fold_first(e) && take_for_cache(e)) {
        return;
    }
    const uint32_t victim = blocks_leaving(e) < LEAVING_MAX ? gc_garbage_victim(e) : INDEX_NONE;
    if (victim != INDEX_NONE && ftl_ops_of(e)->hoards == 0) {
        FW_ASSERT(e, gc_gain(e, victim) != 0);
        take_victim(e, victim, GC_GARBAGE);
        c->effort -= c->effort != 0 ? 1u : 0u;
    } else if (caches) {
        (void)take_for_cache(e);
    }
}

/* Whether one more page may be read. */
static bool may_read(struct env* e)
{
    if (e->gc->free.count < e->geo->page_units) {
        gc_heeds_host(e); /* what is in the buffers is enough for now */
        return false;
    }
    return flash_may_take(e, OWNER_GC_READ) && gc_due(e);
}

/* Moves the page at the scan's address, or more planes of its group. Returns how many pages that
 * were, 0 = it has to wait. */
static uint32_t move_page(struct env* e, uint32_t valid)
{
    const uint64_t address = e->gc->scan;
    const uint32_t planes = valid == ones(e->geo->page_units) ? gc_copyable(e, address) : 0;
    if (planes == 0) {
        gc_read_page(e, address, valid);
        return 1;
    }
    return gc_copy(e, address, planes) ? count_bits(planes) : 0;
}

/* Walks the victim in stripe order, a page at a time, and ends it when all of it has been seen. */
static void scan(struct env* e)
{
    struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    const uint64_t* map = blocks_valid_map(e);
    const uint64_t end = (uint64_t)((c->victim + 1) * g->pages) << g->row_shift;
    FW_ASSERT(e, c->scan <= end);
    while (c->refused.count != 0 && may_read(e)) {
        gc_read_refused(e);
    }
    while (c->scan < end && may_read(e)) {
        uint32_t pages = 1;
        const uint32_t valid = bitmap_field(map, c->scan, g->page_units);
        if (valid != 0) {
            pages = move_page(e, valid);
            if (pages == 0) {
                break;
            }
        } else if ((c->scan & 63u) == 0 && map[c->scan >> 6] == 0) {
            c->scan += 64u < (1u << g->unit_bits) ? 1u << g->unit_bits : 64u;
            c->scan = c->scan > end ? end : c->scan;
            continue;
        }
        c->scan += (uint64_t)pages << g->unit_bits;
    }
    if (c->scan >= end && c->reads == 0 && c->copies == 0) {
        const uint32_t victim = c->victim;
        c->victim = INDEX_NONE;
        e->telemetry->gc_runs += c->kind == GC_GARBAGE ? 1u : 0u;
        e->telemetry->refresh_runs += c->kind == GC_REFRESH ? 1u : 0u;
        e->telemetry->slc.folds += c->kind == GC_FOLD ? 1u : 0u;
        blocks_collected(e, victim);
    }
}

/* What is ready, kind by kind. Where the stream goes on elsewhere the next write unit may be a
 * smaller one, which those fill that were too few. */
static void write_kinds(struct env* e)
{
    struct gc* c = e->gc;
    const bool pausing = c->victim == INDEX_NONE;
    uint32_t waiting = 0;
    for (uint32_t kind = 0; kind < GC_KINDS && c->free.count != c->units; ++kind) {
        if (c->ready[kind].count + c->claimed[kind].count != 0) {
            const bool ends = kind == GC_RETAIN ? !gc_rewrites(e) : pausing || c->kind != kind;
            const uint32_t programs = c->programs;
            gc_write_ready(e, kind, ends);
            if (waiting != 0 && c->programs != programs) {
                run_due(e, DUE_GC);
            }
            waiting += c->ready[kind].count + c->claimed[kind].count;
        }
    }
}

/* Reads the victim or the next ones, and programs what is ready. */
static void advance(struct env* e)
{
    struct gc* c = e->gc;
    gc_rewrite_step(e); /* it may wait for what is collected */
    if (slc_on(e)) {
        slc_adapt(e, c->high);
    }
    /* A victim may end here, with its last read or because nothing in it was valid any more: then
     * the next one starts at once, for no interrupt will announce that it could. */
    for (uint32_t i = 0; i <= LEAVING_MAX; ++i) {
        if (c->victim == INDEX_NONE) {
            choose(e);
        }
        if (c->victim == INDEX_NONE) {
            c->debt = 0;
            break;
        }
        scan(e);
        if (c->victim != INDEX_NONE) {
            break;
        }
    }
    gc_relocate_step(e);
    blocks_keep(e, gc_reserve(e));
    write_kinds(e);
}

void gc_step(struct env* e)
{
    struct gc* c = e->gc;
    if (ftl_stops(e) || ftl_spent(e) || ftl_clearing(e)) {
        gc_unclaim(e);
        return; /* the last checkpoint wants nothing to change any more, or nothing can */
    }
    const uint32_t programs = c->programs;
    const uint32_t victim = c->victim;
    uint32_t left = c->units;
    /* Units that turn out to have moved on give their buffers back: more can be read then, and
     * perhaps nothing is under way that would bring us here again. */
    do {
        c->dropped = 0;
        if (planes_own(e)) {
            gc_planes_step(e);
        } else {
            advance(e);
        }
    } while (c->dropped != 0 && left-- != 0);
    if (c->programs != programs && flash_copies(e, FLASH_COPIES_GARBAGE | FLASH_COPIES_CACHE)) {
        run_due(e, DUE_GC); /* what comes next in the stream is another page: a copy may not fit */
    }
    if (c->victim != victim) {
        run_due(e, DUE_GC); /* what is kept, and what goes short, follows from it */
    }
    FW_ASSERT(e, c->dropped == 0);
}

bool gc_gets_on(struct env* e)
{
    const uint64_t scan = e->gc->scan;
    const uint32_t victim = e->gc->victim;
    gc_step(e);
    return e->gc->scan != scan || e->gc->victim != victim;
}

bool gc_is_stale(struct env* e)
{
    return e->gc->victim != INDEX_NONE && blocks_kept(e) != gc_reserve(e);
}

bool gc_looks(const struct env* e)
{
    const struct gc* c = e->gc;
    return (c->moving.count | c->unmoved.count | c->asking.count | c->refused.count) != 0;
}

bool gc_is_idle(const struct env* e)
{
    const struct gc* c = e->gc;
    return c->victim == INDEX_NONE && c->victims == 0 && c->free.count == c->units;
}

/* Is there a superblock that only waits for its readers before it is erased? */
static bool erase_waits_for_reads(struct env* e)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    for (uint32_t i = 0; i < e->geo->blocks && blocks_leaving(e) != 0; ++i) {
        if (t[i].state == BLOCK_COLLECTED && t[i].pending == 0 && t[i].readers != 0) {
            return true;
        }
    }
    return false;
}

/* Everything that can be done now has been started when this is asked. */
bool gc_hopeful(struct env* e)
{
    /* Reads of the host and of the patrol free nothing, and may never pause; but a superblock that
     * is to be erased may wait for them. What comes from the host's memory makes room in the map.
     */
    return flash_at_work(e) || maps_host_moves(e) ||
           (e->gc->victims != 0 && flash_in_flight(e) != 0) ||
           (e->gc->asked != INDEX_NONE && flash_in_flight(e) != 0) ||
           (blocks_erase_waits(e) && (!blocks_erases_held(e) || !e->gc_asks->in_vain(e))) ||
           (flash_bystanders(e) != 0 && erase_waits_for_reads(e));
}
