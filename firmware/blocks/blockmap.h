/* SPDX-License-Identifier: Apache-2.0
 *
 * Block mapping: units of the host make logical blocks, and of a unit its offset in the logical
 * block is known, so that only blocks are mapped. A superblock is one erase block here and a unit
 * one page. What the schemes msbs, fmax, lm, bast, fast, superblock, kast, last and sast share:
 *
 *   home     the data block of a logical block: unit n of it in page n, or nowhere in it
 *   second   one more block of the same logical block: a replacement, moving or log block
 *   shared   a log block of any logical blocks
 *   copy     the block that a merge writes: nothing of it counts before its last page is programmed
 *
 * Of the copies of a unit one is valid, and the valid bits of pages tell which. A page can be
 * programmed once between two erases; those that were, well or not, are taken. Pages of second
 * blocks have an offset in memory, those of shared blocks a unit and a place in a hash. With
 * spare pages in each block (msbs) a logical block is smaller than a block, and the pages behind it
 * have an offset in memory, too.
 *
 * From below: blockmap_state.h has all of that; blockmap_pages.c which pages are taken, where units
 * lie; blockmap_groups.c superblocks of the scheme superblock; blockmap_logs.c blocks by their
 * role; blockmap_fold.c merges, blockmap_copy.c their pages; blockmap_image.c all of it in pages of
 * the map, at checkpoints; blockmap_found.c what power-up finds; blockmap.c what a scheme has of
 * it; blockmap_layout.c main loop, checkpoints, power-up.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_H

#include <stdbool.h>

#include "firmware/blocks/blockmap_state.h"
#include "firmware/blocks/logical.h"
#include "firmware/map/ftl.h"

struct blockmap_setup {
    uint32_t spare;      /* pages of a block behind the logical block */
    uint32_t seconds;    /* second blocks at a time, as the scheme plans them */
    uint32_t shared;     /* shared blocks at a time */
    uint32_t any;        /* 1 = pages are programmed in any order: the part has to allow it */
    uint32_t informs;    /* 1 = it tells of its log blocks on the flash */
    uint32_t group;      /* blocks that make a logical block together, 0 = one does */
    uint32_t group_most; /* update blocks of a group, of those shared */
    uint32_t logs;       /* second and shared blocks together at a time, 0 = all of them */
    uint32_t notes;      /* words that the scheme keeps of each shared block (blockmap_logs.h) */
    uint32_t collects;   /* 1 = a completion takes newer pages of shared blocks along */
    uint32_t turns;      /* 1 = second blocks become shared ones */
    uint32_t searched;   /* enum searched: of a scheme without an index in memory */
};

int blockmap_init(struct env* e, const struct blockmap_setup* setup); /* 0 = done */

/* A page that tells of the log blocks goes out to the maps' stream. */
void blockmap_inform(struct env* e);

/* ---- Where a unit that the buffer gives away goes, and which merges come first ---- */

enum home_place { HOME_TAKEN = 0, HOME_PLACED = 1, HOME_NO_BLOCK = 2 };
/* At its own offset of the home, which may have to be opened first. */
enum home_place place_at_home(struct env* e, uint64_t unit, struct ftl_place* to);
/* In that page of a second or shared block. Returns true. */
bool place_in_log(struct env* e, uint64_t unit, uint32_t block, uint32_t page,
                  struct ftl_place* to);
/* In the next page of the log block that has the slot. */
bool place_next(struct env* e, uint64_t unit, uint32_t slot, struct ftl_place* to);
enum second_place { SECOND_LATER = 0, SECOND_PLACED = 1, SECOND_FULL = 2 };
/* At its own offset of its logical block's second block, which is opened where fewer than `most`
 * are; FULL = as many are. LATER: a merge frees its page, or there is no block for it now. */
enum second_place place_at_offset(struct env* e, uint64_t unit, uint32_t most,
                                  struct ftl_place* to);
/* The logical block of the second block that was written least recently and that no merge has,
 * INDEX_NONE. */
uint32_t oldest_second(struct env* e);
/* Merges the second block: by what is in it, if it is in order, else to a fresh block. partial: it
 * may lack some at the end. false = as many merges as there may be are at work. */
bool merge_second(struct env* e, uint32_t lblock, uint32_t partial);
/* Merges all of the log block that has the slot. */
void merge_log(struct env* e, uint32_t slot);
/* Nothing is left of the logical block, nor on its way: it needs no blocks. */
bool lblock_idle(const struct env* e, uint32_t lblock);

/* ---- Of ftl_ops ---- */

extern const struct ftl_layout blockmap_layout; /* blockmap_layout.c */
uint64_t blockmap_lookup(struct env* e, uint64_t unit);
bool blockmap_pin(struct env* e, uint64_t unit);
void blockmap_unpin(struct env* e, uint64_t unit);
void blockmap_commit(struct env* e, uint64_t unit, uint64_t address);
void blockmap_lose(struct env* e, uint64_t unit);
uint64_t blockmap_holes(struct env* e, uint64_t unit, uint64_t end);
uint64_t blockmap_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped);
/* The same for all of these schemes. */
#define BLOCKMAP_OPS                                                                               \
    .layout = &blockmap_layout, .lookup = blockmap_lookup, .pin = blockmap_pin,                    \
    .unpin = blockmap_unpin, .commit = blockmap_commit, .lose = blockmap_lose,                     \
    .owner = logical_owner, .move = logical_move, .prefetch = logical_prefetch,                    \
    .holes = blockmap_holes, .trim_run = blockmap_trim_run

bool blockmap_trim(struct env* e, uint64_t unit);
/* ftl_ops.scan: the next page below `from` that is looked into for the unit in vain. */
uint32_t blockmap_scan(struct env* e, uint64_t unit, uint32_t from, uint32_t* block);

#endif
