/* SPDX-License-Identifier: Apache-2.0
 *
 * Which superblock is collected for its garbage: what L counts of each of them (map/log.h), held
 * against the thresholds.
 */
#include "firmware/gc/policy.h"
#include "firmware/space/blocks_seen.h"
#include "firmware/space/blocks_single.h"
#include "firmware/space/slc.h"

enum { WATCH_STEPS = 64 };

uint32_t gc_gain(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const uint32_t lane = e->gc->lane;
    FW_ASSERT(e, block < e->geo->blocks);
    if (lane != INDEX_NONE && (lane_of_block(e->geo, block) != lane || !blocks_known(s))) {
        return 0; /* whatever a policy looks at */
    }
    if (s->state != BLOCK_FULL || s->pending != 0 || s->capacity <= blocks_live(s) ||
        s->role != BLOCK_PAGES || (s->flags & BLOCK_SLC) != 0 ||
        !(blocks_known(s) || blocks_tellable(s))) {
        return 0;
    }
    uint32_t gain = s->capacity - blocks_live(s);
    if (lane != INDEX_NONE) { /* no other victim fills up the last page of this one */
        gain -= gain % e->geo->page_units;
    }
    return (uint64_t)gain * 1000 > (uint64_t)s->capacity * e->gc->least ? gain : 0;
}

uint32_t gc_choose(struct env* e, uint32_t lane, uint32_t least)
{
    struct gc* c = e->gc;
    FW_ASSERT(e, c->lane == INDEX_NONE && c->least == 0);
    c->lane = lane;
    c->least = least;
    const uint32_t block = gc_policy_of(e)->victim(e);
    c->lane = INDEX_NONE;
    c->least = 0;
    return block;
}

/* L is looked at again when it has counted as much as matters. Until nothing is over the threshold
 * any more it is looked at each time. */
static uint32_t watched_victim(struct env* e)
{
    struct gc* c = e->gc;
    const struct blocks* b = e->blocks;
    const uint64_t step = 1 + (uint64_t)e->geo->luns * e->geo->pages * e->geo->group / WATCH_STEPS;
    if (b->invalidations - c->watched < step) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, INDEX_NONE, c->watch);
    if (victim == INDEX_NONE) {
        c->watched = b->invalidations;
    }
    return victim;
}

static uint32_t wanted_victim(struct env* e)
{
    struct gc* c = e->gc;
    const struct blocks* b = e->blocks;
    FW_ASSERT(e, c->victim == INDEX_NONE);
    if (!c->active) {
        return c->watch != 0 ? watched_victim(e) : INDEX_NONE;
    }
    if (c->futile == b->invalidations) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, INDEX_NONE, 0);
    c->futile = victim == INDEX_NONE ? b->invalidations : c->futile;
    return victim;
}

/* What is wanted is taken once it is known what is valid in it. */
uint32_t gc_garbage_victim(struct env* e)
{
    struct gc* c = e->gc;
    for (uint32_t left = e->geo->blocks; left != 0; --left) {
        if (c->asked == INDEX_NONE) {
            const uint32_t victim = wanted_victim(e);
            if (victim == INDEX_NONE || blocks_known(superblock_of(e, e->blocks, victim))) {
                return victim;
            }
            gc_tell_begin(e, victim);
        }
        const uint32_t asked = c->asked;
        const enum gc_tell found = gc_tell(e);
        if (found == GC_TELL_WAIT) {
            break;
        }
        if (found == GC_TELL_KNOWN && gc_gain(e, asked) != 0) {
            return c->active || c->watch != 0 ? asked : INDEX_NONE;
        }
    }
    FW_ASSERT(e, c->victim == INDEX_NONE);
    return INDEX_NONE;
}

bool gc_moves_itself(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return ftl_layout_of(e)->moves(e, block);
}
