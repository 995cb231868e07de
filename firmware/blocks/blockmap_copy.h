/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of a merge (blockmap_fold.h), one after the other: each is read, unless the buffer has it
 * or nobody can, and programmed to the block that the merge fills.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_COPY_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_COPY_H

#include <stdbool.h>

#include "firmware/blocks/blockmap_state.h"
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
    uint32_t search;   /* pages of the searched block still to come, + 1; 0 = none */
    uint32_t buffered; /* slot of the buffer that goes along, INDEX_NONE */
    uint32_t alone;    /* 1 = a merge of its own, not one of those that empty a shared block */
    uint64_t absorb;   /* the unit that may go along, FTL_NONE */
};

static inline struct fold* fold_of(const struct env* e, uint32_t n)
{
    FW_ASSERT(e, n < e->blockmap->folds.most);
    return (struct fold*)env_dram_entry(e, e->blockmap->folds.jobs, n, sizeof(struct fold));
}

void folds_take_memory(struct env* e);
/* Offsets to look at, pages of the source; those that are to be programmed still: what is valid, or
 * what a completion wants. */
uint32_t fold_extent(const struct env* e, const struct fold* j);
bool fold_wants(struct env* e, const struct fold* j, uint32_t offset);
/* Finds the next page that is to be copied, and begins to read it; programs it. */
void copy_next(struct env* e, uint32_t n);
void copy_program(struct env* e, uint32_t n);
void fold_read_done(struct env* e, const struct flash_result* result);
void fold_program_done(struct env* e, const struct flash_result* result);

#endif
