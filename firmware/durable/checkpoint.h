/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints, step by step; and what waits for them.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_CHECKPOINT_H
#define SSDVP_FIRMWARE_DURABLE_CHECKPOINT_H

#include <stdbool.h>

#include "firmware/durable/state.h"
#include "firmware/lib/env.h"

/* One begins, of what the map is now; its record is written; it is on the flash. */
void checkpoint_begin(struct env* e);
void checkpoint_write(struct env* e, uint32_t clean);
void checkpoint_done(struct env* e);
/* What is due of them, in a round. */
void checkpoint_step(struct env* e);
void checkpoint_hold_erases(struct env* e);
void checkpoint_write_tail(struct env* e);

/* All of the drive is unmapped at once, the buffer too, whatever it holds. false = it has to go
 * unit by unit. */
bool recovery_may_clear(const struct env* e);
/* Asked again and again: 0 = not yet, else which one it is. done: it is on the flash. stop: nobody
 * asks any more. */
uint32_t recovery_clear(struct env* e);
bool recovery_clear_done(const struct env* e, uint32_t number);
void recovery_clear_stop(struct env* e);
/* Nothing is under way that the map's end would harm. */
bool clear_ready(struct env* e);

#endif
