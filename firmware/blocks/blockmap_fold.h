/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges. A fold copies the newest of each unit of a logical block to a fresh block, each to the
 * page of its own offset, and that becomes the home: nothing else of the logical block counts any
 * more. A completion copies to the second block what only the home has, and the second becomes the
 * home; with nothing to copy that is a switch. Where logical blocks make a group
 * (blockmap_groups.h) a block of it is emptied: what is valid is appended to what the group writes.
 * Several are at work at a time, each of them with one read or one program, so that no read of the
 * host waits for more than one operation of a merge.
 *
 * While one is under way nobody pins a unit of the logical block, so that what is valid of it stays
 * so, and nothing of it is programmed elsewhere. If a program fails all of it begins anew with
 * another block.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_FOLD_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_FOLD_H

#include <stdbool.h>

#include "firmware/lib/env.h"

/* true = the logical block is being merged, or about to be. */
bool fold_busy(const struct env* e, uint32_t lblock);
/* false = as many as there may be are at work. absorb: the host's newest data of this unit go to
 * the fresh block, if they are at rest in the buffer when the fold begins; FTL_NONE = none do. */
bool fold_begin(struct env* e, uint32_t lblock, uint64_t absorb);
bool fold_complete(struct env* e, uint32_t lblock);
/* A block of a group: INDEX_NONE = the one of which most is gained, when its turn comes. */
bool fold_out(struct env* e, uint32_t group, uint32_t block);
/* A shared block is emptied: all its logical blocks are folded, then it is dropped. One at a time:
 * while another is at work this does nothing. */
void fold_empty(struct env* e, uint32_t slot);
/* A merge is at work, which may give back a log block. */
bool logs_merging(const struct env* e);
bool folds_idle(const struct env* e);
void folds_step(struct env* e);

#endif
