/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/slc/policy.h"

#define SLC_POLICY_ROW(ID, id, ...) &slc_##id,
static const struct slc_policy_ops* const policies[] = {SLC_POLICIES(SLC_POLICY_ROW)};
#undef SLC_POLICY_ROW

const struct slc_policy_ops* slc_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    const uint32_t policy = e->slc->setup.policy;
    return policy < count ? policies[policy] : NULL;
}
