/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: slots that wait for their page of the map.
 */
#include "firmware/buffer/parked.h"

#include "firmware/buffer/gather.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/arena.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_units.h"
#include "firmware/ops/requests.h"
#include "firmware/space/blocks.h"
#include "firmware/space/lanes.h"

enum { ASKS_AT_ONCE = 16, VAIN_AT_ONCE = 2 };

int cache_park_take(struct env* e)
{
    struct cache* c = e->cache;
    chain_init(&c->parked.asks);
    /* Where a bin fills a page, entries of others may keep its room in a table of few. */
    if (maps_all_here(e->maps) || (ftl_ops_of(e)->ask != NULL && !lanes_keyed(e))) {
        c->parked.heads = dram_take(e, CACHE_PARK_BUCKETS * sizeof(uint32_t));
        c->parked.next = dram_take(e, (uint64_t)c->slots * sizeof(uint32_t));
    }
    return arenas_result(e);
}

static void wait_in(struct env* e, uint32_t slot, enum slot_picked state)
{
    struct cache_parked* p = &e->cache->parked;
    uint32_t* head = cache_parked_head(e, cache_page_of(e, slot));
    cache_order_remove(e, slot);
    ((uint32_t*)env_dram(e, p->next))[slot] = *head;
    *head = slot + 1;
    ++p->count;
    cache_slot_of(e, e->cache, slot)->picked = (uint8_t)state;
    if (state == SLOT_ASKS) {
        chain_append(&p->asks, cache_lru_links(e), slot);
    }
}

static void come_back(struct env* e, uint32_t slot)
{
    cache_unpark(e, slot);
    ++e->cache->parked.back;
    cache_order_add(e, slot, true);
}

/* Asks for what a parked slot needs, which may be here at once. */
static enum ftl_asked ask(struct env* e, uint32_t slot)
{
    struct cache_parked* p = &e->cache->parked;
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->picked == SLOT_ASKS);
    const enum ftl_asked asked = ftl_ops_of(e)->ask(e, s->unit);
    if (asked == FTL_COMING) {
        chain_remove(&p->asks, cache_lru_links(e), slot);
        s->picked = SLOT_WAITS;
    } else if (asked == FTL_HERE && s->picked == SLOT_ASKS) { /* its page's coming did not tell */
        come_back(e, slot);
    }
    return asked;
}

/* A page is on its way: those who still have to ask for what it brings do so now. One that stays
 * brings all. */
static void join(struct env* e, uint64_t page)
{
    const struct cache_parked* p = &e->cache->parked;
    const uint32_t* next = env_dram(e, p->next);
    enum ftl_asked asked = FTL_COMING;
    const bool alone = p->asks.first == INDEX_NONE || maps_all_here(e->maps);
    for (uint32_t i = alone ? 0 : *cache_parked_head(e, page); i != 0 && asked == FTL_COMING;) {
        const uint32_t slot = i - 1;
        i = next[slot];
        if (cache_page_of(e, slot) == page &&
            cache_slot_of(e, e->cache, slot)->picked == SLOT_ASKS) {
            asked = ask(e, slot);
        }
    }
}

void cache_park(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (e->cache->parked.heads == 0 || s->state != SLOT_DIRTY || s->picked != 0 ||
        s->incoming != 0 || s->older != INDEX_NONE || (s->flags & SLOT_FILLING) != 0) {
        return;
    }
    const enum ftl_asked asked = ftl_ops_of(e)->ask(e, s->unit);
    if (asked != FTL_HERE) {
        wait_in(e, slot, asked == FTL_COMING ? SLOT_WAITS : SLOT_ASKS);
    }
    if (asked == FTL_COMING) {
        join(e, cache_page_of(e, slot));
    }
}

/* Of one that cannot have it now the page above may be missing: others go first. But what one
 * lacks nearly all lack: reads, or room. */
bool cache_ask(struct env* e)
{
    struct cache_parked* p = &e->cache->parked;
    uint32_t vain = 0;
    bool any = false;
    for (uint32_t left = ASKS_AT_ONCE; left != 0 && p->asks.first != INDEX_NONE; --left) {
        const uint32_t slot = p->asks.first;
        if (!maps_may_ask(e) || vain == VAIN_AT_ONCE) {
            break; /* one that ends asks for the next */
        }
        const uint64_t page = cache_page_of(e, slot);
        const enum ftl_asked asked = ask(e, slot);
        any = any || asked == FTL_HERE;
        if (asked == FTL_COMING) {
            join(e, page);
        } else if (asked == FTL_LATER) {
            chain_remove(&p->asks, cache_lru_links(e), slot);
            chain_append(&p->asks, cache_lru_links(e), slot);
            ++vain;
        }
    }
    return any;
}

void cache_lack(struct env* e, uint32_t units)
{
    const struct cache* c = e->cache;
    struct cache_parked* p = &e->cache->parked;
    const bool told = !maps_all_here(e->maps) && c->staged.on == 0 && blocks_directed(e) == 0;
    FW_ASSERT(e, p->count <= c->dirty);
    p->lacks = told && p->count >= units ? units : 0;
    p->back = 0;
    p->tried = p->lacks != 0 && c->dirty - p->count <= cache_walk_most(e) ? c->sequence : 0;
}

bool cache_lacks(struct env* e)
{
    const struct cache* c = e->cache;
    const struct cache_parked* p = &c->parked;
    return p->back < p->lacks && p->back + p->count >= p->lacks &&
           (p->tried == 0 || p->tried == c->sequence) && c->urgent.first == INDEX_NONE &&
           !cache_rests(e) && (flash_at_work(e) || maps_host_moves(e));
}

bool cache_lacks_map(const struct env* e)
{
    FW_ASSERT(e, e->cache->parked.count <= e->cache->dirty);
    return e->cache->parked.count != 0 && e->cache->blocked == CACHE_WAIT_NONE;
}

/* A page that passes by brings what was asked for, no more. */
void cache_page_came(struct env* e, uint64_t page)
{
    if (e->cache->parked.count == 0) {
        return;
    }
    const uint32_t* next = env_dram(e, e->cache->parked.next);
    const bool stays = maps_all_here(e->maps);
    for (uint32_t i = *cache_parked_head(e, page); i != 0;) {
        const uint32_t slot = i - 1;
        i = next[slot];
        if (cache_page_of(e, slot) == page &&
            (stays || cache_slot_of(e, e->cache, slot)->picked == SLOT_WAITS)) {
            come_back(e, slot);
        }
    }
}
