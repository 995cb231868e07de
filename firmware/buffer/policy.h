/* SPDX-License-Identifier: Apache-2.0
 *
 * What a policy of the buffer is. It decides how many slots there are, who of them leaves first,
 * and whether units stay that are on the flash too.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_POLICY_H
#define SSDVP_FIRMWARE_BUFFER_POLICY_H

#include "firmware/buffer/state.h"
#include "models/regs/choices/cache_policy.h"

struct cache_policy_ops {
    uint32_t write_through; /* 1 = a write completes on the flash, not in the buffer */
    uint32_t keeps;         /* 1 = clean units stay, and reads allocate */
    uint32_t blind;         /* 1 = what is read does not count as used */
    /* Slots for a capacity in bytes, and how many may stay dirty. */
    void (*size)(struct env* e, uint64_t capacity, struct cache* out);
    void (*touch)(struct env* e, uint32_t slot); /* a hit, by read or write */
    /* Where the policy looks at more than dirty units, else NULL: a unit came, is leaving, changed
     * its state. */
    void (*enter)(struct env* e, uint32_t slot);
    void (*leave)(struct env* e, uint32_t slot);
    void (*changed)(struct env* e, uint32_t slot);
    /* Memory of the policy's own, and what it does before each eviction; or NULL. */
    void (*init)(struct env* e);
    void (*step)(struct env* e);
};

#define CACHE_POLICY_OPS(ID, id, ...) extern const struct cache_policy_ops cache_##id;
CACHE_POLICIES(CACHE_POLICY_OPS)
#undef CACHE_POLICY_OPS

/* Behind those that can be chosen: the same beside a look-up engine, which learns what is in the
 * buffer. */
#define CACHE_POLICY_ONE(...) +1
enum { CACHE_POLICY_NONE_MARKED = 0 CACHE_POLICIES(CACHE_POLICY_ONE), CACHE_POLICY_WO_LRU_MARKED };
#undef CACHE_POLICY_ONE
extern const struct cache_policy_ops cache_none_marked, cache_wo_lru_marked;
/* The policy beside an engine; others than none and wo_lru have none. */
uint32_t cache_marked(uint32_t policy);
void cache_mark(struct env* e, uint32_t slot);
void cache_unmark(struct env* e, uint32_t slot);

extern const struct cache_policy_ops* const cache_policies[];
static inline const struct cache_policy_ops* cache_policy_of(const struct env* e)
{
    return cache_policies[e->cache->policy];
}

/* Places of the part that may have a write unit of the host each at the same time: LUNs, or planes
 * where each has blocks of its own. */
uint32_t cache_writers(const struct env* e);
/* Slots that a capacity gives, and how many of them so many LUNs can program at once. */
uint32_t cache_spare(struct env* e, uint64_t capacity, uint32_t luns, struct cache* out);
/* As many of so many slots as may be dirty. */
uint32_t cache_dirty_most(struct env* e, uint32_t slots);

#endif
