/* SPDX-License-Identifier: Apache-2.0
 *
 * The rounds of the host's commands. Each has three parts.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_ROUNDS_H
#define SSDVP_FIRMWARE_HOST_CORE_ROUNDS_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

/* Completions of moves, new commands; nvme_line = it was pending. */
void hil_step(struct env* e, bool nvme_line);
/* Commands that are done or can go on; before the buffer has its turn, which may have to act on
 * what they did. */
void hil_resume(struct env* e);
/* After the buffer: what depends on where it stands. */
void hil_settle(struct env* e);
/* Of a copy: what tells of the last step alone (run/steps.c). Reads that wait take turns, in vain.
 */
static inline void hil_overlook(struct hil* h)
{
    h->reads_waiting.head = h->reads_waiting.tail = 0;
}

#endif
