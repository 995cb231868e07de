/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/schemes/dftl_room.h"

#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_frames.h"

enum { VICTIMS_AHEAD = 32, REFUSED_MOST = 64 };

void dftl_room_init(struct env* e)
{
    struct dftl* d = dftl_own(e);
    for (uint32_t n = 0; n < DFTL_WAITING; ++n) {
        d->waiting[n] = FTL_NONE;
    }
    d->refused = 0;
    cmt_init(e, &d->cmt, maps_extra(e), d->cache_bytes);
}

bool dftl_clean(struct env* e, uint32_t i)
{
    struct cmt_entry* n = dftl_entry(e, i);
    FW_ASSERT(e, n->pins == 0 && (n->flags & CMT_LOADING) == 0);
    if ((n->flags & CMT_DIRTY) != 0) {
        n->flags |= CMT_VICTIM;
        (void)maps_put_framed(e, 1, maps_page(e, n->unit));
    }
    return (n->flags & CMT_DIRTY) == 0;
}

/* Whoever asked for what is fresh comes back within a round; after that it is not waited for. */
static uint32_t stale_fresh(struct env* e, bool stuck)
{
    uint32_t i = cmt_oldest(e, &dftl_own(e)->cmt);
    while (stuck && i != INDEX_NONE && (dftl_entry(e, i)->flags & CMT_DIRTY) != 0) {
        i = cmt_younger(e, &dftl_own(e)->cmt, i);
    }
    if (i == INDEX_NONE) {
        return INDEX_NONE; /* all are pinned or being fetched */
    }
    if (dftl_own(e)->refused < REFUSED_MOST) {
        ++dftl_own(e)->refused;
        run_due(e, DUE_STEPS); /* turns are what is counted */
        if (flash_in_flight(e) == 0 && !maps_host_moves(e)) {
            ftl_ask_again(e); /* nothing else brings them back */
        }
        return INDEX_NONE;
    }
    return dftl_clean(e, i) ? i : INDEX_NONE;
}

/* Where a unit waits for its victim to be written, or another does. */
static uint64_t* waits_at(const struct env* e, uint64_t unit)
{
    return &dftl_own(e)->waiting[unit % DFTL_WAITING];
}

bool dftl_going(struct env* e, uint32_t i)
{
    return (dftl_entry(e, i)->flags & CMT_DIRTY) != 0 &&
           maps_leaves(e, maps_page(e, dftl_entry(e, i)->unit));
}

bool dftl_full(struct env* e)
{
    const struct dftl* d = dftl_own(e);
    return d->cmt.seen != 0 && d->looked == maps_turns(e) && maps_all_counted(e) &&
           d->cmt.used == d->cmt.entries && !maps_stuck(e);
}

/* The oldest that is not on its way out may leave at once. */
static bool is_easy(struct env* e, uint32_t oldest)
{
    return dftl_own(e)->cmt.seen == 0 && oldest != INDEX_NONE &&
           (dftl_entry(e, oldest)->flags & (CMT_FRESH | CMT_DIRTY)) == 0;
}

uint32_t dftl_room(struct env* e, uint64_t unit)
{
    struct dftl* d = dftl_own(e);
    struct cmt* c = &d->cmt;
    if (c->used < c->entries) {
        return c->used;
    }
    const uint32_t oldest = c->going != 0 ? c->behind : cmt_oldest(e, c);
    if (is_easy(e, oldest)) {
        return oldest;
    }
    if (dftl_full(e)) {
        return INDEX_NONE;
    }
    const bool stuck = maps_stuck(e); /* what is dirty may stay for ever */
    /* While the map is read in the background its pages come by, and reads are short. */
    const bool puts = !maps_all_counted(e) || maps_may_put(e);
    bool may = *waits_at(e, unit) != unit || !maps_any_leaves(e);
    if (c->seen != 0 && !stuck && (!puts || !may)) {
        return INDEX_NONE;
    }
    if (stuck || c->behind == INDEX_NONE) {
        cmt_forget_going(c);
    }
    const uint32_t turns = maps_turns(e);
    uint32_t left = stuck ? c->entries : VICTIMS_AHEAD - c->going;
    bool any = c->going != 0;
    uint32_t i = any ? c->behind : cmt_oldest(e, c);
    for (; i != INDEX_NONE && left != 0; --left) {
        const uint32_t next = cmt_younger(e, c, i);
        struct cmt_entry* n = dftl_entry(e, i);
        if ((n->flags & CMT_FRESH) == 0) {
            if ((n->flags & CMT_DIRTY) == 0) {
                return i;
            }
            any = !stuck;
            if (may && (puts || maps_near(e, 1, maps_page(e, n->unit))) && !dftl_going(e, i)) {
                if (dftl_clean(e, i)) {
                    return i;
                }
                if (dftl_going(e, i)) {
                    *waits_at(e, unit) = unit;
                    may = false;
                }
            }
        }
        n->flags |= CMT_SEEN;
        if (dftl_going(e, i)) {
            cmt_goes(e, c, i);
        }
        i = next;
    }
    /* All on probation: whoever comes there comes behind them. */
    c->seen = any && i != INDEX_NONE && (dftl_entry(e, i)->flags & CMT_PROTECTED) == 0;
    d->looked = may && puts ? turns : turns - 1;
    return any ? INDEX_NONE : stale_fresh(e, stuck);
}

void dftl_replace(struct env* e, uint32_t i, uint64_t unit, bool fetched)
{
    struct cmt* c = &dftl_own(e)->cmt;
    if (i < c->used) {
        cmt_delist(e, c, i);
        cmt_remove(e, c, i);
        ++e->telemetry->map_evictions;
    }
    cmt_insert(e, c, i, unit, fetched);
    dftl_own(e)->refused = 0;
    uint64_t* at = waits_at(e, unit);
    *at = *at == unit ? FTL_NONE : *at;
}
