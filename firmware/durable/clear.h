/* SPDX-License-Identifier: Apache-2.0
 *
 * All of the drive is unmapped at once, the buffer too, whatever it holds.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_CLEAR_H
#define SSDVP_FIRMWARE_DURABLE_CLEAR_H

#include <stdbool.h>

#include "firmware/lib/env.h"

/* false = it has to go unit by unit. */
bool recovery_may_clear(const struct env* e);
/* Asked again and again: 0 = not yet, else which one it is. done: it is on the flash. stop: nobody
 * asks any more. */
uint32_t recovery_clear(struct env* e);
bool recovery_clear_done(const struct env* e, uint32_t number);
void recovery_clear_stop(struct env* e);
/* Nothing is under way that the map's end would harm. */
bool clear_ready(struct env* e);

#endif
