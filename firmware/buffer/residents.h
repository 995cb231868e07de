/* SPDX-License-Identifier: Apache-2.0
 *
 * Residents (staged.c), for a policy that has them exactly.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_RESIDENTS_H
#define SSDVP_FIRMWARE_BUFFER_RESIDENTS_H

#include "firmware/buffer/cache.h"

/* How many there are, and the slots. */
void cache_staged_size(struct env* e, uint64_t capacity, struct cache* out);
/* A resident is none any more, and is programmed if it is dirty. */
void cache_let_go(struct env* e, uint32_t slot);
/* true = it is no resident any more; a clean unit is dropped then. */
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

#endif
