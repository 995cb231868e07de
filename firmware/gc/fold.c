/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/fold.h"

#include "firmware/gc/gc.h"
#include "firmware/gc/pace.h"
#include "firmware/gc/policy.h"
#include "firmware/lib/telemetry.h"
#include "firmware/slc/policy.h"
#include "firmware/space/blocks_seen.h"
#include "firmware/space/slc.h"

enum {
    AHEAD_LEAST = 3, /* erased superblocks of the cache below which others turn ... */
    AHEAD = 6,       /* ... until there are so many: a record tells of several at a time */
    TURN_SPARE = 2   /* that stay free above collection's mark */
};

static bool may_turn(const struct env* e)
{
    return e->slc->turned < e->slc->setup.dynamic && e->telemetry->read_only == 0 &&
           blocks_free(e) > e->gc->high + TURN_SPARE;
}

static uint32_t turnable(const struct env* e)
{
    const uint32_t left = e->slc->setup.dynamic - e->slc->turned;
    const uint32_t spare = blocks_free(e) - e->gc->high - TURN_SPARE;
    return !may_turn(e) ? 0 : left < spare ? left : spare;
}

/* The dynamic part is as large as what is free outside allows: it shrinks as the drive fills. */
void gc_turn(struct env* e)
{
    struct slc* c = e->slc;
    uint32_t owed = gc_cache_gives_way(e) ? e->gc->high - blocks_free(e) : 0;
    for (uint32_t i = c->setup.fixed; owed != 0 && i < e->geo->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        if (s->state == BLOCK_FREE && (s->flags & (BLOCK_SLC | BLOCK_TURNS)) == BLOCK_SLC) {
            slc_turn(e, i);
            --owed;
        }
    }
    if (c->free + c->entering < AHEAD_LEAST) {
        while (c->free + c->entering < AHEAD && may_turn(e)) {
            slc_turn(e, blocks_next_free(e));
        }
    }
    c->turnable = turnable(e);
}

/* The one that was filled first: so each takes its turn, and the cache wears evenly. */
static uint32_t oldest(struct env* e)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    const uint32_t first = gc_cache_gives_way(e) ? e->slc->setup.fixed : 0;
    const uint32_t end = e->slc->turned != 0 ? e->geo->blocks : e->slc->setup.fixed;
    uint32_t best = INDEX_NONE;
    for (uint32_t i = first; i < end; ++i) {
        if ((t[i].flags & BLOCK_SLC) != 0 && t[i].state == BLOCK_FULL && t[i].pending == 0 &&
            blocks_known(&t[i]) && (best == INDEX_NONE || t[i].newest < t[best].newest)) {
            best = i;
        }
    }
    FW_ASSERT(e, best == INDEX_NONE || slc_holds(e, best));
    return best;
}

/* Collection goes on with what it keeps after the units of the superblock have left it. */
static bool has_room(struct env* e, uint32_t block)
{
    const uint32_t valid = superblock_of(e, e->blocks, block)->valid;
    FW_ASSERT(e, e->gc->victim == INDEX_NONE);
    return valid == 0 || gc_fits(e, valid) || blocks_free(e) > gc_reserve(e);
}

static bool wanted(struct env* e)
{
    const struct slc_policy_ops* policy = slc_policy_of(e);
    FW_ASSERT(e, slc_on(e));
    return gc_cache_gives_way(e) || policy->presses(e) || (slc_rests(e) && policy->rests(e));
}

bool gc_fold_first(struct env* e)
{
    FW_ASSERT(e, e->gc->victim == INDEX_NONE);
    return gc_cache_gives_way(e);
}

/* Once all that is full has left, what is open of it leaves too. */
static uint32_t last_one(struct env* e)
{
    FW_ASSERT(e, e->gc->victim == INDEX_NONE);
    if (!slc_sleeps(e) || !slc_policy_of(e)->rests(e)) {
        return INDEX_NONE;
    }
    slc_close(e);
    return oldest(e);
}

uint32_t gc_fold_victim(struct env* e)
{
    if (e->telemetry->read_only != 0 || !wanted(e)) {
        return INDEX_NONE;
    }
    const uint32_t full = oldest(e);
    const uint32_t block = full != INDEX_NONE ? full : last_one(e);
    FW_ASSERT(e, e->gc->victim == INDEX_NONE);
    return block != INDEX_NONE && has_room(e, block) ? block : INDEX_NONE;
}

/* The dynamic part is smaller than it may be, and only garbage is in its way. Effort bounds it as
 * it does what space asks for. */
uint32_t gc_reclaim_victim(struct env* e)
{
    struct gc* c = e->gc;
    const struct slc* s = e->slc;
    FW_ASSERT(e, c->victim == INDEX_NONE);
    if (s->turned + s->turnable >= s->setup.dynamic || !slc_rests(e) || !gc_thrives(e) ||
        e->telemetry->read_only != 0 || c->reclaimed == blocks_invalidations(e)) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, INDEX_NONE, s->setup.reclaim_permille);
    c->reclaimed = victim == INDEX_NONE ? blocks_invalidations(e) : c->reclaimed;
    c->effort -= victim != INDEX_NONE ? 1u : 0u;
    return victim;
}
