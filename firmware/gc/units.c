/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/units.h"

#include "firmware/gc/asks.h"
#include "firmware/gc/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/ops/requests.h"
#include "firmware/space/erase.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/valid.h"

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
    const bool looks = lost || gc_may_be_lost(e);
    return (looks ? ftl->pin(e, unit) : ftl->pin_move(e, unit, from)) ? CLAIM_YES : CLAIM_UNPINNED;
}

bool gc_may_be_lost(struct env* e)
{
    return ftl_ops_of(e)->pin_move == NULL || e->telemetry->lost_units != 0 || maps_damaged(e);
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
    const uint64_t unit = u->unit & ~FTL_LOST;
    const bool marked = (u->unit & FTL_LOST) != 0;
    const enum gc_verdict verdict = gc_claim(e, unit, u->from, marked);
    if (verdict != CLAIM_YES) {
        return verdict;
    }
    const bool lost = (marked || gc_may_be_lost(e)) && ftl_lost(ftl->lookup(e, unit));
    if (marked && !lost && gc_lies(e, unit, u->from)) {
        ftl->lose(e, unit);
    } else if (lost && !marked) {
        gc_mark_lost(e, i);
    }
    return CLAIM_YES;
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
    return unpinned >= UNPINNED_MOST && e->geo->word_line == 0 &&
           (flash_at_work(e) || maps_host_moves(e));
}
