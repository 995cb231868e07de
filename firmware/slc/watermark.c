/* SPDX-License-Identifier: Apache-2.0
 *
 * Watermark: below the mark writes of the host pay for the room that they take, so that the cache
 * lasts longer; in idle time all of it becomes free as with `idle`.
 */
#include "firmware/slc/policy.h"
#include "firmware/space/slc.h"
#include "models/regs/parts/slc.h"

static bool watermark_presses(struct env* e)
{
    return slc_below(e, e->told.slc->low_permille);
}

static bool watermark_rests(struct env* e)
{
    return slc_below(e, e->told.slc->goal_permille);
}

const struct slc_policy_ops slc_watermark = {
    .presses = watermark_presses,
    .rests = watermark_rests,
};
