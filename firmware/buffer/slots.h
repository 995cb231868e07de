/* SPDX-License-Identifier: Apache-2.0
 *
 * Slots of the buffer, for its other parts: how they come, go, and stand in order.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_SLOTS_H
#define SSDVP_FIRMWARE_BUFFER_SLOTS_H

#include "firmware/buffer/policy.h"
#include "firmware/lib/run.h"

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
void cache_make_urgent(struct env* e, uint32_t slot);

/* There is a slot, or what was on its way is in one: who waits for that tries again. */
static inline void cache_announce(struct env* e)
{
    if (e->cache->wanted != 0) {
        e->cache->wanted = 0;
        run_due(e, DUE_STEPS);
    }
}

static inline void cache_changed(struct env* e, uint32_t slot)
{
    if (cache_policy_of(e)->changed != NULL) {
        cache_policy_of(e)->changed(e, slot);
    }
}

#endif
