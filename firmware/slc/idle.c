/* SPDX-License-Identifier: Apache-2.0
 *
 * Idle: the host's writes have the drive for themselves. What does not fit passes the cache by.
 */
#include "firmware/slc/policy.h"
#include "firmware/space/slc.h"
#include "models/regs/parts/slc.h"

static bool idle_presses(struct env* e)
{
    (void)e;
    return false;
}

static bool idle_rests(struct env* e)
{
    return slc_below(e, e->told.slc->goal_permille);
}

const struct slc_policy_ops slc_idle = {
    .presses = idle_presses,
    .rests = idle_rests,
};
