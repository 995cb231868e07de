/* SPDX-License-Identifier: Apache-2.0
 *
 * Block mapping: units of the host make logical blocks, and of a unit its offset in the logical
 * block is known, so that only blocks are mapped. A superblock is one erase block here and a unit
 * one page. What the schemes msbs, fmax, lm, bast and fast share:
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
 * pages.c: which pages are taken, where units lie. logs.c: blocks by their role. place.c, fold.c:
 * writes, merges. image.c: all of it in pages of the map, at checkpoints. found.c: power-up.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_H

#include <stdbool.h>

#include "firmware/blocks/fold.h"
#include "firmware/blocks/groups.h"
#include "firmware/lib/list.h"
#include "firmware/space/blocks.h"
#include "firmware/space/blocks_single.h"

struct logical_block {
    uint32_t home;   /* block + 1, 0 = none */
    uint32_t second; /* likewise */
    uint16_t live;   /* units that have data */
    uint16_t pins;   /* programs of its units under way, and trims */
};

struct block_slot {  /* a second or shared block, and what is known of its pages */
    uint32_t block;  /* INDEX_NONE = none */
    uint32_t lblock; /* whose second block it is, INDEX_NONE = it is shared */
    uint32_t used;   /* slot_uses of the block map when it was written last */
    uint16_t fill;   /* no page from it on is taken */
    uint8_t mark;    /* the scheme's own */
    uint8_t changed; /* 1 = other pages of a shared block count than when the scheme looked */
};

struct log_list { /* slots that are used, in order, and free ones */
    struct chain used;
    struct chain free;
    uint32_t count; /* of those used */
};

struct blockmap {
    uint32_t pages;   /* of a block */
    uint32_t span;    /* units of a logical block */
    uint32_t spare;   /* pages of a block behind it */
    uint32_t lblocks; /* logical blocks */
    uint32_t seconds; /* slots of second blocks: the first ones. More than planned, for power-up */
    uint32_t shared;  /* slots of shared blocks, behind them; likewise */
    uint32_t planned; /* blocks that the scheme may fill at a time, with merges' targets */
    uint32_t loading; /* 1 = power-up */
    uint32_t looked;  /* ... 1 = all pages that may be new have been looked at */
    uint32_t bucket_bits;
    uint32_t victim;           /* slot of the shared block that is being emptied, INDEX_NONE */
    uint32_t scan;             /* next page of it */
    uint32_t victim_lblocks;   /* logical blocks merged for it */
    uint32_t set;              /* of image pages: the one that the newest record is of */
    uint32_t next_set;         /* ... the one that the checkpoint under way writes */
    uint64_t map;              /* struct logical_block */
    uint64_t taken;            /* a bit per page */
    uint64_t lost;             /* ... that holds a lost unit */
    uint64_t seen;             /* power-up: a bit per page that is not erased */
    uint64_t slots;            /* struct block_slot */
    uint64_t links;            /* struct link per slot */
    uint64_t offsets;          /* uint16_t per page of a second block: offset + 1, 0 = nothing */
    uint64_t spares;           /* uint16_t per spare page of each block: likewise */
    uint64_t units;            /* uint32_t per page of a shared block: unit + 1, 0 = nothing */
    uint64_t next;             /* uint32_t per page of a shared block: in its bucket, + 1 */
    uint64_t buckets;          /* uint32_t */
    uint64_t info;             /* a unit: what is told of log blocks, 0 = nothing is */
    uint32_t informs;          /* such pages that have to go out still */
    uint32_t collects;         /* 1 = a completion takes newer pages of shared blocks along */
    uint64_t renewed;          /* fast: unit + 1 that opens a sequential log block, 0 = none does */
    uint64_t image_bytes;      /* of a set */
    uint64_t image_pages;      /* of a set */
    uint32_t notes;            /* words per shared block */
    uint32_t turns;            /* 1 = second blocks become shared ones */
    uint32_t searched;         /* enum searched (search.h) */
    uint32_t slot_uses;        /* writes to second and shared blocks since boot, modulo 2^32 */
    uint64_t noted;            /* uint32_t, so many per shared block, and a list of pages */
    struct log_list second;    /* least recently written first */
    struct log_list shared_in; /* oldest first */
    struct folds folds;
    struct groups groups;
};

static inline struct logical_block* lblock_at(const struct env* e, uint64_t lblock)
{
    FW_ASSERT(e, lblock < e->blockmap->lblocks);
    struct logical_block* at = (struct logical_block*)env_dram(e, e->blockmap->map) + lblock;
    env_touch(e, at, sizeof *at, false);
    return at;
}

static inline struct block_slot* slot_at(const struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->blockmap->seconds + e->blockmap->shared);
    struct block_slot* at = (struct block_slot*)env_dram(e, e->blockmap->slots) + slot;
    env_touch(e, at, sizeof *at, false);
    return at;
}

static inline uint32_t unit_lblock(const struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return (uint32_t)(unit / e->blockmap->span);
}

static inline uint32_t unit_offset(const struct env* e, uint64_t unit)
{
    return (uint32_t)(unit % e->blockmap->span);
}

/* Addresses of units are numbers of pages here. */
static inline uint64_t page_address(const struct env* e, uint32_t block, uint32_t page)
{
    FW_ASSERT(e, page < e->geo->pages);
    return (uint64_t)block * e->geo->pages + page;
}

/* ---- Sizes (blockmap.c) ---- */

/* Units that data, logs and merges may fill beside those of the user. */
uint64_t blockmap_overhead(const struct env* e);

/* ---- Pages and units (pages.c) ---- */

bool page_taken(const struct env* e, uint32_t block, uint32_t page);
/* A page that is taken has that unit, which may be valid there; it is going to be programmed. */
void page_name(struct env* e, uint32_t block, uint32_t page, uint64_t unit);
void page_take(struct env* e, uint32_t block, uint32_t page, uint64_t unit);
/* First page in [from, end) that may be programmed, INDEX_NONE = none; a block that failed has
 * none. */
uint32_t page_free(struct env* e, uint32_t block, uint32_t from, uint32_t end);
/* The same of the pages behind a home's logical block. */
uint32_t spare_free(struct env* e, uint32_t block);
/* The unit that was programmed to a page, or is being, FTL_NONE; whether it is valid there. */
uint64_t page_unit(struct env* e, uint32_t block, uint32_t page);
bool page_valid(const struct env* e, uint32_t block, uint32_t page);
uint32_t pages_in_order(struct env* e, uint32_t block); /* from 0 on, at their own offsets */
/* Power-up: what is said of the page counts. */
void page_restore(struct env* e, uint32_t block, uint32_t page, uint32_t lost);
uint64_t unit_find(struct env* e, uint64_t unit); /* the newest data, FTL_NONE */
/* The unit's newest data are in the page, lost or not; what was before is garbage. */
void unit_settle(struct env* e, uint64_t unit, uint64_t address, uint32_t lost);
/* The unit is nowhere any more. true = it was somewhere. */
bool unit_leave(struct env* e, uint64_t unit);
/* Units from this one on, of its logical block, that lie side by side, none lost; they leave. */
uint32_t units_in_order(struct env* e, uint64_t unit, uint32_t most);
void units_leave(struct env* e, uint64_t unit, uint32_t count);

/* Nothing is left of the logical block, nor on its way: it needs no blocks. */
bool lblock_idle(const struct env* e, uint32_t lblock);

/* Of ftl_ops, the same for all of these schemes. */
uint64_t blockmap_lookup(struct env* e, uint64_t unit);
bool blockmap_pin(struct env* e, uint64_t unit);
void blockmap_unpin(struct env* e, uint64_t unit);
void blockmap_commit(struct env* e, uint64_t unit, uint64_t address);
void blockmap_lose(struct env* e, uint64_t unit);
bool blockmap_trim(struct env* e, uint64_t unit);
uint64_t blockmap_owner(struct env* e, uint64_t address);
bool blockmap_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to);
void blockmap_prefetch(struct env* e, uint64_t unit);

/* ---- Blocks by role (logs.c) ---- */

/* A fresh block of a role (blocks_single.h); lblock: of a home or second block. INDEX_NONE = there
 * is none to be had now, or no slot for it. */
uint32_t block_open(struct env* e, uint32_t role, uint32_t lblock);
/* A block that is in use already becomes one of that role: power-up. */
void block_adopt(struct env* e, uint32_t block, uint32_t role, uint32_t lblock);
/* Nothing in it is valid: it is erased, as soon as nobody reads it. */
void block_drop(struct env* e, uint32_t block);
/* The same without the erase: as if it had been; what is taken and named stays so. */
void block_forget(struct env* e, uint32_t block);
void block_unlink(struct env* e, uint32_t block);
/* Block and slot of a logical block's second, INDEX_NONE. */
uint32_t second_of(const struct env* e, uint32_t lblock);
uint32_t home_of(const struct env* e, uint32_t lblock);
uint32_t slot_of(struct env* e, uint32_t block); /* of a second or shared block */

/* ---- For the main loop, the buffer, collection ---- */

void blockmap_step(struct env* e);
/* A superblock that is due to move holds data of ours: it will. false = collection's own. */
bool blockmap_moves(struct env* e, uint32_t block);
/* Of all schemes that place pages (layout.c). */
extern const struct ftl_layout blockmap_layout;
/* A merge of so many logical blocks for one log block ended. */
void blockmap_merged(struct env* e, uint32_t lblocks);

#endif
