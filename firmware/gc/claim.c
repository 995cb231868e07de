/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: which of the units that it has read may be programmed now.
 */
#include "firmware/gc/asks.h"
#include "firmware/gc/parts.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/space/blocks.h"

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
    return ftl_ops_of(e)->pin_move == NULL || (e->telemetry->lost_units | e->maps->damaged) != 0;
}

/* Time has passed since it was read. */
enum gc_verdict gc_claim_buffer(struct env* e, uint32_t i)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    struct gc_unit* u = gc_unit_of(e, i);
    FW_ASSERT(e, i < e->gc->units);
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
    FW_ASSERT(e, i < e->gc->units);
    fifo_push_front(&e->gc->free, gc_links(e), i);
    blocks_unpend(e, victim);
    e->gc->dropped = 1;
}

/* What the map has no room for now stands behind others that it has none for, and something is
 * under way that makes some. */
bool gc_is_vain(const struct env* e, uint32_t unpinned)
{
    FW_ASSERT(e, e->flash->bystanders <= e->flash->in_flight);
    return unpinned >= UNPINNED_MOST && e->geo->word_line == 0 &&
           (e->flash->in_flight != e->flash->bystanders || e->maps->hmb.under_way != 0);
}
