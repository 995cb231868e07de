/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: slots, how they are found, come, go and stand in order; and what is due.
 */
#include "firmware/buffer/slots.h"

#include "firmware/buffer/policy.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_units.h"

_Static_assert(sizeof(struct cache_slot) == 64, "a shift finds it");

/* ---- What is due ---- */

bool cache_flushed(struct env* e, uint64_t ticket)
{
    const struct cache* c = e->cache;
    FW_ASSERT(e, ticket <= c->sequence);
    return c->age.first == INDEX_NONE ||
           cache_slot_of(e, e->cache, c->age.first)->sequence > ticket;
}

bool cache_rests(const struct env* e)
{
    return e->cache->rests != 0 && run_is_quiet(e);
}

bool cache_over_limit(const struct env* e)
{
    const struct cache* c = e->cache;
    return c->dirty > c->high + c->staged.leaving_count || (cache_rests(e) && c->dirty != 0);
}

bool cache_over_high(const struct env* e)
{
    const struct cache* c = e->cache;
    if (c->staged.on != 0) {
        return c->staged.leaving_count >= e->geo->group || cache_over_limit(e);
    }
    if (cache_rests(e) && c->lru.first != INDEX_NONE) {
        return true;
    }
    return c->keeps != 0 ? c->due >= e->geo->group : c->dirty > c->high;
}

bool cache_flush_waits(struct env* e)
{
    const struct cache* c = e->cache;
    return c->age.first != INDEX_NONE && !cache_flushed(e, c->flush_sequence);
}

bool cache_is_due(struct env* e)
{
    return cache_over_high(e) || e->cache->urgent.first != INDEX_NONE || cache_flush_waits(e) ||
           e->cache->parked.asks.first != INDEX_NONE; /* it was due, and may be urgent */
}

/* The last step found too few units that have landed, and still there are. */
static bool awaits_more(const struct env* e)
{
    const struct cache* c = e->cache;
    return c->awaits != 0 && c->arriving != 0 && c->dirty - c->arriving < c->awaits &&
           c->urgent.first == INDEX_NONE;
}

void cache_look(struct env* e)
{
    /* Where as many programs are under way as may be, the end of one is what brings the turn. */
    if (e->cache->staged.on != 0 ||
        (flash_may_take(e, OWNER_PROGRAM) && !awaits_more(e) && cache_is_due(e))) {
        run_due(e, DUE_BUFFER);
    }
}

/* ---- Order ---- */

void cache_unpark(struct env* e, uint32_t slot)
{
    struct cache_parked* p = &e->cache->parked;
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, cache_is_parked(s));
    uint32_t* next = env_dram(e, p->next);
    uint32_t* at = cache_parked_head(e, cache_page_of(e, slot));
    while (*at != slot + 1) {
        FW_ASSERT(e, *at != 0);
        at = &next[*at - 1];
    }
    *at = next[slot];
    if (s->picked == SLOT_ASKS) {
        chain_remove(&p->asks, cache_lru_links(e), slot);
    }
    s->picked = 0;
    --p->count;
}

static struct chain* order_of(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    return (cache_slot_of(e, c, slot)->flags & SLOT_URGENT) != 0 ? &c->urgent
           : cache_leaving(e, slot)                              ? &c->staged.leaving
                                                                 : &c->lru;
}

/* One more leaves, or one fewer: others go on leaving, or take their turn to, and who writes may
 * take the place of one. */
static inline void count_leaving(struct env* e, const struct chain* order, uint32_t by)
{
    if (order == &e->cache->staged.leaving) {
        e->cache->staged.leaving_count += by;
        run_due(e, DUE_HOST | DUE_BUFFER);
    }
}

static inline void added(struct env* e, const struct chain* order)
{
    count_leaving(e, order, 1);
    cache_wake(e);
}

void cache_order_add(struct env* e, uint32_t slot, bool first)
{
    struct chain* order = order_of(e, slot);
    FW_ASSERT(e, cache_slot_of(e, e->cache, slot)->state == SLOT_DIRTY);
    if (first) {
        chain_prepend(order, cache_lru_links(e), slot);
    } else {
        chain_append(order, cache_lru_links(e), slot);
    }
    added(e, order);
}

static inline void order_leave(struct env* e, uint32_t slot)
{
    if (cache_is_parked(cache_slot_of(e, e->cache, slot))) {
        cache_unpark(e, slot);
        return;
    }
    struct chain* order = order_of(e, slot);
    chain_remove(order, cache_lru_links(e), slot);
    count_leaving(e, order, UINT32_MAX);
}

void cache_order_remove(struct env* e, uint32_t slot)
{
    order_leave(e, slot);
}

void cache_make_urgent(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    if (s->state == SLOT_DIRTY && (s->flags & SLOT_URGENT) == 0) {
        cache_order_remove(e, slot);
        s->flags |= SLOT_URGENT;
        cache_order_add(e, slot, false);
    }
}

void cache_dirty(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, (s->flags & (SLOT_HASHED | SLOT_URGENT)) == SLOT_HASHED);
    s->state = SLOT_DIRTY;
    s->sequence = ++c->sequence;
    ++c->dirty;
    ++e->telemetry->buffer_dirty;
    struct chain* order = order_of(e, slot);
    chain_append(order, cache_lru_links(e), slot);
    chain_append(&c->age, cache_age_links(e), slot);
    FW_ASSERT(e, c->dirty + c->programming <= c->slots);
    added(e, order);
}

void cache_programs(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, s->state == SLOT_DIRTY && c->dirty > 0);
    order_leave(e, slot);
    s->state = SLOT_PROGRAMMING;
    s->flags = (uint8_t)(s->flags & ~SLOT_URGENT);
    cache_changed(e, slot);
    --c->dirty;
    ++c->programming;
    ++e->telemetry->cache_evictions_dirty;
}

/* ---- Come and go ---- */

static uint32_t* bucket_of(struct env* e, uint64_t unit)
{
    const struct cache* c = e->cache;
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio */
    return (uint32_t*)env_dram(e, c->buckets) + ((unit * golden) >> (64 - c->bucket_bits));
}

uint32_t cache_find(struct env* e, uint64_t unit)
{
    struct cache* c = e->cache;
    const uint32_t* bucket = bucket_of(e, unit);
    uint32_t i = *bucket;
    env_touch(e, bucket, sizeof *bucket, false);
    while (i != 0) {
        const struct cache_slot* s = cache_slot_of(e, c, i - 1);
        env_touch(e, s, sizeof *s, false);
        if (s->unit == unit) {
            return i - 1;
        }
        i = s->hash_next;
    }
    return INDEX_NONE;
}

static void hash_in(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    uint32_t* bucket = bucket_of(e, s->unit);
    FW_ASSERT(e, (s->flags & SLOT_HASHED) == 0);
#ifdef SSDVP_FW_POISON
    FW_ASSERT(e, cache_find(e, s->unit) == INDEX_NONE); /* that look-up costs too much elsewhere */
#endif
    env_touch(e, s, sizeof *s, true);
    env_touch(e, bucket, sizeof *bucket, true);
    s->hash_next = *bucket;
    *bucket = slot + 1;
    s->flags |= SLOT_HASHED;
    if (cache_policy_of(e)->enter != NULL) {
        cache_policy_of(e)->enter(e, slot);
        cache_stirred(e);
    }
}

/* Nobody has read what was read ahead. */
static void end_ahead(struct env* e, uint32_t slot)
{
    uint8_t* ahead = e->cache->ahead != 0 ? env_dram(e, e->cache->ahead) : NULL;
    if (ahead != NULL && ahead[slot] != 0) {
        ahead[slot] = 0;
        ++e->telemetry->cache_ahead_wasted;
    }
}

void cache_unhash(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    uint32_t* at = bucket_of(e, s->unit);
    if ((s->flags & SLOT_HASHED) == 0) {
        return;
    }
    cache_announce(e);
    if (cache_policy_of(e)->leave != NULL) {
        cache_policy_of(e)->leave(e, slot);
    }
    end_ahead(e, slot);
    while (*at != slot + 1) {
        FW_ASSERT(e, *at != 0);
        at = &cache_slot_of(e, e->cache, *at - 1)->hash_next;
    }
    *at = s->hash_next;
    s->flags = (uint8_t)(s->flags & ~SLOT_HASHED);
}

void cache_release_gone(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    if (s->pins != 0 || s->incoming != 0 || (s->flags & SLOT_FILLING) != 0) {
        return;
    }
    FW_ASSERT(e, s->waiters == INDEX_NONE && (s->flags & SLOT_HASHED) == 0);
    cache_announce(e);
    s->state = SLOT_FREE;
    s->flags = 0;
    s->valid = 0;
    s->landing = 0;
    s->older = INDEX_NONE;
    s->blocked = 0;
    s->streams = 0;
    fifo_push(&c->free, env_dram(e, c->free_links), slot); /* neighbours stay so (nvme_write.c) */
}

void cache_set_victim(struct env* e, uint32_t slot, int victim)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    struct link* links = env_dram(e, c->use_links);
    if (victim == ((s->flags & SLOT_VICTIM) != 0)) {
        return;
    }
    s->flags ^= SLOT_VICTIM;
    if (victim) {
        chain_append(&c->victims, links, slot);
        ++c->victim_count;
        cache_announce(e);
    } else {
        chain_remove(&c->victims, links, slot);
        --c->victim_count;
    }
}

void cache_drop(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->state == SLOT_CLEAN || s->state == SLOT_READING);
    FW_ASSERT(e, s->waiters == INDEX_NONE && s->older == INDEX_NONE);
    cache_unhash(e, slot);
    s->state = SLOT_GONE;
    cache_release(e, slot);
}

bool cache_drop_victim(struct env* e)
{
    const struct cache* c = e->cache;
    const uint32_t slot = c->victims.first;
    if (slot == INDEX_NONE) {
        return false;
    }
    cache_drop(e, slot);
    ++e->telemetry->cache_evictions_clean;
    return true;
}

/* Memory of slots is touched when they are used for the first time. */
static uint32_t take_free(struct env* e)
{
    struct cache* c = e->cache;
    if (c->free.head != INDEX_NONE || c->fresh == c->slots) {
        return fifo_pop(&c->free, env_dram(e, c->free_links));
    }
    struct cache_slot* s = cache_slot_of(e, c, c->fresh);
    s->older = INDEX_NONE;
    s->waiters = INDEX_NONE;
    return c->fresh++;
}

uint32_t cache_allocate(struct env* e, uint64_t unit, enum slot_state state)
{
    struct cache* c = e->cache;
    if (cache_free_slots(c) == 0 && !cache_drop_victim(e)) {
        return INDEX_NONE;
    }
    const uint32_t i = take_free(e);
    struct cache_slot* s = cache_slot_of(e, c, i);
    FW_ASSERT(e, s->state == SLOT_FREE && s->pins == 0);
    FW_ASSERT(e, s->valid == 0 && s->landing == 0);
    s->state = (uint8_t)state;
    s->unit = unit;
    hash_in(e, i);
    return i;
}
