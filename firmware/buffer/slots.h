/* SPDX-License-Identifier: Apache-2.0
 *
 * Slots of the buffer, for its other parts: how they are found, come, go, and stand in order; and
 * what is due.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_SLOTS_H
#define SSDVP_FIRMWARE_BUFFER_SLOTS_H

#include "firmware/buffer/policy.h"
#include "firmware/lib/run.h"
#include "firmware/map/maps.h"

static inline struct link* cache_lru_links(struct env* e)
{
    return (struct link*)env_dram(e, e->cache->lru_links);
}

static inline struct link* cache_age_links(struct env* e)
{
    return (struct link*)env_dram(e, e->cache->age_links);
}

/* The host's stream that a slot's data belong to, 0 = none. */
static inline uint32_t cache_stream_of(const struct cache_slot* s)
{
    return s->streams >> CACHE_DIRECTED_SHIFT;
}

static inline struct cache_member* cache_member_of(struct env* e, uint32_t slot)
{
    return &cache_slot_of(e, e->cache, slot)->member;
}

static inline bool cache_leaving(struct env* e, uint32_t slot)
{
    return (cache_member_of(e, slot)->flags & MEMBER_LEAVING) != 0;
}

static inline bool cache_is_pad(struct env* e, uint32_t slot)
{
    return (cache_member_of(e, slot)->flags & MEMBER_PAD) != 0;
}

/* More slots than this seldom wait: each has a page of its own on its way, or will ask for it. */
enum { CACHE_PARK_BUCKETS = 1024 };

/* The page of the map that a slot's unit is in; parked slots of such a page. */
static inline uint64_t cache_page_of(struct env* e, uint32_t slot)
{
    return maps_page(e, cache_slot_of(e, e->cache, slot)->unit);
}
static inline uint32_t* cache_parked_head(struct env* e, uint64_t page)
{
    return (uint32_t*)env_dram(e, e->cache->parked.heads) + page % CACHE_PARK_BUCKETS;
}

/* The slot with the newest data of a unit, INDEX_NONE when it has none. */
uint32_t cache_find(struct env* e, uint64_t unit);
/* A slot for a unit that has none, INDEX_NONE = neither a free one nor a victim. */
uint32_t cache_allocate(struct env* e, uint64_t unit, enum slot_state state);
/* The slot holds the newest data of its unit from now on. */
void cache_dirty(struct env* e, uint32_t slot);
/* A dirty slot is going to be programmed. */
void cache_programs(struct env* e, uint32_t slot);
/* Nobody finds the slot any more. */
void cache_unhash(struct env* e, uint32_t slot);
/* Frees a slot that has gone, once nothing refers to it any more. */
void cache_release_gone(struct env* e, uint32_t slot);
static inline void cache_release(struct env* e, uint32_t slot)
{
    if (cache_slot_of(e, e->cache, slot)->state == SLOT_GONE) {
        cache_release_gone(e, slot);
    }
}
/* A dirty slot joins the order in which slots leave, at its end or begin, or is in it no more. */
void cache_order_add(struct env* e, uint32_t slot, bool first);
void cache_order_remove(struct env* e, uint32_t slot);
void cache_make_urgent(struct env* e, uint32_t slot);
/* A parked slot is so no more: it is in no order. */
void cache_unpark(struct env* e, uint32_t slot);
static inline bool cache_is_parked(const struct cache_slot* s)
{
    return s->picked > SLOT_PICKED;
}

void cache_drop(struct env* e, uint32_t slot); /* a clean unit, or one that is being read */
bool cache_drop_victim(struct env* e);         /* false = there is none */
/* The slot is, or is not, among the clean units that leave first. */
void cache_set_victim(struct env* e, uint32_t slot, int victim);

/* true = all that was dirty when the ticket was given is programmed. */
bool cache_flushed(struct env* e, uint64_t ticket);
bool cache_flush_waits(struct env* e);
bool cache_rests(const struct env* e);      /* it is time for the background flush */
bool cache_over_limit(const struct env* e); /* more residents are dirty than may be, or all rests */
bool cache_over_high(const struct env* e);  /* as many units are dirty as may be */
bool cache_is_due(struct env* e);           /* something has to leave */
/* Something may have become due that was not. A flush that begins is announced by whoever asks for
 * it. */
void cache_look(struct env* e);
static inline void cache_wake(struct env* e)
{
    const struct cache* c = e->cache;
    const bool few = c->plain != 0 && c->dirty <= c->high && c->urgent.first == INDEX_NONE;
    if (!few && !run_is_due(e, DUE_BUFFER)) {
        cache_look(e);
    }
}

/* There is a slot: who waits for one tries again. */
static inline void cache_announce(struct env* e)
{
    if (e->cache->staged.on != 0) {
        run_due(e, DUE_HOST | DUE_BUFFER); /* or a block goes on leaving */
    } else if (e->cache->wanted != 0) {
        e->cache->wanted = 0;
        run_due(e, DUE_HOST);
    }
}

/* What was on its way is in a slot: it concerns a write that overlaps it, and reads of it; a write
 * that waits for room has none for that. */
static inline void cache_announce_landing(struct env* e)
{
    if (e->cache->staged.on != 0 || (e->cache->wanted & ~WANTS_WRITE) != 0) {
        cache_announce(e);
    }
}

/* Of exact residents others may be the next to leave. */
static inline void cache_stirred(struct env* e)
{
    if (e->cache->staged.on != 0) {
        run_due(e, DUE_BUFFER);
    }
}

static inline void cache_changed(struct env* e, uint32_t slot)
{
    if (cache_policy_of(e)->changed != NULL) {
        cache_policy_of(e)->changed(e, slot);
        cache_stirred(e);
    }
}

#endif
