/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/door.h"

#include "firmware/host/core/hil.h"

void hil_close(struct env* e, uint32_t why, bool on)
{
    struct hil* h = e->hil;
    const uint32_t before = h->closed;
    h->closed = on ? before | why : before & ~why;
    FW_ASSERT(e, h->closed <= (CLOSED_HEAT | CLOSED_LIMIT | CLOSED_POWER));
    if (before != 0 && h->closed == 0) {
        h->more = 1; /* commands have come that nobody took */
        run_due(e, DUE_STEPS);
    }
    if (e->host_remote != 0 && (before != 0) != (h->closed != 0)) {
        front_end_close(e, h->closed != 0);
    }
}

void hil_look_at_door(struct env* e)
{
    FW_ASSERT(e, e->hil->closed != 0);
    if ((e->hil->closed & CLOSED_POWER) != 0 && front_end_has_command(e)) {
        power_knock(e);
    }
}
