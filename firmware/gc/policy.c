/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/gc/policy.h"

#define GC_POLICY_ROW(ID, id, ...) &gc_##id,
static const struct gc_policy_ops* const policies[] = {GC_POLICIES(GC_POLICY_ROW)};
#undef GC_POLICY_ROW

const struct gc_policy_ops* gc_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    return e->gc->policy < count ? policies[e->gc->policy] : NULL;
}
