/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/cache/policy.h"

static const struct cache_policy_ops* const policies[] = {
    &cache_none,     /* BOOT_CACHE_NONE */
    &cache_wo_lru,   /* BOOT_CACHE_WO_LRU */
    &cache_rw_lru,   /* BOOT_CACHE_RW_LRU */
    &cache_rw_cflru, /* BOOT_CACHE_RW_CFLRU */
    &cache_fab,      /* BOOT_CACHE_FAB */
    &cache_bplru,    /* BOOT_CACHE_BPLRU */
};

/* With exact residents LRU is clean-first LRU with a window of one. */
const struct cache_policy_ops* cache_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    const struct cache* c = e->cache;
    if (c->policy >= count) {
        return NULL;
    }
    return policies[c->policy] == &cache_rw_lru && c->options.dirty_permille != 0
               ? &cache_rw_cflru
               : policies[c->policy];
}
