/* SPDX-License-Identifier: Apache-2.0
 *
 * Write-only LRU: only writes allocate; a hit, by read or write, makes the unit the most recently
 * used one; the least recently used units leave when few slots are free.
 */
#include "firmware/buffer/policy.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "models/regs/parts/cache.h"

static void lru_size(struct env* e, uint64_t capacity, struct cache* out)
{
    const struct geometry* g = e->geo;
    const bool all = e->told.cache->dirty_permille != 0 || geometry_planes(g);
    const uint32_t spare = cache_spare(e, capacity, all ? cache_writers(e) : g->luns, out);
    FW_ASSERT(e, spare != 0 && spare < out->slots);
    out->high = out->slots - spare;
    if (e->told.cache->dirty_permille != 0) { /* what is under way has slots besides */
        out->high = cache_dirty_most(e, out->slots);
        out->slots = out->high + spare > out->slots ? out->high + spare : out->slots;
    }
}

static void lru_touch(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct link* links = env_dram(e, c->lru_links);
    const struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_PROGRAMMING);
    if (s->state == SLOT_DIRTY && (s->flags & SLOT_URGENT) == 0 && s->picked == 0 &&
        c->lru.last != slot) {
        chain_remove(&c->lru, links, slot);
        chain_append(&c->lru, links, slot);
        cache_wake(e); /* another one is the first */
    }
}

const struct cache_policy_ops cache_wo_lru = {
    .write_through = 0,
    .size = lru_size,
    .touch = lru_touch,
};

const struct cache_policy_ops cache_wo_lru_marked = {
    .write_through = 0,
    .size = lru_size,
    .touch = lru_touch,
    .enter = cache_mark,
    .leave = cache_unmark,
};
