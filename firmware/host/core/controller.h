/* SPDX-License-Identifier: Apache-2.0
 *
 * The controller: how it comes up, is enabled, reset and shut down.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_CONTROLLER_H
#define SSDVP_FIRMWARE_HOST_CORE_CONTROLLER_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

/* 0 = done, -1 = memory or limits. */
int controller_init(struct env* e);
/* What the flash told of the drive. area: of the image that runs; again: it was started without a
 * loss of power. */
void controller_boot(struct env* e, uint32_t area, uint32_t again);
/* CC as the host last wrote it: enable, disable, shutdown. */
void controller_look(struct env* e);
/* The same where the rings explained the interrupt: with nothing of ours under way a reset could go
 * unseen behind the last ring entries. */
static inline void controller_look_late(struct env* e)
{
    const struct hil* h = e->hil;
    if (h->cc_unchecked != 0 && (flash_in_flight(e) == 0 || h->active == 0)) {
        controller_look(e);
    }
}
/* A reset goes on: the host sees RDY = 0 when nothing moves to or from its memory, and the right
 * image runs. */
void controller_finish_reset(struct env* e);
/* So does a shutdown. */
void controller_shut_down(struct env* e);

#endif
