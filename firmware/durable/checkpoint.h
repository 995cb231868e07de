/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints (recovery.c), for those who make one out of turn.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_CHECKPOINT_H
#define SSDVP_FIRMWARE_DURABLE_CHECKPOINT_H

#include "firmware/lib/env.h"

/* One begins, of what the map is now; its record is written. */
void checkpoint_begin(struct env* e);
void checkpoint_write(struct env* e, uint32_t clean);

#endif
