/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the buffer share, and nobody else uses.
 */
#ifndef SSDVP_FIRMWARE_CACHE_PARTS_H
#define SSDVP_FIRMWARE_CACHE_PARTS_H

#include <stdbool.h>

#include "firmware/cache/merged.h"
#include "firmware/cache/policy.h"
#include "firmware/flash/blocks.h"
#include "firmware/lib/stats.h"

struct cache_arrival { /* data on their way from the host to a slot */
    uint64_t mask;
    uint32_t slot;
    uint32_t reserved;
};

/* Slots that a capacity gives, and how many of them so many LUNs can program at once; as many of so
 * many slots as may be dirty (wo_lru.c). */
uint32_t cache_spare(struct env* e, uint64_t capacity, uint32_t luns, struct cache* out);
uint32_t cache_dirty_most(struct env* e, uint32_t slots);
struct gather { /* of a write unit, in its order; INDEX_NONE = padding */
    uint32_t slot[GROUP_MAX];
    uint32_t count;
    uint32_t room;
    uint32_t stream; /* of the host, all of it: 0 = those without a directive */
    int shallow;     /* how they are programmed */
    int mixed;       /* 1 = those that could be shallow take others along, and are deep */
};

/* Whether a dirty slot can be programmed now; starts what it lacks. If so its unit is pinned. */
bool cache_eligible(struct env* e, uint32_t slot);
bool cache_shallow(struct env* e, uint32_t slot); /* it is to be programmed shallow (retention.h) */
/* directed.c: the host's stream that a slot's data belong to, 0 = none; the one that is written
 * next. alone: none has a whole write unit, and waiting would bring none. */
static inline uint32_t cache_stream_of(const struct cache_slot* s)
{
    return s->streams >> CACHE_DIRECTED_SHIFT;
}
uint32_t cache_walk_most(const struct env* e); /* slots that are looked at for a write unit */
uint32_t cache_choose_stream(struct env* e, bool flushing, bool* alone);
/* Submits a write unit of eligible slots. */
void cache_start_program(struct env* e, const struct gather* g, const struct write_unit* w);
/* true = the map will not hold more pins than those `count` at a time: they go as they are. */
bool cache_goes_short(struct env* e, uint32_t count);
/* gather_lanes.c: programs one write unit of a bin. false = none can go now. */
bool cache_evict_lanes(struct env* e);

/* A slot for a unit that has none, INDEX_NONE = neither a free one nor a victim. */
uint32_t cache_allocate(struct env* e, uint64_t unit, enum slot_state state);
/* The slot holds the newest data of its unit from now on. */
void cache_dirty(struct env* e, uint32_t slot);
/* Nobody finds the slot any more. */
void cache_unhash(struct env* e, uint32_t slot);
/* Frees a slot that nothing refers to any more. */
void cache_release(struct env* e, uint32_t slot);
/* A dirty slot joins the order in which slots leave, at its end or begin, or is in it no more. */
void cache_order_add(struct env* e, uint32_t slot, bool first);
void cache_order_remove(struct env* e, uint32_t slot);
/* A dirty slot is gone, with its data. */
void cache_discard(struct env* e, uint32_t slot);
void cache_end_waiters(struct env* e, uint32_t slot, int failed);
void cache_make_urgent(struct env* e, uint32_t slot);

/* A dirty slot is going to be programmed; it is on the flash, and its owner knows. */
void cache_programs(struct env* e, uint32_t slot);
void cache_programmed(struct env* e, uint32_t slot, int lost);
void cache_program_failed(struct env* e, uint32_t slot); /* it goes elsewhere */

/* true = a dirty slot could be programmed now: whole, and at rest; what it lacks is being read. */
bool cache_ready(struct env* e, uint32_t slot);
bool cache_over_high(const struct env* e); /* as many units are dirty as may be */
bool cache_flush_waits(struct env* e);
/* placed.c: programs one unit where its scheme says. false = none can go now. */
bool cache_evict_placed(struct env* e);

/* clean.c: a clean unit, or one that is being read, goes without being written. */
void cache_drop(struct env* e, uint32_t slot);
bool cache_drop_victim(struct env* e); /* false = there is none */
/* The slot is, or is not, among the clean units that leave first. */
void cache_set_victim(struct env* e, uint32_t slot, int victim);

/* staged.c: residents, for a policy that has them exactly. size: how many there are, and the slots.
 * let_go: a resident is none any more, and is programmed if it is dirty. pads: as resident or not,
 * a clean unit that has been let go is dropped; returns 1 if so. */
void cache_staged_size(struct env* e, uint64_t capacity, struct cache* out);
void cache_let_go(struct env* e, uint32_t slot);
bool cache_left(struct env* e, uint32_t slot);
bool cache_over_limit(const struct env* e); /* more residents are dirty than may be, or all rests */

static inline struct cache_member* cache_member_of(struct env* e, uint32_t slot)
{
    return (struct cache_member*)env_dram(e, e->cache->staged.members) + slot;
}

static inline bool cache_leaving(struct env* e, uint32_t slot)
{
    return e->cache->staged.on != 0 && (cache_member_of(e, slot)->flags & MEMBER_LEAVING) != 0;
}

static inline bool cache_is_pad(struct env* e, uint32_t slot)
{
    return e->cache->staged.on != 0 && (cache_member_of(e, slot)->flags & MEMBER_PAD) != 0;
}

static inline void cache_changed(struct env* e, uint32_t slot)
{
    if (cache_policy_of(e)->changed != NULL) {
        cache_policy_of(e)->changed(e, slot);
    }
}

/* Nobody has read what was read ahead. */
static inline void cache_ahead_ends(struct env* e, uint32_t slot)
{
    uint8_t* ahead = e->cache->ahead != 0 ? env_dram(e, e->cache->ahead) : NULL;
    if (ahead != NULL && ahead[slot] != 0) {
        ahead[slot] = 0;
        ++e->stats->cache_ahead_wasted;
    }
}

#endif
