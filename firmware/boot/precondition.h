/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of preconditioning share. Channels execute at the doorbell meanwhile, so that
 * nothing is under way between two calls.
 */
#ifndef SSDVP_FIRMWARE_BOOT_PRECONDITION_H
#define SSDVP_FIRMWARE_BOOT_PRECONDITION_H

#include "firmware/boot/fw.h"

/* Maps, merges and recovery work until nothing of theirs is left to do. */
void precondition_settle(struct env* e);
/* Every block that waits for it is erased. */
void precondition_erase(struct env* e);
/* Collects superblocks until the high mark. -1 = nothing can be freed. */
int precondition_collect(struct env* e);

/* Block and hybrid mapping (precondition_placed.c): units to where the scheme says; merges end.
 * Returns an enum flash_status. */
int precondition_placed(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer);
int precondition_placed_end(struct env* e);

#endif
