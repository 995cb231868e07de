/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/cache/cache.h"

static const struct cache_policy_ops* const policies[] = {
    &cache_none,   /* BOOT_CACHE_NONE */
    &cache_wo_lru, /* BOOT_CACHE_WO_LRU */
    &cache_rw_lru, /* BOOT_CACHE_RW_LRU */
};

const struct cache_policy_ops* cache_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    return e->cache->policy < count ? policies[e->cache->policy] : NULL;
}
