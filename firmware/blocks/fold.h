/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges. A fold copies the newest of each unit of a logical block to a fresh block, each to the
 * page of its own offset, and that becomes the home: nothing else of the logical block counts any
 * more. A completion copies to the second block what only the home has, and the second becomes the
 * home; with nothing to copy that is a switch. Where logical blocks make a group (groups.h) a block
 * of it is emptied: what is valid is appended to what the group writes. Several are at work at a
 * time, each of them with one read or one program, so that no read of the host waits for more than
 * one operation of a merge.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_FOLD_H
#define SSDVP_FIRMWARE_BLOCKS_FOLD_H

#include <stdbool.h>

#include "firmware/ops/flash.h"

enum fold_state {
    FOLD_IDLE = 0,
    FOLD_WAITS = 1,  /* for programs and trims of the logical block to end, for a free block */
    FOLD_COPIES = 2, /* between two operations */
    FOLD_READS = 3,
    FOLD_READY = 4, /* the page was read, and is to be programmed */
    FOLD_PROGRAMS = 5
};

enum fold_kind { FOLD_TO_FRESH = 0, FOLD_TO_SECOND = 1, FOLD_OUT = 2 };

struct fold {
    uint32_t state;  /* enum fold_state */
    uint32_t kind;   /* enum fold_kind */
    uint32_t lblock; /* logical block, group */
    uint32_t source; /* block that is emptied, INDEX_NONE */
    uint32_t target; /* block, INDEX_NONE */
    uint32_t page;   /* next offset to be looked at, or in work; page of the source */
    uint32_t to;     /* ... page of the target */
    uint32_t left;   /* pages to be programmed still */
    uint32_t copied;
    uint32_t lost;     /* 1 = what is in work cannot be read */
    uint32_t search;   /* pages of the searched block (search.h) still to come, + 1; 0 = none */
    uint32_t buffered; /* slot of the buffer that goes along, INDEX_NONE */
    uint32_t alone;    /* 1 = a merge of its own, not one of those that empty a shared block */
    uint64_t absorb;   /* the unit that may go along, FTL_NONE */
};

struct folds {
    uint32_t most; /* at a time */
    uint32_t active;
    uint64_t jobs;    /* struct fold */
    uint64_t buffers; /* a page each */
};

/* true = the logical block is being merged, or about to be. */
bool fold_busy(const struct env* e, uint32_t lblock);
/* false = as many as there may be are at work. absorb: the host's newest data of this unit go to
 * the fresh block, if they are at rest in the buffer when the fold begins; FTL_NONE = none do. */
bool fold_begin(struct env* e, uint32_t lblock, uint64_t absorb);
/* One of those that empty a shared block (empty.h), of a logical block without a fold. */
bool fold_join(struct env* e, uint32_t lblock);
bool fold_complete(struct env* e, uint32_t lblock);
/* A block of a group: INDEX_NONE = the one of which most is gained, when its turn comes. */
bool fold_out(struct env* e, uint32_t group, uint32_t block);
bool folds_idle(const struct env* e);
void folds_step(struct env* e);
void fold_read_done(struct env* e, const struct flash_result* result);
void fold_program_done(struct env* e, const struct flash_result* result);

#endif
