/* SPDX-License-Identifier: Apache-2.0
 *
 * Taper: below a mark the cache takes a share of the host's writes that falls with what is free of
 * it, so that speed falls in a slope and not at once. It is folded in idle time, as with `idle`.
 */
#include "firmware/slc/policy.h"
#include "firmware/space/blocks.h"
#include "firmware/space/slc.h"
#include "models/regs/parts/slc.h"

static bool taper_presses(struct env* e)
{
    (void)e;
    return false;
}

/* Room in units, of the superblock that is being filled too: the share falls write by write. */
static uint32_t taper_share(struct env* e)
{
    const uint64_t each = (uint64_t)e->geo->luns * e->told.slc->pages * e->geo->group;
    const uint64_t room = slc_erased(e) * each + blocks_room(e, STREAM_SLC);
    const uint64_t near = slc_superblocks(e) * each * e->told.slc->taper_permille;
    return room * PERMILLE >= near ? PERMILLE : (uint32_t)(room * PERMILLE * PERMILLE / near);
}

static bool taper_rests(struct env* e)
{
    return slc_below(e, e->told.slc->goal_permille);
}

const struct slc_policy_ops slc_taper = {
    .presses = taper_presses,
    .rests = taper_rests,
    .share = taper_share,
};
