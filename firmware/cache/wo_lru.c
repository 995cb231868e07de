/* SPDX-License-Identifier: Apache-2.0
 *
 * Write-only LRU: only writes allocate; a hit, by read or write, makes the unit the most recently
 * used one; the least recently used units leave when few slots are free.
 */
#include "firmware/cache/cache.h"

static void lru_size(struct env* e, uint64_t capacity, struct cache* out)
{
    const struct geometry* g = e->geo;
    const uint64_t slots = capacity >> g->unit_shift;
    const uint64_t least = 4u * (uint64_t)g->group;
    const uint64_t unit = g->multi_plane != 0 ? g->group : g->slots;
    const uint64_t at_work = unit * g->lun_programs > g->group ? unit * g->lun_programs : g->group;
    uint64_t spare = g->luns * at_work; /* what the LUNs can program at once */
    FW_ASSERT(e, g->group != 0);
    out->slots = (uint32_t)(slots < least ? least : slots);
    FW_ASSERT(e, out->slots < (1u << 28));
    /* Half a buffer at most stays free for bursts. */
    spare = spare > out->slots / 2 ? out->slots / 2 : spare;
    out->high = out->slots - (uint32_t)spare;
}

static void lru_touch(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct link* links = env_dram(e, c->lru_links);
    const struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, slot < c->slots);
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_PROGRAMMING);
    if (s->state == SLOT_DIRTY && (s->flags & SLOT_URGENT) == 0 && c->lru.last != slot) {
        chain_remove(&c->lru, links, slot);
        chain_append(&c->lru, links, slot);
    }
}

const struct cache_policy_ops cache_wo_lru = {
    .name = "wo_lru",
    .write_through = 0,
    .size = lru_size,
    .touch = lru_touch,
};
