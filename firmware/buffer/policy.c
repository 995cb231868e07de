/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/buffer/policy.h"

#define CACHE_POLICY_ROW(ID, id, ...) &cache_##id,
static const struct cache_policy_ops* const policies[] = {
    CACHE_POLICIES(CACHE_POLICY_ROW) & cache_none_marked, &cache_wo_lru_marked};
#undef CACHE_POLICY_ROW

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
