/* SPDX-License-Identifier: Apache-2.0
 *
 * What a slot lacks of its unit, and whether it can be read or programmed for all that.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_FILL_H
#define SSDVP_FIRMWARE_BUFFER_FILL_H

#include "firmware/buffer/state.h"
#include "firmware/lib/bits.h"
#include "firmware/ops/flash.h"

static inline uint64_t cache_missing(struct env* e, const struct cache_slot* s)
{
    FW_ASSERT(e, s->state != SLOT_FREE);
    return e->geo->unit_mask & ~s->valid & ~s->landing;
}

static inline bool cache_whole(const struct env* e, const struct cache_slot* s)
{
    return s->valid == e->geo->unit_mask;
}

/* Starts reading what is missing; true = a sector of mask is gone for good; zeroes sectors. */
void cache_fill(struct env* e, uint32_t slot);
bool cache_lost(struct env* e, uint32_t slot, uint64_t mask);
void cache_zero(struct env* e, uint32_t slot, uint64_t mask);
/* true = a dirty slot could be programmed now: whole, and at rest; what it lacks is being read. */
bool cache_filled(struct env* e, uint32_t slot);
static inline bool cache_ready(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (s->state != SLOT_DIRTY || s->picked != 0 || s->incoming != 0 || s->older != INDEX_NONE) {
        return false;
    }
    return (cache_whole(e, s) && (s->flags & SLOT_FILLING) == 0) || cache_filled(e, slot);
}
void cache_fill_done(struct env* e, const struct flash_result* result);

#endif
