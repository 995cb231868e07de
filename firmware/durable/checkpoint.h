/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints, step by step; and what waits for them.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_CHECKPOINT_H
#define SSDVP_FIRMWARE_DURABLE_CHECKPOINT_H

#include "firmware/durable/state.h"

/* One begins, of what the map is now; its record is written; it is on the flash. */
void checkpoint_begin(struct env* e);
void checkpoint_write(struct env* e, uint32_t clean);
void checkpoint_done(struct env* e);
/* What is due of them, in a round. */
void checkpoint_step(struct env* e);
void checkpoint_hold_erases(struct env* e);
void checkpoint_write_tail(struct env* e);

#endif
