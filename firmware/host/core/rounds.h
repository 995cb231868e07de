/* SPDX-License-Identifier: Apache-2.0
 *
 * The rounds of the host's commands. Each has three parts.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_ROUNDS_H
#define SSDVP_FIRMWARE_HOST_CORE_ROUNDS_H

#include <stdbool.h>

#include "firmware/durable/state.h"
#include "firmware/host/core/arrivals.h"
#include "firmware/host/core/controller.h"
#include "firmware/map/ftl.h"
#include "firmware/ops/requests.h"

/* New commands, and completions where there are none; its line was pending. Reading CC stalls the
 * core, and the rings explain nearly every interrupt. */
static inline void hil_step(struct env* e)
{
    struct hil* h = e->hil;
    if (h->takes != 0 && front_end_has_command(e)) {
        arrivals_commands(e, false);
    } else if (!arrivals_else(e)) {
        controller_look(e);
        return;
    }
    h->cc_unchecked = 1;
}
/* Likewise what the host role passes on from a core of its own. */
static inline void hil_step_passed(struct env* e)
{
    e->hil->opened = 0;
    hil_takes_anew(e->hil);
    arrivals_passed(e);
}
/* Moves that have ended, before steps that may have waited for them. */
static inline void hil_take_done(struct env* e)
{
    if (e->host_remote == 0 && front_end_has_done(e)) {
        arrivals_done(e);
    }
}
/* Commands that are done or can go on; before the buffer has its turn, which may have to act on
 * what they did. */
void hil_resume(struct env* e);
/* After the buffer: what depends on where it stands. It matters where nothing is under way that may
 * change that, or somebody has asked. */
void hil_settle(struct env* e);
static inline bool hil_may_settle(struct env* e)
{
    const struct hil* h = e->hil;
    return !flash_at_work(e) || recovery_again(e) || ftl_may_ask_again(e) ||
           (h->deletes.count | h->shutting) != 0;
}
/* Of a copy: what tells of the last step alone (run/steps.c). Reads that wait take turns, in vain.
 */
static inline void hil_overlook(struct hil* h)
{
    h->reads_waiting.head = h->reads_waiting.tail = 0;
}

#endif
