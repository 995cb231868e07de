/* SPDX-License-Identifier: Apache-2.0
 *
 * Block padding LRU (Kim and Ahn, FAST 2008), for writes only: logical blocks are in order of their
 * last write, and all of the first one leaves. Padding: what it lacks is read from the flash, so
 * that the block is written whole and in order, which a log of blocks takes without a copy.
 * Compensation: a block that was written whole and in order is not going to be written again soon,
 * and leaves first. Reads do not count as use.
 */
#include "firmware/cache/groups.h"
#include "firmware/flash/flash.h"
#include "firmware/ftl/ftl.h"

static uint32_t units_of(const struct env* e, uint64_t number)
{
    const uint32_t units = e->cache->options.group_units;
    const uint64_t first = number * units;
    FW_ASSERT(e, first < e->geo->user_units);
    return e->geo->user_units - first < units ? (uint32_t)(e->geo->user_units - first) : units;
}

static void bplru_init(struct env* e)
{
    FW_ASSERT(e, e->cache->keeps == 0);
    groups_init(e);
}

/* A unit of the block that is leaving comes along from the flash. 0 = that has to wait; it is left
 * out where nothing is under way that would end the wait. */
static int pad(struct env* e, uint64_t unit)
{
    struct cache* c = e->cache;
    const uint64_t address = ftl_ops_of(e)->lookup(e, unit);
    FW_ASSERT(e, unit < e->geo->user_units);
    if (address == FTL_UNKNOWN) {
        return flash_in_flight(e) == 0;
    }
    if (address == FTL_NONE || ftl_lost(address)) {
        return 1; /* there is nothing to read */
    }
    if (cache_free_slots(c) == 0) {
        return c->programming == 0 && c->staged.leaving_count < e->geo->group;
    }
    c->staged.groups.padding = 1;
    const uint32_t i = cache_allocate(e, unit, SLOT_DIRTY);
    c->staged.groups.padding = 0;
    FW_ASSERT(e, i != INDEX_NONE && cache_is_pad(e, i));
    cache_dirty(e, i);
    cache_fill(e, i);
    return 1;
}

/* The block that is leaving goes on, in the order of its units. */
static void go_on(struct env* e)
{
    struct cache_groups* g = &e->cache->staged.groups;
    while (g->closing != UINT64_MAX) {
        const uint64_t unit = g->closing * e->cache->options.group_units + g->at;
        const uint32_t slot = cache_find(e, unit);
        if (slot == INDEX_NONE && !pad(e, unit)) {
            return;
        }
        /* The unit that is coming in is found, and belongs to no group yet. */
        if (slot != INDEX_NONE && cache_member_of(e, slot)->group != INDEX_NONE) {
            cache_let_go(e, slot);
        }
        if (++g->at == units_of(e, g->closing)) {
            g->closing = UINT64_MAX;
        }
    }
    FW_ASSERT(e, g->padding == 0);
}

static void choose(struct env* e)
{
    struct cache_groups* g = &e->cache->staged.groups;
    const uint32_t victim = g->order.first;
    FW_ASSERT(e, g->closing == UINT64_MAX);
    if (victim == INDEX_NONE) {
        return;
    }
    if (e->cache->options.padding != 0) {
        g->closing = group_at(e, victim)->number;
        g->at = 0;
        go_on(e);
        return;
    }
    groups_sort(e, victim);
    for (uint32_t left = group_at(e, victim)->count; left != 0; --left) {
        FW_ASSERT(e, group_at(e, victim)->count == left);
        cache_let_go(e, group_at(e, victim)->members.first);
    }
}

/* Last among those in order, or first when it has been written whole and in order. */
static void used(struct env* e, uint32_t group)
{
    struct chain* order = &e->cache->staged.groups.order;
    const struct cache_group* g = group_at(e, group);
    const uint32_t units = units_of(e, g->number);
    FW_ASSERT(e, g->count != 0);
    chain_remove(order, group_links(e), group);
    if (e->cache->options.compensation != 0 && g->run == units && g->count == units) {
        chain_prepend(order, group_links(e), group);
    } else {
        chain_append(order, group_links(e), group);
    }
    FW_ASSERT(e, order->first != INDEX_NONE);
}

static void bplru_enter(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_groups* all = &c->staged.groups;
    const uint64_t unit = cache_slot_of(e, c, slot)->unit;
    const uint32_t offset = (uint32_t)(unit % c->options.group_units);
    struct cache_member* m = cache_member_of(e, slot);
    m->flags = all->padding != 0 ? MEMBER_LEAVING | MEMBER_PAD : 0;
    m->group = INDEX_NONE;
    if (all->padding != 0) {
        return;
    }
    const uint32_t own = groups_find(e, unit / c->options.group_units);
    if (own != INDEX_NONE) { /* it is in use: another one leaves, if there is one */
        chain_remove(&all->order, group_links(e), own);
        chain_append(&all->order, group_links(e), own);
    }
    if (c->staged.residents >= c->staged.most && all->closing == UINT64_MAX) {
        choose(e);
    }
    const uint32_t i = groups_join(e, slot);
    struct cache_group* g = group_at(e, i);
    if (g->count == 1) {
        chain_append(&all->order, group_links(e), i);
        g->run = offset == 0 ? 1 : RUN_NONE;
    } else {
        g->run = g->run == offset ? offset + 1 : RUN_NONE;
    }
    used(e, i);
    ++c->staged.residents;
    FW_ASSERT(e, c->staged.residents <= c->slots);
}

static void bplru_leave(struct env* e, uint32_t slot)
{
    const uint32_t i = cache_member_of(e, slot)->group;
    if (cache_leaving(e, slot)) {
        return;
    }
    FW_ASSERT(e, e->cache->staged.residents != 0);
    if (group_at(e, i)->count == 1) {
        chain_remove(&e->cache->staged.groups.order, group_links(e), i);
    }
    group_at(e, i)->run = RUN_NONE;
    groups_quit(e, slot);
    --e->cache->staged.residents;
    FW_ASSERT(e, cache_member_of(e, slot)->group == INDEX_NONE);
}

/* A write. A pad takes data of the host as any other slot, and is none then. */
static void bplru_touch(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    struct cache_member* m = cache_member_of(e, slot);
    if ((s->flags & SLOT_HASHED) == 0) {
        return;
    }
    if ((m->flags & MEMBER_LEAVING) != 0) {
        m->flags &= ~MEMBER_PAD;
        return;
    }
    struct cache_group* g = group_at(e, m->group);
    FW_ASSERT(e, g->count != 0);
    /* More sectors of the last unit of a run continue it. */
    g->run = g->run == s->unit % e->cache->options.group_units + 1 ? g->run : RUN_NONE;
    used(e, m->group);
    FW_ASSERT(e, m->flags == 0);
}

static void bplru_step(struct env* e)
{
    const struct cache* c = e->cache;
    FW_ASSERT(e, c->staged.on != 0);
    go_on(e);
    if (c->idle.on != 0 && c->staged.groups.closing == UINT64_MAX && c->staged.leaving_count == 0) {
        choose(e);
    }
    FW_ASSERT(e, c->staged.residents <= c->slots);
}

const struct cache_policy_ops cache_bplru = {
    .name = "bplru",
    .blind = 1,
    .size = cache_staged_size,
    .touch = bplru_touch,
    .enter = bplru_enter,
    .leave = bplru_leave,
    .init = bplru_init,
    .step = bplru_step,
};
