/* SPDX-License-Identifier: Apache-2.0
 *
 * Log blocks, as hybrid schemes choose among them: what a scheme keeps of one, whether it takes
 * another page, which logical blocks a merge of it takes.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_LOGS_H
#define SSDVP_FIRMWARE_BLOCKS_LOGS_H

#include <stdbool.h>

#include "firmware/lib/env.h"

/* blockmap_setup.notes words of a shared block, 0 when it is opened; power-up forgets them. */
uint32_t* slot_notes(const struct env* e, uint32_t slot);
/* The page behind the last one that is taken may be programmed, and nobody empties the block. */
bool slot_open(struct env* e, uint32_t slot);
/* Logical blocks of which pages count in a shared block, each once; the list is the next caller's.
 */
uint32_t slot_lblocks(struct env* e, uint32_t slot, const uint32_t** list);
void slot_used(struct env* e, uint32_t slot); /* it is the one that was written last */
void slot_free(struct env* e, uint32_t slot); /* no block has it any more */
/* The second block becomes the home; the home, of which nothing is valid, is dropped. */
void second_promote(struct env* e, uint32_t lblock);
/* A merge is at work, which may give back a log block. */
bool logs_merging(const struct env* e);
/* A block of a role becomes one of another role, with all that counts in it: a second block one
 * that is shared, the other way round, or the home when its pages lie at their own offsets. lblock:
 * of a home or second block. There is a slot for it. */
void block_turn(struct env* e, uint32_t block, uint32_t role, uint32_t lblock);

#endif
