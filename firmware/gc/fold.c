/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/fold.h"

#include "firmware/gc/pace.h"
#include "firmware/gc/policy.h"
#include "firmware/gc/state.h"
#include "firmware/lib/telemetry.h"
#include "firmware/slc/policy.h"
#include "firmware/slc/room.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"

/* Collection goes on with what it keeps after the units of the superblock have left it. */
static bool has_room(struct env* e, uint32_t block)
{
    const uint32_t valid = superblock_of(e, e->blocks, block)->valid;
    return valid == 0 || gc_fits(e, valid) || blocks_free(e) > gc_reserve(e);
}

static bool wanted(struct env* e)
{
    const struct slc_policy_ops* policy = slc_policy_of(e);
    return gc_cache_gives_way(e) || policy->presses(e) || (slc_rests(e) && policy->rests(e));
}

bool gc_fold_first(struct env* e)
{
    return gc_cache_gives_way(e);
}

/* Once all that is full has left, what is open of it leaves too. */
static uint32_t last_one(struct env* e)
{
    if (!slc_sleeps(e) || !slc_policy_of(e)->rests(e)) {
        return INDEX_NONE;
    }
    slc_close(e);
    return slc_oldest(e, e->gc->high);
}

uint32_t gc_fold_victim(struct env* e)
{
    if (e->telemetry->read_only != 0 || !wanted(e)) {
        return INDEX_NONE;
    }
    const uint32_t full = slc_oldest(e, e->gc->high);
    const uint32_t block = full != INDEX_NONE ? full : last_one(e);
    return block != INDEX_NONE && has_room(e, block) ? block : INDEX_NONE;
}

/* The dynamic part is smaller than it may be, and only garbage is in its way. Effort bounds it as
 * it does what space asks for. */
uint32_t gc_reclaim_victim(struct env* e)
{
    struct gc* c = e->gc;
    if (!slc_lacks(e) || !slc_rests(e) || !gc_thrives(e) || e->telemetry->read_only != 0 ||
        c->reclaimed == blocks_invalidations(e)) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, INDEX_NONE, slc_setup(e)->reclaim_permille);
    c->reclaimed = victim == INDEX_NONE ? blocks_invalidations(e) : c->reclaimed;
    c->effort -= victim != INDEX_NONE ? 1u : 0u;
    return victim;
}
