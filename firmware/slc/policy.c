/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/slc/policy.h"

#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/ops/flash.h"
#include "firmware/space/blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/slc.h"

#define SLC_POLICY_ROW(ID, id, ...) &slc_##id,
static const struct slc_policy_ops* const policies[] = {SLC_POLICIES(SLC_POLICY_ROW)};
#undef SLC_POLICY_ROW

const struct slc_policy_ops* slc_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    const uint32_t policy = e->told.slc->policy;
    return policy < count ? policies[policy] : NULL;
}

uint32_t slc_route(struct env* e)
{
    return slc_on(e) && e->slc_policy->owed >= 0 && blocks_next_units(e, STREAM_SLC) != 0
               ? (uint32_t)STREAM_SLC
               : (uint32_t)STREAM_HOST;
}

/* Its share of these units is what the cache is owed, less those that it got. More than what can be
 * under way it is never owed: then it has no room at times, and cannot make up for that. */
static void settle(struct env* e, bool got, uint32_t share, uint32_t units)
{
    struct slc_policy* c = e->slc_policy;
    const int32_t most = (int32_t)(flash_most(e, OWNER_PROGRAM) * e->geo->group * PERMILLE);
    FW_ASSERT(e, share <= PERMILLE);
    c->owed += got ? -(int32_t)((PERMILLE - share) * units) : (int32_t)(share * units);
    c->owed = c->owed < most ? c->owed : most;
    e->telemetry->slc.tapered += !got && share != 0 ? units : 0;
}

void slc_wrote(struct env* e, uint32_t block, uint32_t units)
{
    const struct slc_policy_ops* policy = slc_policy_of(e);
    struct telemetry_slc* s = &e->telemetry->slc;
    const bool got = slc_holds(e, block);
    FW_ASSERT(e, units <= GROUP_MAX);
    s->hits += got ? units : 0;
    s->bypassed += got ? 0 : units;
    if (policy->share != NULL) {
        settle(e, got, policy->share(e), units);
    }
}

/* ---- Room ---- */

enum {
    AHEAD_LEAST = 3, /* erased superblocks of the cache below which others turn ... */
    AHEAD = 6,       /* ... until there are so many: a record tells of several at a time */
    TURN_SPARE = 2   /* that stay free above collection's mark */
};

bool slc_below(const struct env* e, uint32_t permille)
{
    const uint64_t all = slc_superblocks(e);
    const uint64_t free = slc_free_soon(e);
    FW_ASSERT(e, free <= all);
    return (all != 0 ? free * PERMILLE / all : 0) < permille;
}

bool slc_room(struct env* e)
{
    return slc_free_soon(e) != 0 || blocks_room(e, STREAM_SLC) != 0;
}

bool slc_rests(const struct env* e)
{
    return hal_time_ns(e->hal) >= run_quiet_at(e, e->told.slc->idle_ns);
}

bool slc_sleeps(const struct env* e)
{
    return e->told.slc->close_ns != 0 && slc_rests(e) &&
           hal_time_ns(e->hal) >= run_quiet_at(e, e->told.slc->close_ns);
}

uint64_t slc_rest(const struct env* e, uint64_t now_ns)
{
    const uint64_t at = run_quiet_at(e, e->told.slc->idle_ns);
    const uint64_t closes = run_quiet_at(e, e->told.slc->close_ns);
    if (at == UINT64_MAX) {
        return 0;
    }
    if (now_ns >= at) {
        return slc_used(e) && now_ns < closes ? closes : 0;
    }
    return slc_used(e) || slc_lacks(e) ? at : 0;
}

/* ---- The dynamic part ---- */

bool slc_wanted_back(const struct env* e, uint32_t mark)
{
    return slc_turned(e) != 0 && blocks_free(e) < mark;
}

static bool may_turn(const struct env* e, uint32_t mark)
{
    return slc_unturned(e) != 0 && e->telemetry->read_only == 0 &&
           blocks_free(e) > mark + TURN_SPARE;
}

static uint32_t turnable(const struct env* e, uint32_t mark)
{
    const uint32_t left = slc_unturned(e);
    const uint32_t spare = blocks_free(e) - mark - TURN_SPARE;
    return !may_turn(e, mark) ? 0 : left < spare ? left : spare;
}

void slc_adapt(struct env* e, uint32_t mark)
{
    uint32_t owed = slc_wanted_back(e, mark) ? mark - blocks_free(e) : 0;
    for (uint32_t i = e->told.slc->fixed; owed != 0 && i < e->geo->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        if (s->state == BLOCK_FREE && (s->flags & (BLOCK_SLC | BLOCK_TURNS)) == BLOCK_SLC) {
            slc_turn(e, i);
            --owed;
        }
    }
    if (slc_ahead(e) < AHEAD_LEAST) {
        while (slc_ahead(e) < AHEAD && may_turn(e, mark)) {
            slc_turn(e, blocks_next_free(e));
        }
    }
    slc_set_turnable(e, turnable(e, mark));
}

uint32_t slc_oldest(struct env* e, uint32_t mark)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    const uint32_t first = slc_wanted_back(e, mark) ? e->told.slc->fixed : 0;
    const uint32_t end = slc_turned(e) != 0 ? e->geo->blocks : e->told.slc->fixed;
    uint32_t best = INDEX_NONE;
    for (uint32_t i = first; i < end; ++i) {
        if ((t[i].flags & BLOCK_SLC) != 0 && t[i].state == BLOCK_FULL && t[i].pending == 0 &&
            blocks_known(&t[i]) && (best == INDEX_NONE || t[i].newest < t[best].newest)) {
            best = i;
        }
    }
    return best;
}

void slc_close(struct env* e)
{
    const uint32_t block = blocks_open_of(e, STREAM_SLC);
    /* Programs that are under way end first: then we come back. */
    if (block != INDEX_NONE && superblock_of(e, e->blocks, block)->pending == 0 &&
        blocks_placed_units(e, block) != 0) {
        blocks_close(e, STREAM_SLC);
    }
}
