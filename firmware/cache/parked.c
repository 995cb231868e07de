/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: slots that wait for their page of the map.
 */
#include "firmware/cache/parked.h"

#include "firmware/cache/slots.h"
#include "firmware/ftl/maps_units.h"
#include "firmware/lib/arena.h"

/* More slots than this seldom wait: each has a page of its own on its way, or will ask for it. */
enum { PARK_BUCKETS = 1024, ASKS_AT_ONCE = 16 };

static uint64_t page_of(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->cache->slots);
    return cache_slot_of(e, e->cache, slot)->unit >> e->maps->entry_shift;
}

static uint32_t* head_of(struct env* e, uint64_t page)
{
    FW_ASSERT(e, e->cache->parked.heads != 0);
    return (uint32_t*)env_dram(e, e->cache->parked.heads) + page % PARK_BUCKETS;
}

static struct link* links_of(struct env* e)
{
    return (struct link*)env_dram(e, e->cache->lru_links);
}

int cache_park_take(struct env* e)
{
    struct cache* c = e->cache;
    FW_ASSERT(e, c->slots != 0);
    chain_init(&c->parked.asks);
    if (maps_all_here(e->maps)) {
        c->parked.heads = dram_take(e, PARK_BUCKETS * sizeof(uint32_t));
        c->parked.next = dram_take(e, (uint64_t)c->slots * sizeof(uint32_t));
    }
    return arenas_result(e);
}

/* Asks for the page of a parked slot, which may come at once. false = it cannot be asked for now.
 */
static bool asks(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    const uint64_t page = page_of(e, slot);
    FW_ASSERT(e, s->picked == SLOT_ASKS);
    if (maps_load(e, 1, page, false)) {
        return true;
    }
    if ((*maps_flags(e, e->maps, 1, page) & MAP_LOADING) == 0) {
        return false;
    }
    chain_remove(&e->cache->parked.asks, links_of(e), slot);
    s->picked = SLOT_WAITS;
    return true;
}

void cache_park(struct env* e, uint32_t slot)
{
    struct cache_parked* p = &e->cache->parked;
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, slot < e->cache->slots);
    if (p->heads == 0 || s->state != SLOT_DIRTY || s->picked != 0 || s->incoming != 0 ||
        s->older != INDEX_NONE || (s->flags & SLOT_FILLING) != 0 ||
        (*maps_flags(e, e->maps, 1, page_of(e, slot)) & MAP_RESIDENT) != 0) {
        return;
    }
    uint32_t* head = head_of(e, page_of(e, slot));
    cache_order_remove(e, slot);
    ((uint32_t*)env_dram(e, p->next))[slot] = *head;
    *head = slot + 1;
    ++p->count;
    s->picked = SLOT_ASKS;
    chain_append(&p->asks, links_of(e), slot);
    (void)asks(e, slot);
}

bool cache_unpark(struct env* e, uint32_t slot)
{
    struct cache_parked* p = &e->cache->parked;
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (s->picked <= SLOT_PICKED) {
        return false;
    }
    uint32_t* next = env_dram(e, p->next);
    uint32_t* at = head_of(e, page_of(e, slot));
    while (*at != slot + 1) {
        FW_ASSERT(e, *at != 0);
        at = &next[*at - 1];
    }
    *at = next[slot];
    if (s->picked == SLOT_ASKS) {
        chain_remove(&p->asks, links_of(e), slot);
    }
    s->picked = 0;
    --p->count;
    return true;
}

/* In a read of the map that is not to be had, the page above may be missing: others go first. */
void cache_ask(struct env* e)
{
    struct cache_parked* p = &e->cache->parked;
    for (uint32_t left = ASKS_AT_ONCE; left != 0 && p->asks.first != INDEX_NONE; --left) {
        const uint32_t slot = p->asks.first;
        if (!maps_may_ask(e)) {
            return; /* one that ends asks for the next */
        }
        if (!asks(e, slot)) {
            chain_remove(&p->asks, links_of(e), slot);
            chain_append(&p->asks, links_of(e), slot);
        }
    }
    FW_ASSERT(e, p->count <= e->cache->slots);
}

void cache_page_came(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page < e->maps->level[1].pages);
    if (e->cache->parked.count == 0) {
        return;
    }
    const uint32_t* next = env_dram(e, e->cache->parked.next);
    for (uint32_t i = *head_of(e, page); i != 0;) {
        const uint32_t slot = i - 1;
        i = next[slot];
        if (page_of(e, slot) == page) {
            (void)cache_unpark(e, slot);
            cache_order_add(e, slot, true);
        }
    }
}
