/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/policy.h"

#include "firmware/gc/state.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/gc.h"

#define GC_POLICY_ROW(ID, id, ...) &gc_##id,
static const struct gc_policy_ops* const policies[] = {GC_POLICIES(GC_POLICY_ROW)};
#undef GC_POLICY_ROW

const struct gc_policy_ops* gc_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    const uint32_t policy = e->told.gc->policy;
    return policy < count ? policies[policy] : NULL;
}

uint32_t gc_gain(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const uint32_t lane = e->gc->lane;
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
