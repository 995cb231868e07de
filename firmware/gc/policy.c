/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/gc.h"

static const struct gc_policy_ops* const policies[] = {
    &gc_greedy,       /* BOOT_GC_GREEDY */
    &gc_cost_benefit, /* BOOT_GC_COST_BENEFIT */
};

const struct gc_policy_ops* gc_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    return e->gc->policy < count ? policies[e->gc->policy] : NULL;
}
