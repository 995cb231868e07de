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

/* Completions of moves, new commands; nvme_line = it was pending. */
static inline void hil_step(struct env* e, bool nvme_line)
{
    struct hil* h = e->hil;
    const bool opened = h->opened != 0;
    h->opened = 0;
    if (e->host_remote != 0) {
        arrivals_passed(e);
        return;
    }
    bool found = front_end_has_done(e);
    if (found) {
        arrivals_done(e);
    }
    if (((h->state ^ HIL_READY) | h->closed) != 0) {
        found = arrivals_refused(e, found);
    } else if (front_end_has_command(e)) {
        arrivals_commands(e, opened);
        found = true;
    }
    /* Reading CC stalls the core, and the rings explain nearly every interrupt. */
    if (nvme_line && found) {
        h->cc_unchecked = 1;
    } else if (nvme_line) {
        controller_look(e);
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
