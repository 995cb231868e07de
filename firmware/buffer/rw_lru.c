/* SPDX-License-Identifier: Apache-2.0
 *
 * Read-write LRU: reads and writes allocate, and what was programmed stays. One order of use for
 * dirty and clean units: the `high` most recently used ones stay as they are. The others are twice
 * as many as wo_lru keeps free, half of all at most. Dirty ones among them are due to be
 * programmed, a write unit at a time; clean ones are the victims: when a slot is needed the first
 * of them leaves. Where writes wait for slots, reads and writes take turns.
 */
#include "firmware/buffer/policy.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"

static struct link* use_links(struct env* e)
{
    return (struct link*)env_dram(e, e->cache->use_links);
}

/* Moves a slot into or out of the victims and what is due, as its state says. */
static void rw_changed(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    const bool old = (s->flags & SLOT_OLD) != 0;
    const bool due = old && s->state == SLOT_DIRTY;
    const bool victim =
        old && s->state == SLOT_CLEAN && s->pins == 0 && (s->flags & SLOT_FILLING) == 0;
    if (due != ((s->flags & SLOT_DUE) != 0)) {
        c->due += due ? 1u : UINT32_MAX;
        cache_wake(e);
        s->flags ^= SLOT_DUE;
    }
    cache_set_victim(e, slot, victim);
}

static void rw_leave(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, (s->flags & SLOT_HASHED) != 0);
    if ((s->flags & SLOT_OLD) != 0) {
        s->flags = (uint8_t)(s->flags & ~SLOT_OLD);
        rw_changed(e, slot);
    } else {
        FW_ASSERT(e, c->recent_count != 0);
        chain_remove(&c->recent, use_links(e), slot);
        --c->recent_count;
    }
}

static void rw_enter(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    FW_ASSERT(e, (cache_slot_of(e, c, slot)->flags & SLOT_OLD) == 0);
    chain_append(&c->recent, use_links(e), slot);
    if (c->recent_count < c->high) {
        ++c->recent_count;
        return;
    }
    const uint32_t old = c->recent.first;
    FW_ASSERT(e, old != INDEX_NONE && old != slot);
    chain_remove(&c->recent, use_links(e), old);
    cache_slot_of(e, c, old)->flags |= SLOT_OLD;
    rw_changed(e, old);
}

static void rw_touch(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if ((s->flags & SLOT_HASHED) == 0) {
        return; /* newer data of the unit are elsewhere */
    }
    if (s->state == SLOT_DIRTY) {
        cache_wo_lru.touch(e, slot);
    }
    if (e->cache->recent.last != slot) {
        rw_leave(e, slot);
        rw_enter(e, slot);
    }
}

static void rw_size(struct env* e, uint64_t capacity, struct cache* out)
{
    cache_wo_lru.size(e, capacity, out);
    const uint32_t spare = out->slots - out->high;
    const uint32_t old = 2 * spare < out->slots / 2 ? 2 * spare : out->slots / 2;
    FW_ASSERT(e, old >= e->geo->group); /* what is due fills a write unit */
    out->high = out->slots - old;
    /* As many programs as wo_lru has run side by side. And less than a write unit may be due and
     * wait for more. */
    out->reserve = spare / 2 < old - e->geo->group ? spare / 2 : old - e->geo->group;
}

const struct cache_policy_ops cache_rw_lru = {
    .keeps = 1,
    .size = rw_size,
    .touch = rw_touch,
    .enter = rw_enter,
    .leave = rw_leave,
    .changed = rw_changed,
};
