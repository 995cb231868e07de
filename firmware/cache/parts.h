/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the buffer share, and nobody else uses.
 */
#ifndef SSDVP_FIRMWARE_CACHE_PARTS_H
#define SSDVP_FIRMWARE_CACHE_PARTS_H

#include "firmware/cache/cache.h"

struct cache_arrival { /* data on their way from the host to a slot */
    uint64_t mask;
    uint32_t slot;
    uint32_t reserved;
};

/* A slot for a unit that has none, INDEX_NONE = neither a free one nor a victim. */
uint32_t cache_allocate(struct env* e, uint64_t unit, enum slot_state state);
/* The slot holds the newest data of its unit from now on. */
void cache_dirty(struct env* e, uint32_t slot);
/* Nobody finds the slot any more. */
void cache_unhash(struct env* e, uint32_t slot);
/* Frees a slot that nothing refers to any more. */
void cache_release(struct env* e, uint32_t slot);
void cache_end_waiters(struct env* e, uint32_t slot, int failed);
void cache_make_urgent(struct env* e, uint32_t slot);

/* A dirty slot is going to be programmed; it is on the flash, and its owner knows. */
void cache_programs(struct env* e, uint32_t slot);
void cache_programmed(struct env* e, uint32_t slot, int lost);
void cache_program_failed(struct env* e, uint32_t slot); /* it goes elsewhere */

/* 1 = a dirty slot could be programmed now: whole, and at rest; what it lacks is being read. */
int cache_ready(struct env* e, uint32_t slot);
int cache_over_high(const struct env* e); /* as many units are dirty as may be */
int cache_flush_waits(struct env* e);
/* placed.c: programs one unit where its scheme says. 0 = none can go now. */
int cache_evict_placed(struct env* e);

/* clean.c: a clean unit, or one that is being read, goes without being written. */
void cache_drop(struct env* e, uint32_t slot);
int cache_drop_victim(struct env* e); /* 0 = there is none */

static inline void cache_changed(struct env* e, uint32_t slot)
{
    if (e->cache->keeps != 0) {
        cache_policy_of(e)->changed(e, slot);
    }
}

#endif
