/* SPDX-License-Identifier: Apache-2.0
 *
 * What the schemes of block mapping do with a unit that the buffer gives away: where it goes, and
 * which merges come first.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_PLACE_H
#define SSDVP_FIRMWARE_BLOCKS_PLACE_H

#include <stdbool.h>

#include "firmware/blocks/blockmap.h"
#include "firmware/map/ftl.h"

struct blockmap_setup {
    uint32_t spare;      /* pages of a block behind the logical block */
    uint32_t seconds;    /* second blocks at a time, as the scheme plans them */
    uint32_t shared;     /* shared blocks at a time */
    uint32_t any;        /* 1 = pages are programmed in any order: the part has to allow it */
    uint32_t informs;    /* 1 = it tells of its log blocks on the flash */
    uint32_t group;      /* blocks that make a logical block together (groups.h), 0 = one does */
    uint32_t group_most; /* update blocks of a group, of those shared */
    uint32_t logs;       /* second and shared blocks together at a time, 0 = all of them */
    uint32_t notes;      /* words that the scheme keeps of each shared block (logs.h) */
    uint32_t collects;   /* 1 = a completion takes newer pages of shared blocks along */
    uint32_t turns;      /* 1 = second blocks become shared ones */
    uint32_t searched;   /* enum searched (search.h): of a scheme without an index in memory */
};

int blockmap_init(struct env* e, const struct ftl_setup* how,
                  const struct blockmap_setup* setup); /* 0 = done */

/* Of ftl_ops: many units at a time. */
uint64_t blockmap_holes(struct env* e, uint64_t unit, uint64_t end);
uint64_t blockmap_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped);

/* What struct ftl_ops of every scheme has of the map of blocks. */
#define BLOCKMAP_OPS                                                                               \
    .layout = &blockmap_layout, .lookup = blockmap_lookup, .pin = blockmap_pin,                    \
    .unpin = blockmap_unpin, .commit = blockmap_commit, .lose = blockmap_lose,                     \
    .owner = blockmap_owner, .move = blockmap_move, .prefetch = blockmap_prefetch,                 \
    .holes = blockmap_holes, .trim_run = blockmap_trim_run

enum home_place { HOME_TAKEN = 0, HOME_PLACED = 1, HOME_NO_BLOCK = 2 };
/* At its own offset of the home, which may have to be opened first. */
enum home_place place_at_home(struct env* e, uint64_t unit, struct ftl_place* to);
/* In that page of a second or shared block. Returns true. */
bool place_in_log(struct env* e, uint64_t unit, uint32_t block, uint32_t page,
                  struct ftl_place* to);
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
/* A page that tells of the log blocks goes out to the maps' stream. */
void blockmap_inform(struct env* e);

#endif
