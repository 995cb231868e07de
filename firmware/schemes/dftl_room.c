/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/schemes/dftl_room.h"

#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_out.h"

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
        run_later(e, DUE_STEPS); /* turns are what is counted */
        if (flash_in_flight(e) == 0 && !maps_host_moves(e)) {
            maps_hurry(e, 1); /* copies that wait for company keep entries that are dirty here */
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

/* It may leave at once. */
static bool is_easy(struct env* e, uint32_t i)
{
    return i != INDEX_NONE && (dftl_entry(e, i)->flags & (CMT_FRESH | CMT_DIRTY)) == 0;
}

bool dftl_full(struct env* e)
{
    struct dftl* d = dftl_own(e);
    return d->cmt.going != 0 && d->cmt.seen >= VICTIMS_AHEAD && d->looked == maps_turns(e) &&
           maps_all_counted(e) && d->cmt.used == d->cmt.entries && !maps_stuck(e) &&
           !is_easy(e, cmt_oldest(e, &d->cmt));
}

/* How the oldest are looked through for one that can leave. */
struct look {
    uint64_t unit; /* who it is for */
    bool stuck;    /* what is dirty may stay for ever */
    bool puts;     /* a page can be put out */
    bool may;      /* ... for this unit */
    bool any;      /* one that is dirty is, or will be, on its way out */
};

/* true = the entry can leave now. One that is dirty is sent on its way, if that may be. */
static bool can_leave(struct env* e, uint32_t i, struct look* l)
{
    const struct cmt_entry* n = dftl_entry(e, i);
    if ((n->flags & CMT_FRESH) != 0) {
        return false;
    }
    if ((n->flags & CMT_DIRTY) == 0) {
        return true;
    }
    l->any = !l->stuck;
    if (l->may && (l->puts || maps_near(e, 1, maps_page(e, n->unit))) && !dftl_going(e, i)) {
        if (dftl_clean(e, i)) {
            return true;
        }
        if (dftl_going(e, i)) {
            *waits_at(e, l->unit) = l->unit;
            l->may = false;
        }
    }
    return false;
}

/* From those on that are not on their way out, or have not been looked at; INDEX_NONE = none can
 * leave. */
static uint32_t look_through(struct env* e, struct look* l, bool tries)
{
    struct cmt* c = &dftl_own(e)->cmt;
    uint32_t left = l->stuck ? c->entries : VICTIMS_AHEAD - (tries ? c->going : c->seen);
    uint32_t i = c->going == 0 ? cmt_oldest(e, c) : tries ? c->behind : c->past;
    for (; i != INDEX_NONE && left != 0; --left) {
        const uint32_t next = cmt_younger(e, c, i);
        if (can_leave(e, i, l)) {
            return i;
        }
        if (!l->stuck) {
            cmt_see(e, c, i, dftl_going(e, i));
        }
        i = next;
    }
    if (!l->any || i == INDEX_NONE || (dftl_entry(e, i)->flags & CMT_PROTECTED) != 0) {
        cmt_forget_seen(e, c); /* on probation others come before these */
    }
    return INDEX_NONE;
}

uint32_t dftl_room(struct env* e, uint64_t unit)
{
    struct dftl* d = dftl_own(e);
    struct cmt* c = &d->cmt;
    if (c->used < c->entries) {
        return c->used;
    }
    const uint32_t oldest = cmt_oldest(e, c);
    if (is_easy(e, oldest)) {
        return oldest;
    }
    if (c->going != 0 && c->behind == c->past && is_easy(e, c->past)) {
        return c->past;
    }
    if (dftl_full(e)) {
        return INDEX_NONE;
    }
    struct look l = {.unit = unit, .stuck = maps_stuck(e)};
    /* While the map is read in the background its pages come by, and reads are short. */
    l.puts = !maps_all_counted(e) || maps_may_put(e);
    l.may = *waits_at(e, unit) != unit || !maps_any_leaves(e);
    if (l.stuck || c->going == 0 || c->past == INDEX_NONE || !dftl_going(e, oldest)) {
        cmt_forget_seen(e, c);
    }
    const bool tries = l.puts && l.may; /* others leave, else only what is clean is looked for */
    if (c->seen >= VICTIMS_AHEAD && !tries) {
        return INDEX_NONE;
    }
    l.any = c->going != 0;
    const uint32_t turns = maps_turns(e);
    const uint32_t i = look_through(e, &l, tries);
    if (i == INDEX_NONE) {
        d->looked = l.may && l.puts ? turns : turns - 1;
    }
    return i != INDEX_NONE || l.any ? i : stale_fresh(e, l.stuck);
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
