/* SPDX-License-Identifier: Apache-2.0
 *
 * Surviving a loss of power (C-log of Min et al., 2011). docs/SPEC.md shows what lies on the flash.
 *
 * A checkpoint puts every map page that is dirty on the flash, level by level from below, then a
 * record of where the top page is into the anchor. Its base is a program sequence: whatever was
 * programmed up to there, the maps on the flash know. Programs go on meanwhile; the pages may
 * know more than the base says, which does no harm.
 *
 * Power-up finds the newest anchor record. After a clean shutdown the maps are complete: they come
 * in when they are asked for. Otherwise the spare words of what was programmed after the base are
 * read, and applied to the maps in the order of their sequence, together with what the journal
 * says was trimmed. That this order is right is the promise of those who program: while a program
 * of a unit is under way no older version of it is submitted (buffer/cache.c, gc/program.c).
 */
#ifndef SSDVP_FIRMWARE_DURABLE_RECOVERY_H
#define SSDVP_FIRMWARE_DURABLE_RECOVERY_H

#include <stdbool.h>

#include "firmware/durable/state.h"

/* Units that map pages and the journal may fill, with what pads their write units. */
uint64_t recovery_units(const struct env* e);
int recovery_init(struct env* e, uint64_t interval); /* units programmed between checkpoints */
/* Finds out what is on the flash. 0 = the drive may serve. */
int recovery_boot(struct env* e);
void recovery_step(struct env* e);
/* The host may write no more: one more checkpoint; true = it is done. */
bool recovery_shut_down(struct env* e);
/* The host goes on after all, whether the shutdown is over or not. */
void recovery_go_on(struct env* e);

#endif
