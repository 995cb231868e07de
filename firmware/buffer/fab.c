/* SPDX-License-Identifier: Apache-2.0
 *
 * Flash-aware buffer (Jo et al., IEEE TCE 52(2), 2006): units are grouped by logical block, and all
 * of the group with the most units leaves at once, of equal ones that which was used the longest
 * ago. Groups are in a chain per number of units, in order of use.
 */
#include "firmware/buffer/groups.h"
#include "firmware/buffer/policy.h"
#include "firmware/buffer/residents.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/arena.h"
#include "models/regs/parts/cache.h"

static struct chain* of_count(struct env* e, uint32_t count)
{
    FW_ASSERT(e, count != 0 && count <= e->told.cache->group_units);
    return env_dram_entry(e, e->cache->staged.groups.by_count, count, sizeof(struct chain));
}

static void fab_init(struct env* e)
{
    struct cache_groups* g = &e->cache->staged.groups;
    const uint64_t counts = (uint64_t)e->told.cache->group_units + 1;
    groups_init(e);
    g->by_count = dram_take(e, counts * sizeof(struct chain));
    for (uint32_t n = 1; n < counts && e->arenas->absent == 0; ++n) {
        chain_init(of_count(e, n));
    }
}

/* All of a group: the clean units go, the dirty ones are programmed. */
static void choose(struct env* e)
{
    struct cache_groups* g = &e->cache->staged.groups;
    while (g->most != 0 && of_count(e, g->most)->first == INDEX_NONE) {
        --g->most; /* as often as a unit more than ever before came to a group */
    }
    if (g->most == 0) {
        return;
    }
    const uint32_t victim = of_count(e, g->most)->first;
    groups_sort(e, victim);
    for (uint32_t left = group_at(e, victim)->count; left != 0; --left) {
        FW_ASSERT(e, group_at(e, victim)->count == left);
        cache_let_go(e, group_at(e, victim)->members.first);
    }
}

static void fab_enter(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    cache_member_of(e, slot)->flags = 0;
    if (c->staged.residents >= c->staged.most) {
        choose(e);
    }
    const uint32_t i = groups_join(e, slot);
    const uint32_t count = group_at(e, i)->count;
    if (count > 1) {
        chain_remove(of_count(e, count - 1), group_links(e), i);
    }
    chain_append(of_count(e, count), group_links(e), i);
    c->staged.groups.most = count > c->staged.groups.most ? count : c->staged.groups.most;
    ++c->staged.residents;
    FW_ASSERT(e, c->staged.residents <= c->staged.most);
}

static void fab_leave(struct env* e, uint32_t slot)
{
    const uint32_t i = cache_member_of(e, slot)->group;
    if (cache_leaving(e, slot)) {
        return;
    }
    FW_ASSERT(e, e->cache->staged.residents != 0);
    const uint32_t count = group_at(e, i)->count;
    chain_remove(of_count(e, count), group_links(e), i);
    if (count > 1) {
        chain_append(of_count(e, count - 1), group_links(e), i);
    }
    groups_quit(e, slot);
    --e->cache->staged.residents;
}

static void fab_touch(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    const uint32_t i = cache_member_of(e, slot)->group;
    if ((s->flags & SLOT_HASHED) == 0 || cache_leaving(e, slot)) {
        return;
    }
    FW_ASSERT(e, s->state != SLOT_FREE && s->state != SLOT_GONE);
    if (s->state == SLOT_DIRTY) {
        cache_wo_lru.touch(e, slot); /* what a limit of dirty units programs first */
    }
    chain_remove(of_count(e, group_at(e, i)->count), group_links(e), i);
    chain_append(of_count(e, group_at(e, i)->count), group_links(e), i);
}

static void fab_changed(struct env* e, uint32_t slot)
{
    (void)cache_left(e, slot);
}

const struct cache_policy_ops cache_fab = {
    .keeps = 1,
    .size = cache_staged_size,
    .touch = fab_touch,
    .enter = fab_enter,
    .leave = fab_leave,
    .changed = fab_changed,
    .init = fab_init,
};
