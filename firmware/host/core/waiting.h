/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for what; and when nothing goes on any more: commands that wait end with an error.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_WAITING_H
#define SSDVP_FIRMWARE_HOST_CORE_WAITING_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

/* Commands wait for something, or a shutdown is under way: 0 = none. asks: the same without those
 * that wait for a slot of the buffer or the end of a program, which are announced. */
uint32_t hil_waiting(struct env* e);
uint32_t hil_asks(struct env* e);

/* Somebody waits for what completions bring: those of quiet moves matter before anything else. Who
 * begins to wait, and the steps, say so in `waits`. */
bool hil_lacks_completions(struct env* e);
static inline void hil_may_wait(struct env* e)
{
    e->hil->waits = 1;
}
static inline bool hil_wants_quiet(struct env* e)
{
    struct hil* h = e->hil;
#ifdef SSDVP_FW_POISON
    FW_ASSERT(e, h->waits != 0 || !hil_lacks_completions(e));
#endif
    if (h->waits != 0) {
        h->waits = hil_lacks_completions(e) ? 1 : 0;
    }
    return h->waits != 0;
}

bool hil_has_commands(const struct env* e);   /* that somebody waits for */
bool hil_is_busy(struct env* e);              /* that, or something waits */
bool hil_awaits_program(const struct env* e); /* somebody does, and not reads alone */
bool hil_goes_on(const struct env* e);        /* work is left over for the next round */

/* true = what waits to be written has no room, or waits for a map or a checkpoint that has none. */
bool hil_lacks_room(struct env* e);
/* Nothing can be written and collection can free nothing more: whoever waits waits in vain. */
void hil_fail_writes(struct env* e);
/* All that the map has in memory has to be written before it leaves, nothing ever is, and whoever
 * was refused has asked again: the drive would say nothing for ever. */
bool hil_is_barren(struct env* e);

#endif
