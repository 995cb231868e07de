/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: groups of residents (groups.h).
 */
#include "firmware/buffer/groups.h"

#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "models/regs/parts/cache.h"

enum { SORT_BINS = 28 }; /* bin n holds a list of 2^n members or is empty */

static uint32_t* bucket_of(struct env* e, uint64_t number)
{
    const struct cache_groups* g = &e->cache->staged.groups;
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio */
    return (uint32_t*)env_dram(e, g->buckets) + ((number * golden) >> (64 - g->bucket_bits));
}

void groups_init(struct env* e)
{
    struct cache_groups* g = &e->cache->staged.groups;
    const uint64_t slots = e->cache->slots;
    FW_ASSERT(e, e->told.cache->group_units != 0);
    g->bucket_bits = bits_for(e->cache->slots) + 1;
    g->table = dram_take(e, slots * sizeof(struct cache_group));
    g->links = dram_take(e, slots * sizeof(struct link));
    g->free_links = dram_take(e, slots * sizeof(uint32_t));
    g->buckets = dram_take(e, (UINT64_C(1) << g->bucket_bits) * sizeof(uint32_t));
    fifo_init(&g->free);
    chain_init(&g->order);
}

uint32_t groups_find(struct env* e, uint64_t number)
{
    uint32_t i = *bucket_of(e, number);
    while (i != 0 && group_at(e, i - 1)->number != number) {
        i = group_at(e, i - 1)->hash_next;
    }
    return i == 0 ? INDEX_NONE : i - 1;
}

static uint32_t take(struct env* e, uint64_t number)
{
    struct cache_groups* g = &e->cache->staged.groups;
    uint32_t* bucket = bucket_of(e, number);
    const uint32_t old = fifo_pop(&g->free, env_dram(e, g->free_links));
    const uint32_t i = old != INDEX_NONE ? old : g->fresh++;
    struct cache_group* fresh = group_at(e, i);
    FW_ASSERT(e, i < e->cache->slots && fresh->count == 0);
    fresh->number = number;
    fresh->run = RUN_NONE;
    fresh->leaving = 0;
    chain_init(&fresh->members);
    fresh->hash_next = *bucket;
    *bucket = i + 1;
    return i;
}

uint32_t groups_join(struct env* e, uint32_t slot)
{
    const uint64_t unit = cache_slot_of(e, e->cache, slot)->unit;
    const uint64_t number = unit / e->told.cache->group_units;
    uint32_t i = groups_find(e, number);
    i = i == INDEX_NONE ? take(e, number) : i;
    struct cache_group* g = group_at(e, i);
    chain_append(&g->members, env_dram(e, e->cache->use_links), slot);
    ++g->count;
    cache_member_of(e, slot)->group = i;
    FW_ASSERT(e, g->count <= e->told.cache->group_units);
    return i;
}

void groups_quit(struct env* e, uint32_t slot)
{
    struct cache_groups* all = &e->cache->staged.groups;
    const uint32_t i = cache_member_of(e, slot)->group;
    struct cache_group* g = group_at(e, i);
    FW_ASSERT(e, g->count != 0);
    chain_remove(&g->members, env_dram(e, e->cache->use_links), slot);
    cache_member_of(e, slot)->group = INDEX_NONE;
    if (--g->count != 0) {
        return;
    }
    uint32_t* at = bucket_of(e, g->number);
    while (*at != i + 1) {
        FW_ASSERT(e, *at != 0);
        at = &group_at(e, *at - 1)->hash_next;
    }
    *at = g->hash_next;
    fifo_push_front(&all->free, env_dram(e, all->free_links), i);
}

/* Two lists in order become one. */
static uint32_t merged(struct env* e, uint32_t a, uint32_t b)
{
    struct link* links = env_dram(e, e->cache->use_links);
    uint32_t first = INDEX_NONE;
    uint32_t* at = &first;
    while (a != INDEX_NONE && b != INDEX_NONE) {
        const bool b_first =
            cache_slot_of(e, e->cache, b)->unit < cache_slot_of(e, e->cache, a)->unit;
        *at = b_first ? b : a;
        at = &links[*at].next;
        *(b_first ? &b : &a) = *at;
    }
    *at = a != INDEX_NONE ? a : b;
    return first;
}

static bool is_sorted(struct env* e, const struct cache_group* g)
{
    const struct link* links = env_dram(e, e->cache->use_links);
    uint32_t i = g->members.first;
    for (uint32_t next = links[i].next; next != INDEX_NONE; i = next, next = links[i].next) {
        if (cache_slot_of(e, e->cache, next)->unit < cache_slot_of(e, e->cache, i)->unit) {
            return false;
        }
    }
    return true;
}

void groups_sort(struct env* e, uint32_t group)
{
    struct cache_group* g = group_at(e, group);
    struct link* links = env_dram(e, e->cache->use_links);
    uint32_t bins[SORT_BINS];
    uint32_t list = INDEX_NONE;
    FW_ASSERT(e, g->count != 0);
    if (is_sorted(e, g)) {
        return;
    }
    for (uint32_t n = 0; n < SORT_BINS; ++n) {
        bins[n] = INDEX_NONE;
    }
    for (uint32_t i = g->members.first; i != INDEX_NONE;) {
        const uint32_t next = links[i].next;
        uint32_t n = 0;
        links[i].next = INDEX_NONE;
        for (list = i; bins[n] != INDEX_NONE; ++n) {
            list = merged(e, bins[n], list);
            bins[n] = INDEX_NONE;
        }
        bins[n] = list;
        i = next;
    }
    list = INDEX_NONE;
    for (uint32_t n = 0; n < SORT_BINS; ++n) {
        if (bins[n] != INDEX_NONE) {
            list = list == INDEX_NONE ? bins[n] : merged(e, bins[n], list);
        }
    }
    chain_init(&g->members);
    while (list != INDEX_NONE) {
        const uint32_t next = links[list].next;
        chain_append(&g->members, links, list);
        list = next;
    }
    FW_ASSERT(e, is_sorted(e, g));
}
