/* SPDX-License-Identifier: Apache-2.0
 *
 * What a slot lacks of its unit, and whether it can be programmed for all that.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_FILL_H
#define SSDVP_FIRMWARE_BUFFER_FILL_H

#include "firmware/buffer/cache.h"
#include "firmware/lib/bits.h"

static inline uint64_t cache_missing(struct env* e, const struct cache_slot* s)
{
    FW_ASSERT(e, s->state != SLOT_FREE);
    return ones(e->geo->unit_sectors) & ~s->valid & ~s->landing;
}

static inline bool cache_whole(const struct env* e, const struct cache_slot* s)
{
    return s->valid == ones(e->geo->unit_sectors);
}

/* true = a dirty slot could be programmed now: whole, and at rest; what it lacks is being read. */
bool cache_ready(struct env* e, uint32_t slot);

#endif
