/* SPDX-License-Identifier: Apache-2.0
 *
 * Block padding LRU (Kim and Ahn, FAST 2008), for writes only: logical blocks are in order of their
 * last write, and all of the first one leaves. Padding: what it lacks is read from the flash, so
 * that the block is written whole and in order, which a log of blocks takes without a copy.
 * Compensation: a block that was written whole and in order is not going to be written again soon,
 * and leaves first. Reads do not count as use.
 */
#include "firmware/buffer/fill.h"
#include "firmware/buffer/groups.h"
#include "firmware/buffer/policy.h"
#include "firmware/buffer/residents.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/bits.h"
#include "firmware/map/ftl.h"
#include "firmware/ops/flash.h"
#include "models/regs/choices/bplru_reading.h"
#include "models/regs/parts/cache.h"

static uint32_t units_of(const struct env* e, uint64_t number)
{
    const uint32_t units = e->told.cache->group_units;
    const uint64_t first = number * units;
    return e->geo->user_units - first < units ? (uint32_t)(e->geo->user_units - first) : units;
}

static void bplru_init(struct env* e)
{
    struct cache* c = e->cache;
    struct cache_groups* g = &c->staged.groups;
    groups_init(e);
    const uint32_t asked = e->told.cache->side_by_side;
    g->leaves = asked != 0 && asked < e->geo->part.luns ? asked : e->geo->part.luns;
    g->leaves = g->leaves < CACHE_BLOCKS ? g->leaves : CACHE_BLOCKS;
    g->pads = c->reserve / g->leaves;
    g->pads = g->pads == 0 ? 1 : g->pads;
    for (uint32_t i = 0; i < CACHE_BLOCKS; ++i) {
        g->block[i].number = UINT64_MAX;
    }
}

/* The place of a block that is leaving, or with UINT64_MAX a free one; NULL = there is none. */
static struct cache_block* block_of(struct env* e, uint64_t number)
{
    struct cache_groups* g = &e->cache->staged.groups;
    for (uint32_t i = 0; i < g->leaves; ++i) {
        if (g->block[i].number == number) {
            return &g->block[i];
        }
    }
    return NULL;
}

/* A slot is a pad no more: it is on the flash, gone, or has data of the host. */
static void no_pad(struct env* e, uint32_t slot)
{
    struct cache_member* m = cache_member_of(e, slot);
    const uint64_t unit = cache_slot_of(e, e->cache, slot)->unit;
    struct cache_block* b = block_of(e, unit / e->told.cache->group_units);
    FW_ASSERT(e, (m->flags & MEMBER_PAD) != 0);
    m->flags &= ~MEMBER_PAD;
    if (b != NULL && b->pads != 0) { /* else its block has gone before it */
        --b->pads;
    }
}

/* A unit of a block that is leaving comes along from the flash. false = that has to wait; it is
 * left out where nothing is under way that would end the wait. */
static bool pad(struct env* e, struct cache_block* b, uint64_t unit)
{
    struct cache* c = e->cache;
    const bool full = c->staged.leaving_count >= e->geo->group;
    const uint64_t address = ftl_ops_of(e)->lookup(e, unit);
    if (address == FTL_UNKNOWN) {
        return flash_in_flight(e) == 0;
    }
    if (address == FTL_NONE || ftl_lost(address)) {
        return true; /* there is nothing to read */
    }
    if (cache_free_slots(c) == 0 || (b->pads >= c->staged.groups.pads && full)) {
        return cache_free_slots(c) == 0 && c->programming == 0 && !full;
    }
    ++b->pads;
    c->staged.groups.padding = 1;
    const uint32_t i = cache_allocate(e, unit, SLOT_DIRTY);
    c->staged.groups.padding = 0;
    FW_ASSERT(e, i != INDEX_NONE && cache_is_pad(e, i));
    cache_dirty(e, i);
    cache_fill(e, i);
    return true;
}

/* The block goes on, in the order of its units. What was written behind the one that has just gone
 * makes it a block as any other in the end. */
static void go_on(struct env* e, struct cache_block* b)
{
    const uint32_t units = units_of(e, b->number);
    for (; b->at < units; ++b->at) {
        const uint64_t unit = b->number * e->told.cache->group_units + b->at;
        const uint32_t slot = cache_find(e, unit);
        if (slot == INDEX_NONE && !pad(e, b, unit)) {
            return;
        }
        /* The unit that is coming in is found, and belongs to no group yet. */
        if (slot != INDEX_NONE && cache_member_of(e, slot)->group != INDEX_NONE) {
            cache_let_go(e, slot);
        }
    }
    const uint32_t left = groups_find(e, b->number);
    if (left != INDEX_NONE) {
        group_at(e, left)->leaving = 0;
        chain_append(&e->cache->staged.groups.order, group_links(e), left);
    }
    b->number = UINT64_MAX;
}

static void choose(struct env* e)
{
    struct cache_groups* g = &e->cache->staged.groups;
    const uint32_t victim = g->order.first;
    struct cache_block* b = block_of(e, UINT64_MAX);
    if (victim == INDEX_NONE || b == NULL) {
        return;
    }
    if (e->told.cache->padding != 0) {
        chain_remove(&g->order, group_links(e), victim);
        group_at(e, victim)->leaving = 1;
        b->number = group_at(e, victim)->number;
        b->at = 0;
        b->pads = 0;
        go_on(e, b);
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
    if (g->leaving != 0) {
        return;
    }
    chain_remove(order, group_links(e), group);
    if (e->told.cache->compensation != 0 && g->run == units && g->count == units) {
        chain_prepend(order, group_links(e), group);
    } else {
        chain_append(order, group_links(e), group);
    }
}

static void join(struct env* e, uint32_t slot)
{
    const uint64_t unit = cache_slot_of(e, e->cache, slot)->unit;
    const uint32_t offset = (uint32_t)(unit % e->told.cache->group_units);
    const uint32_t i = groups_join(e, slot);
    struct cache_group* g = group_at(e, i);
    if (g->count > 1) {
        g->run = g->run == offset ? offset + 1 : RUN_NONE;
    } else {
        g->run = offset == 0 ? 1 : RUN_NONE;
        g->leaving = block_of(e, g->number) != NULL ? 1 : 0; /* nobody else of it is left */
        if (g->leaving == 0) {
            chain_append(&e->cache->staged.groups.order, group_links(e), i);
        }
    }
    used(e, i);
}

static void bplru_enter(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_groups* all = &c->staged.groups;
    struct cache_member* m = cache_member_of(e, slot);
    m->flags = all->padding != 0 ? MEMBER_LEAVING | MEMBER_PAD : 0;
    m->group = INDEX_NONE;
    if (all->padding != 0) {
        return;
    }
    const uint32_t own =
        groups_find(e, cache_slot_of(e, c, slot)->unit / e->told.cache->group_units);
    if (own != INDEX_NONE && group_at(e, own)->leaving == 0 &&
        (e->told.cache->readings & BPLRU_OWN_LEAVES) == 0) {
        /* It is in use: another one leaves, if there is one. */
        chain_remove(&all->order, group_links(e), own);
        chain_append(&all->order, group_links(e), own);
    }
    if (c->staged.residents >= c->staged.most) {
        choose(e);
    }
    join(e, slot);
    ++c->staged.residents;
}

static void bplru_leave(struct env* e, uint32_t slot)
{
    const uint32_t i = cache_member_of(e, slot)->group;
    if (cache_leaving(e, slot)) {
        if (cache_is_pad(e, slot)) {
            no_pad(e, slot);
        }
        return;
    }
    FW_ASSERT(e, e->cache->staged.residents != 0);
    if (group_at(e, i)->count == 1 && group_at(e, i)->leaving == 0) {
        chain_remove(&e->cache->staged.groups.order, group_links(e), i);
    }
    group_at(e, i)->run = RUN_NONE;
    groups_quit(e, slot);
    --e->cache->staged.residents;
}

/* A write. */
static void bplru_touch(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    const struct cache_member* m = cache_member_of(e, slot);
    if ((s->flags & SLOT_HASHED) == 0) {
        return;
    }
    if ((m->flags & MEMBER_PAD) != 0) {
        no_pad(e, slot); /* it takes data as any other slot */
    }
    if ((m->flags & MEMBER_LEAVING) != 0) {
        return;
    }
    struct cache_group* g = group_at(e, m->group);
    /* More sectors of the last unit of a run continue it; when it has them all some come again. */
    const bool again = (s->valid | s->landing) == e->geo->unit_mask;
    const bool goes_on = g->run == s->unit % e->told.cache->group_units + 1 &&
                         !(again && (e->told.cache->readings & BPLRU_REWRITE_ENDS) != 0);
    g->run = goes_on ? g->run : RUN_NONE;
    used(e, m->group);
}

static void bplru_step(struct env* e)
{
    const struct cache* c = e->cache;
    struct cache_groups* g = &e->cache->staged.groups;
    uint32_t going = c->staged.leaving_count;
    for (uint32_t i = 0; i < g->leaves; ++i) {
        if (g->block[i].number != UINT64_MAX) {
            go_on(e, &g->block[i]);
            ++going;
        }
    }
    /* More came while all that may leave side by side did. */
    for (uint32_t i = 0; i < g->leaves && c->staged.residents > c->staged.most; ++i) {
        choose(e);
    }
    if (cache_rests(e) && going == 0) {
        choose(e);
    }
}

const struct cache_policy_ops cache_bplru = {
    .blind = 1,
    .size = cache_staged_size,
    .touch = bplru_touch,
    .enter = bplru_enter,
    .leave = bplru_leave,
    .init = bplru_init,
    .step = bplru_step,
};
