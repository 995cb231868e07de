/* SPDX-License-Identifier: Apache-2.0
 *
 * A look-up engine beside the buffer: the units that a look-up in the buffer finds are marked.
 */
#include "firmware/buffer/policy.h"
#include "firmware/ops/engine.h"

uint32_t cache_marked(uint32_t policy)
{
    switch (policy) {
    case CACHE_POLICY_NONE:
        return CACHE_POLICY_NONE_MARKED;
    case CACHE_POLICY_WO_LRU:
        return CACHE_POLICY_WO_LRU_MARKED;
    default:
        return UINT32_MAX;
    }
}

void cache_mark(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->cache->slots);
    lookup_mark(e, cache_slot_of(e, e->cache, slot)->unit);
}

void cache_unmark(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->cache->slots);
    lookup_unmark(e, cache_slot_of(e, e->cache, slot)->unit);
}
