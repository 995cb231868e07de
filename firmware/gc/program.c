/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: programming what was read.
 *
 * Where a unit's address says where it goes (space/lanes.h) a page takes units of one bin, so that
 * what was in its lane stays there. A unit may wait long for others of its bin, and its victim with
 * it. That is well while there are free superblocks. Without one the oldest victim goes first and
 * alone, padded: the room that is planned with (pace.c) is that of its units, and a page row more
 * for this padding.
 */
#include "firmware/gc/program.h"

#include "firmware/gc/gc.h"
#include "firmware/gc/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/ops/requests.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"
#include "firmware/space/lanes_place.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

enum {
    PUT_OFF_MAX = 16,
    PINS_SHARE = 8 /* a map of that many write units has room for those that wait */
};

/* The spare word of a buffer's unit. */
static uint64_t word_of(struct env* e, uint32_t i)
{
    const uint64_t unit = gc_unit_of(e, i)->unit;
    FW_ASSERT(e, (unit & ~FTL_LOST) < e->geo->user_units);
    return spare_pack(SPARE_DATA, unit & ~FTL_LOST) | ((unit & FTL_LOST) != 0 ? SPARE_LOST : 0);
}

void gc_program(struct env* e, uint32_t kind, const struct write_unit* w, const struct picks* p)
{
    struct gc* c = e->gc;
    const uint32_t i = flash_take(e, OWNER_GC_PROGRAM);
    FW_ASSERT(e, i != INDEX_NONE && p->count <= w->units);
    struct flash_request* r = flash_request_of(e, i);
    flash_program_pages(e, r, gc_purpose(kind), 2);
    r->plane_mask = (uint8_t)w->plane_mask;
    r->lun = (uint16_t)w->lun;
    r->block = w->block;
    r->page = w->page;
    r->gc_program.kind = kind;
    uint64_t* list = flash_list(e, i);
    uint64_t* word = flash_oob(e, i);
    for (uint32_t n = 0, s = 0; n < w->units; ++n, ++s) {
        if (s == e->geo->page_units) { /* a page is full */
            word += spare_words(e->geo);
            s = 0;
        }
        /* Padding is what nobody writes: a word line in two passes brings it twice. */
        const bool data = n < p->count && p->buffer[n] != c->units;
        word[1 + s] = data ? word_of(e, p->buffer[n]) : spare_pack(SPARE_PAD, 0);
        list[n] = data ? gc_buffer_data(e, p->buffer[n]) : flash_zero(e);
    }
    ++c->programs;
    flash_submit(e, i);
}

/* Whether units that only have to wait would fill a short write unit soon. Padding takes room that
 * is not planned with; but a map may be unable to hold as many pins as a write unit has units. */
static bool others_wait(struct env* e, uint32_t kind)
{
    struct gc* c = e->gc;
    if (c->ready[kind].count == 0 || !flash_at_work(e) || c->put_off == PUT_OFF_MAX) {
        return false;
    }
    c->put_off += e->run->checks == 0 ? 1u : 0u;
    if (c->put_off == PUT_OFF_MAX) {
        run_due(e, DUE_GC); /* it goes as it is */
    }
    return true;
}

/* ---- A write unit ---- */

static uint32_t victim_of(struct env* e, uint32_t buffer)
{
    return address_block(e->geo, gc_unit_of(e, buffer)->from);
}

/* Claims up to `wanted` ready units: how many there was no room in the map for. Those that have
 * moved on leave the list. Units may pass those of their own victim that have to wait, no others:
 * room is planned such that one victim is through, and can be erased, before the next one. Where
 * newer data wait for the fine pass of their word line they do so for long: there all may pass
 * them, and what is kept for losses of power (RESERVE_CUTS) has their room. */
static uint32_t pick(struct env* e, uint32_t kind, uint32_t wanted, struct picks* out)
{
    struct gc* c = e->gc;
    struct fifo* ready = &c->ready[kind];
    struct fifo waiting;
    uint32_t held = INDEX_NONE; /* victim of the units that wait */
    uint32_t unpinned = 0;
    out->count = 0;
    fifo_init(&waiting);
    while (ready->count != 0 && out->count < wanted && !gc_is_vain(e, unpinned)) {
        const uint32_t i = ready->head;
        if (held != INDEX_NONE && e->geo->word_line == 0 && held != victim_of(e, i)) {
            break;
        }
        (void)fifo_pop(ready, gc_links(e));
        const enum gc_verdict verdict = gc_claim_buffer(e, i);
        if (verdict == CLAIM_YES) {
            out->buffer[out->count++] = i;
        } else if (verdict == CLAIM_GONE) {
            gc_drop_buffer(e, i);
        } else {
            fifo_push(&waiting, gc_links(e), i);
            held = victim_of(e, i);
            unpinned += verdict == CLAIM_UNPINNED ? 1u : 0u;
        }
    }
    fifo_prepend(ready, gc_links(e), &waiting);
    return unpinned;
}

/* They are not programmed now: to the front again, in their order. */
static void put_back(struct env* e, uint32_t kind, const struct picks* p, uint32_t first)
{
    for (uint32_t n = p->count; n-- > first;) {
        ftl_ops_of(e)->unpin(e, gc_unit_of(e, p->buffer[n])->unit & ~FTL_LOST);
        fifo_push_front(&e->gc->ready[kind], gc_links(e), p->buffer[n]);
    }
}

static void unclaim(struct env* e, uint32_t kind)
{
    struct gc* c = e->gc;
    struct fifo* claimed = &c->claimed[kind];
    for (uint32_t i = claimed->head, left = claimed->count; left != 0; --left) {
        ftl_ops_of(e)->unpin(e, gc_unit_of(e, i)->unit & ~FTL_LOST);
        i = gc_links(e)[i];
    }
    fifo_prepend(&c->ready[kind], gc_links(e), claimed);
    fifo_init(claimed);
}

void gc_unclaim(struct env* e)
{
    for (uint32_t kind = 0; kind < GC_KINDS; ++kind) {
        unclaim(e, kind);
    }
}

/* Of a unit that has been claimed: the map and its data say whether it is lost. */
static void compare_marks(struct env* e, uint32_t buffer)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const struct gc_unit* u = gc_unit_of(e, buffer);
    const uint64_t unit = u->unit & ~FTL_LOST;
    const bool marked = (u->unit & FTL_LOST) != 0;
    const bool lost = ftl_lost(ftl->lookup(e, unit));
    if (marked && !lost && gc_lies(e, unit, u->from)) {
        ftl->lose(e, unit);
    } else if (lost && !marked) {
        gc_mark_lost(e, buffer);
    }
    FW_ASSERT(e, unit < e->geo->user_units);
}

static inline bool has_marks(struct env* e, uint32_t buffer)
{
    return (gc_unit_of(e, buffer)->unit & FTL_LOST) != 0 || gc_may_be_lost(e);
}

/* Of those that are claimed, up to `wanted` that still are as they were. Others leave. */
static void confirm(struct env* e, uint32_t kind, uint32_t wanted, struct picks* out)
{
    struct fifo* claimed = &e->gc->claimed[kind];
    out->count = 0;
    while (claimed->count != 0 && out->count < wanted) {
        const uint32_t i = fifo_pop(claimed, gc_links(e));
        const struct gc_unit* u = gc_unit_of(e, i);
        const uint64_t unit = u->unit & ~FTL_LOST;
        const bool valid = blocks_valid(e, u->from);
        if (valid && !e->gc_asks->programs(e, unit)) {
            if (has_marks(e, i)) {
                compare_marks(e, i);
            }
            out->buffer[out->count++] = i;
            continue;
        }
        ftl_ops_of(e)->unpin(e, unit);
        if (valid) {
            fifo_push_front(&e->gc->ready[kind], gc_links(e), i);
        } else {
            gc_drop_buffer(e, i);
        }
    }
}

/* What is claimed stays pinned while the map makes room for the rest, where it has much. */
static bool may_keep(const struct env* e)
{
    return e->geo->word_line == 0 && ftl_pins(e) >= PINS_SHARE * e->geo->group;
}

/* The map had no room, and none of its pages has come or gone since. */
static bool is_tried(const struct env* e)
{
    return maps_passing(e->maps) && e->gc->vain == maps_turns(e) && maps_go_on(e) && may_keep(e);
}

/* Claims a write unit, or what there is of it. false = it is not programmed now. */
static bool claim_unit(struct env* e, uint32_t kind, uint32_t units, bool last, struct picks* p)
{
    struct fifo* claimed = &e->gc->claimed[kind];
    const uint32_t more = units > claimed->count ? units - claimed->count : 0;
    if (more != 0 && !last && is_tried(e)) {
        return false;
    }
    const uint32_t unpinned = pick(e, kind, more, p);
    if (p->count == units) {
        return true; /* all of them are claimed just now */
    }
    for (uint32_t n = 0; n < p->count; ++n) {
        fifo_push(claimed, gc_links(e), p->buffer[n]);
    }
    if (claimed->count < units && (claimed->count == 0 || !last || others_wait(e, kind))) {
        if (unpinned == 0 || !may_keep(e)) {
            unclaim(e, kind);
        } else {
            e->gc->vain = maps_turns(e);
        }
        return false;
    }
    confirm(e, kind, units, p);
    return true;
}

static void program(struct env* e, uint32_t kind, uint32_t stream, struct picks* p)
{
    struct write_unit w;
    const bool placed = blocks_place(e, stream, p->count, &w);
    FW_ASSERT(e, placed);
    if (p->count > w.units) {
        put_back(e, kind, p, w.units);
        p->count = w.units;
    }
    gc_program(e, kind, &w, p);
}

/* ---- A page of a bin ---- */

struct page_row { /* of the LUN that is written */
    struct lane_target target;
    uint8_t filled[8];
    uint32_t buffer[GROUP_MAX];
    uint32_t only; /* units of this victim, INDEX_NONE = of any */
};

/* Of a unit that nobody knows yet: where it lies. */
static uint32_t bin_of(struct env* e, uint32_t buffer)
{
    const struct gc_unit* u = gc_unit_of(e, buffer);
    const uint64_t unit = u->unit & ~FTL_LOST;
    return unit == GC_UNKNOWN ? lanes_bin_at(e, u->from) : lanes_bin(e, unit);
}

/* The first bin that fills a page and leaves no other plane of its LUN behind, or the first that
 * fills one at all; INDEX_NONE. */
static uint32_t full_bin(struct env* e, const struct fifo* ready, uint32_t stream, uint32_t only)
{
    uint16_t* counts = lanes_counts(e);
    uint32_t left = ready->count;
    uint32_t first = INDEX_NONE;
    for (uint32_t i = ready->head; i != INDEX_NONE && left != 0; i = gc_links(e)[i], --left) {
        const uint32_t bin = bin_of(e, i);
        if ((only == INDEX_NONE || victim_of(e, i) == only) &&
            ++counts[bin] == e->geo->page_units) {
            const uint32_t ripe = lanes_ripe(e, stream, bin, counts);
            if (ripe != INDEX_NONE) {
                return ripe;
            }
            first = first == INDEX_NONE ? bin : first;
        }
    }
    return first;
}

/* Takes what goes to the target, once through the list. */
static void pick_row(struct env* e, uint32_t kind, struct page_row* r)
{
    struct fifo* ready = &e->gc->ready[kind];
    uint32_t* links = gc_links(e);
    uint32_t unpinned = 0;
    for (uint32_t left = ready->count; left != 0; --left) {
        const uint32_t i = fifo_pop(ready, links);
        const bool may =
            (r->only == INDEX_NONE || victim_of(e, i) == r->only) && !gc_is_vain(e, unpinned);
        const uint32_t plane =
            may ? lanes_plane(e, &r->target, bin_of(e, i), r->filled) : INDEX_NONE;
        const enum gc_verdict verdict = plane == INDEX_NONE ? CLAIM_LATER : gc_claim_buffer(e, i);
        if (verdict == CLAIM_YES) {
            r->buffer[plane * e->geo->page_units + r->filled[plane]++] = i;
        } else if (verdict == CLAIM_GONE) {
            gc_drop_buffer(e, i);
        } else {
            fifo_push(ready, links, i);
            unpinned += verdict == CLAIM_UNPINNED ? 1u : 0u;
        }
    }
}

/* The units of the planes that do not go are ready again. */
static uint32_t keep_row(struct env* e, uint32_t kind, struct page_row* r, bool short_too)
{
    uint32_t mask = 0;
    for (uint32_t plane = e->geo->planes; plane-- != 0;) {
        const bool first = short_too && plane == r->target.first && r->filled[plane] != 0;
        if (r->filled[plane] == e->geo->page_units || first) {
            mask |= 1u << plane;
            continue;
        }
        while (r->filled[plane] != 0) {
            const uint32_t i = r->buffer[plane * e->geo->page_units + --r->filled[plane]];
            ftl_ops_of(e)->unpin(e, gc_unit_of(e, i)->unit & ~FTL_LOST);
            fifo_push_front(&e->gc->ready[kind], gc_links(e), i);
        }
    }
    FW_ASSERT(e, (mask & ~r->target.planes) == 0);
    return mask;
}

static void program_row(struct env* e, uint32_t kind, uint32_t stream, const struct page_row* r,
                        uint32_t mask)
{
    struct picks p;
    struct write_unit w;
    const bool placed = blocks_place_on(e, stream, r->target.lun, mask, &w);
    FW_ASSERT(e, placed && w.plane_mask == mask);
    p.count = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const uint32_t plane = lowest_bit(rest);
        for (uint32_t n = 0; n < e->geo->page_units; ++n) {
            const bool there = n < r->filled[plane];
            p.buffer[p.count++] = there ? r->buffer[plane * e->geo->page_units + n] : e->gc->units;
            e->telemetry->strayed_units += there ? r->target.strays : 0;
        }
    }
    gc_program(e, kind, &w, &p);
}

/* One write unit of a bin. last: nothing more comes to fill a page. false = none now. */
static bool write_lanes(struct env* e, uint32_t kind, uint32_t stream, bool last)
{
    struct gc* c = e->gc;
    struct fifo* ready = &c->ready[kind];
    struct page_row r;
    const uint32_t oldest = victim_of(e, ready->head);
    const bool scarce = blocks_free(e) == 0 && oldest != c->victim;
    mem_zero(r.filled, sizeof r.filled);
    r.only = scarce ? oldest : INDEX_NONE;
    uint32_t bin = full_bin(e, ready, stream, r.only);
    const bool full = bin != INDEX_NONE;
    if (!full && !last && !scarce) {
        return false;
    }
    bin = full ? bin : bin_of(e, ready->head);
    if (!lanes_target(e, stream, bin, &r.target)) {
        return false;
    }
    pick_row(e, kind, &r);
    const bool short_too =
        (last || scarce) && r.filled[r.target.first] != 0 &&
        (r.filled[r.target.first] == e->geo->page_units || !others_wait(e, kind));
    const uint32_t mask = keep_row(e, kind, &r, short_too);
    if (mask == 0) {
        return false;
    }
    c->put_off = 0;
    program_row(e, kind, stream, &r, mask);
    return true;
}

/* ---- Steps, ends ---- */

void gc_write_ready(struct env* e, uint32_t kind, bool pausing)
{
    struct gc* c = e->gc;
    while (c->ready[kind].count + c->claimed[kind].count != 0 &&
           flash_may_take(e, OWNER_GC_PROGRAM)) {
        struct picks p;
        uint32_t stream = kind == GC_WEAR ? STREAM_WEAR : STREAM_GC;
        uint32_t units = blocks_next_units(e, stream);
        if (units == 0 && stream == STREAM_WEAR) {
            stream = STREAM_GC;
            units = blocks_next_units(e, stream);
        }
        /* A short write unit only when nothing more is coming to fill it. */
        const bool last = pausing || (c->free.count < e->geo->page_units && c->programs == 0);
        if (units != 0 && lanes_keyed(e)) {
            if (!write_lanes(e, kind, stream, last)) {
                return;
            }
            continue;
        }
        const uint32_t there = c->ready[kind].count + c->claimed[kind].count;
        if (units == 0 || (there < units && !last) || !claim_unit(e, kind, units, last, &p)) {
            return;
        }
        if (p.count == units || (p.count != 0 && last)) {
            c->put_off = 0;
            program(e, kind, stream, &p);
        } else {
            put_back(e, kind, &p, 0); /* some have moved on since they were claimed: once more */
        }
    }
}

static void unit_done(struct env* e, uint32_t i, uint64_t to, bool failed, uint32_t kind)
{
    struct gc* c = e->gc;
    const struct gc_unit* u = gc_unit_of(e, i);
    const uint64_t unit = u->unit & ~FTL_LOST;
    if (failed) {
        ftl_ops_of(e)->unpin(e, unit);
        fifo_push_front(gc_ready(e, kind, address_block(e->geo, u->from)), gc_links(e), i);
        return;
    }
    const bool moved = ftl_ops_of(e)->move(e, unit, u->from, to);
    if (moved && kind == GC_RETAIN) {
        retention_rewritten(e, unit, ((const uint64_t*)env_dram(e, c->rewrite.deadlines))[i]);
    }
    ftl_ops_of(e)->unpin(e, unit);
    const uint32_t victim = address_block(e->geo, u->from);
    fifo_push_front(&c->free, gc_links(e), i);
    blocks_unpend(e, victim);
}

/* So many of the units that were programmed are data, the others padding. */
static void account(struct env* e, const struct flash_request* r, uint32_t data)
{
    struct telemetry* s = e->telemetry;
    const uint32_t units = count_bits(r->plane_mask) * e->geo->page_units;
    FW_ASSERT(e, data <= units);
    s->pad_units += units - data;
    if (r->gc_program.kind == GC_WEAR) {
        s->wear_units_moved += data;
    } else if (r->gc_program.kind == GC_FOLD) {
        s->slc.folded += data;
    } else if (r->gc_program.kind >= GC_REFRESH) {
        s->refresh_units_moved += data;
    } else {
        s->gc_units_moved += data;
    }
    s->gc_pages_moved += r->gc_program.kind == GC_GARBAGE ? count_bits(r->plane_mask) : 0;
}

void gc_program_done(struct env* e, const struct flash_result* result)
{
    struct gc* c = e->gc;
    struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t masks[2] = {r->plane_mask, r->fail_mask};
    struct place p = {.block = r->block, .page = r->page, .lun = r->lun};
    const uint64_t* list = flash_list(e, result->request);
    const uint64_t zero = flash_zero(e);
    uint32_t n = 0;
    uint32_t data = 0;
    FW_ASSERT(e, c->programs > 0);
    FW_ASSERT(e, result->status == FLASH_STATUS_OK || result->plane_fail != 0);
    --c->programs;
    if (planes_own(e)) {
        gc_planes_end(e, r->block);
    }
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {r->block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
    }
    for (uint32_t m = 0; m < 2; ++m) {
        for (uint32_t rest = masks[m]; rest != 0; rest &= rest - 1) {
            p.plane = lowest_bit(rest);
            const uint64_t base = unit_address(e->geo, &p, 0);
            const bool failed = ((result->plane_fail >> p.plane) & 1u) != 0;
            for (uint32_t s = 0; s < e->geo->page_units; ++s, ++n) {
                if (list[n] != zero) {
                    unit_done(e, gc_buffer_at(e, list[n]), base + s, failed, r->gc_program.kind);
                    data += m == 0 ? 1u : 0u;
                }
            }
        }
    }
    account(e, r, data);
    blocks_unpend(e, r->block);
    flash_free(e, result->request);
}

/* ---- Units on their way ---- */

static const uint8_t purposes[GC_KINDS] = {
    [GC_GARBAGE] = FLASH_PURPOSE_GC,      [GC_WEAR] = FLASH_PURPOSE_WEAR,
    [GC_REFRESH] = FLASH_PURPOSE_REFRESH, [GC_RETAIN] = FLASH_PURPOSE_REFRESH,
    [GC_FOLD] = FLASH_PURPOSE_FOLD,
};

uint8_t gc_purpose(uint32_t kind)
{
    return purposes[kind];
}

struct fifo* gc_ready(struct env* e, uint32_t kind, uint32_t block)
{
    return planes_own(e) && kind != GC_RETAIN ? &gc_plane_of(e, block)->ready : &e->gc->ready[kind];
}

void gc_mark_lost(struct env* e, uint32_t buffer)
{
    gc_unit_of(e, buffer)->unit |= FTL_LOST;
    sectors_zero(e, gc_buffer_data(e, buffer), ones(e->geo->unit_sectors));
}

bool gc_lies(struct env* e, uint64_t unit, uint64_t from)
{
    return !maps_damaged(e) || (ftl_ops_of(e)->lookup(e, unit) & ~FTL_LOST) == from;
}

enum { UNPINNED_MOST = 8 };

/* Order of programs, which recovery relies on: when a program of a unit is submitted no other
 * program of it is in flight, except that the host's may follow collection's. So of two copies the
 * one with the higher sequence is never the older one: what collection submits holds the newest
 * data there are on the flash, for its place is valid and nothing newer is on its way. */
enum gc_verdict gc_claim(struct env* e, uint64_t unit, uint64_t from, bool lost)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    if (e->gc_asks->programs(e, unit)) {
        return CLAIM_LATER; /* the end of that program brings us back */
    }
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const bool looks = lost || ftl->pin_move == NULL || gc_may_be_lost(e);
    return (looks ? ftl->pin(e, unit) : ftl->pin_move(e, unit, from)) ? CLAIM_YES : CLAIM_UNPINNED;
}

/* Time has passed since it was read. */
enum gc_verdict gc_claim_buffer(struct env* e, uint32_t i)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    struct gc_unit* u = gc_unit_of(e, i);
    if (!blocks_valid(e, u->from)) {
        return CLAIM_GONE;
    }
    if ((u->unit & ~FTL_LOST) == GC_UNKNOWN) {
        const uint64_t owner = ftl->owner(e, u->from);
        if (owner == FTL_UNKNOWN) {
            return CLAIM_LATER;
        }
        u->unit = owner | (u->unit & FTL_LOST);
    }
    const enum gc_verdict verdict =
        gc_claim(e, u->unit & ~FTL_LOST, u->from, (u->unit & FTL_LOST) != 0);
    if (verdict == CLAIM_YES && has_marks(e, i)) {
        compare_marks(e, i);
    }
    return verdict;
}

void gc_drop_buffer(struct env* e, uint32_t i)
{
    const uint32_t victim = address_block(e->geo, gc_unit_of(e, i)->from);
    fifo_push_front(&e->gc->free, gc_links(e), i);
    blocks_unpend(e, victim);
    e->gc->dropped = 1;
}

/* What the map has no room for now stands behind others that it has none for, and something is
 * under way that makes some. */
bool gc_is_vain(const struct env* e, uint32_t unpinned)
{
    if (unpinned == 0) {
        return false;
    }
    const bool full = maps_passing(e->maps) && !maps_may_put(e);
    return (full || unpinned >= UNPINNED_MOST) && e->geo->word_line == 0 &&
           (flash_at_work(e) || maps_host_moves(e));
}
