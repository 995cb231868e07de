/* SPDX-License-Identifier: Apache-2.0
 *
 * Erases beside a look-up engine (drv/lookup.h), which may still read what nothing maps any more.
 *
 * The engine counts as a reader of each superblock from when it was first enabled. A superblock
 * that waits for that reader alone is erased when the look-ups that had begun by then have ended.
 */
#ifndef SSDVP_FIRMWARE_OPS_ENGINE_H
#define SSDVP_FIRMWARE_OPS_ENGINE_H

#include "firmware/drv/lookup.h"

/* A part of each round. may: it may take reads. Returns when it has to be looked at again in any
 * case, in ns; 0 = never. */
uint64_t engine_step(struct env* e, uint64_t now, bool may);
/* Preconditioning: the engine reads nothing, so that no superblock has to wait for it. */
void engine_rests(struct env* e);

#endif
