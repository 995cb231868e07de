/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/slc/policy.h"

#include "firmware/lib/telemetry.h"
#include "firmware/ops/flash.h"
#include "firmware/space/blocks.h"
#include "firmware/space/slc.h"

#define SLC_POLICY_ROW(ID, id, ...) &slc_##id,
static const struct slc_policy_ops* const policies[] = {SLC_POLICIES(SLC_POLICY_ROW)};
#undef SLC_POLICY_ROW

const struct slc_policy_ops* slc_policy_of(const struct env* e)
{
    const uint32_t count = sizeof policies / sizeof policies[0];
    const uint32_t policy = slc_setup(e)->policy;
    return policy < count ? policies[policy] : NULL;
}

uint32_t slc_route(struct env* e)
{
    return slc_on(e) && e->slc_policy->owed >= 0 && blocks_next_units(e, STREAM_SLC) != 0
               ? (uint32_t)STREAM_SLC
               : (uint32_t)STREAM_HOST;
}

/* Its share of these units is what the cache is owed, less those that it got. More than what can be
 * under way it is never owed: then it has no room at times, and cannot make up for that. */
static void settle(struct env* e, bool got, uint32_t share, uint32_t units)
{
    struct slc_policy* c = e->slc_policy;
    const int32_t most = (int32_t)(flash_most(e, OWNER_PROGRAM) * e->geo->group * PERMILLE);
    FW_ASSERT(e, share <= PERMILLE);
    c->owed += got ? -(int32_t)((PERMILLE - share) * units) : (int32_t)(share * units);
    c->owed = c->owed < most ? c->owed : most;
    e->telemetry->slc.tapered += !got && share != 0 ? units : 0;
}

void slc_wrote(struct env* e, uint32_t block, uint32_t units)
{
    const struct slc_policy_ops* policy = slc_policy_of(e);
    struct telemetry_slc* s = &e->telemetry->slc;
    const bool got = slc_holds(e, block);
    FW_ASSERT(e, units <= GROUP_MAX);
    s->hits += got ? units : 0;
    s->bypassed += got ? 0 : units;
    if (policy->share != NULL) {
        settle(e, got, policy->share(e), units);
    }
}
