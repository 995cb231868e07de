/* SPDX-License-Identifier: Apache-2.0
 *
 * Write-only, first in, first out: as wo_lru, but a hit changes nothing.
 */
#include "firmware/buffer/policy.h"

static void fifo_size(struct env* e, uint64_t capacity, struct cache* out)
{
    cache_wo_lru.size(e, capacity, out);
}

static void fifo_touch(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->cache->slots);
}

const struct cache_policy_ops cache_wo_fifo = {
    .size = fifo_size,
    .touch = fifo_touch,
};
