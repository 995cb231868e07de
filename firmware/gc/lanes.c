/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection where a unit's address says where it goes (space/lanes.h): a page takes units of one
 * bin, so that what was in its lane stays there.
 *
 * A unit may wait long for others of its bin, and its victim with it. That is well while there
 * are free superblocks. Without one the oldest victim goes first and alone, padded: the room that
 * is planned with (pace.c) is that of its units, and a page row more for this padding.
 */
#include "firmware/gc/parts.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"

struct page_row { /* of the LUN that is written */
    struct lane_target target;
    uint8_t filled[8];
    uint32_t buffer[GROUP_MAX];
    uint32_t only; /* units of this victim, INDEX_NONE = of any */
};

static uint32_t victim_of(struct env* e, uint32_t buffer)
{
    FW_ASSERT(e, buffer < e->gc->units);
    return address_block(e->geo, gc_unit_of(e, buffer)->from);
}

/* Of a unit that nobody knows yet: where it lies. */
static uint32_t bin_of(struct env* e, uint32_t buffer)
{
    const struct gc_unit* u = gc_unit_of(e, buffer);
    const uint64_t unit = u->unit & ~FTL_LOST;
    FW_ASSERT(e, buffer < e->gc->units);
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
        FW_ASSERT(e, bin < lanes_bins(e));
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
static void pick(struct env* e, uint32_t kind, struct page_row* r)
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
    FW_ASSERT(e, r->filled[0] <= e->geo->page_units);
}

/* The units of the planes that do not go are ready again. */
static uint32_t keep(struct env* e, uint32_t kind, struct page_row* r, bool short_too)
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

static void program(struct env* e, uint32_t kind, uint32_t stream, const struct page_row* r,
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
    FW_ASSERT(e, p.count == w.units);
    gc_program(e, kind, &w, &p);
}

bool gc_write_lanes(struct env* e, uint32_t kind, uint32_t stream, bool last)
{
    struct gc* c = e->gc;
    struct fifo* ready = &c->ready[kind];
    struct page_row r;
    FW_ASSERT(e, ready->count != 0 && kind < GC_KINDS);
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
    pick(e, kind, &r);
    const bool short_too =
        (last || scarce) && r.filled[r.target.first] != 0 &&
        (r.filled[r.target.first] == e->geo->page_units || !gc_others_wait(e, kind));
    const uint32_t mask = keep(e, kind, &r, short_too);
    if (mask == 0) {
        return false;
    }
    c->put_off = 0;
    program(e, kind, stream, &r, mask);
    return true;
}
