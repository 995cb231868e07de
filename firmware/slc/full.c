/* SPDX-License-Identifier: Apache-2.0
 *
 * Full: nothing leaves before the cache is full, so that data which are soon overwritten never have
 * to move, and reads of new data are fast. Then it is emptied to the mark, idle or not.
 */
#include "firmware/slc/policy.h"
#include "firmware/space/slc.h"
#include "models/regs/parts/slc.h"

static bool full_presses(struct env* e)
{
    struct slc_policy* c = e->slc_policy;
    if (!slc_room(e)) {
        c->pressing = 1;
    } else if (!slc_below(e, e->told.slc->low_permille)) {
        c->pressing = 0;
    }
    return c->pressing != 0;
}

const struct slc_policy_ops slc_full = {
    .presses = full_presses,
    .rests = full_presses,
};
