/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the block map, and its smallest questions: see blockmap.h. For this folder, and for the
 * struct that has the state of all parts.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_STATE_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_STATE_H

#include <stdbool.h>

#include "firmware/blocks/blockmap_groups.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/list.h"

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

/* Which pages tell only on the flash what they hold. */
enum searched { SEARCHED_NONE = 0, SEARCHED_SPARES = 1, SEARCHED_SECOND = 2 };

struct folds {
    uint32_t most; /* at a time */
    uint32_t active;
    uint64_t jobs;    /* struct fold (blockmap_copy.h) */
    uint64_t buffers; /* a page each */
};

struct blockmap {
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
    uint64_t image_bytes;      /* of a set */
    uint64_t image_pages;      /* of a set */
    uint32_t notes;            /* words per shared block */
    uint32_t turns;            /* 1 = second blocks become shared ones */
    uint32_t searched;         /* enum searched */
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
    struct logical_block* at = (struct logical_block*)env_dram_entry(e, e->blockmap->map, lblock,
                                                                     sizeof(struct logical_block));
    env_touch(e, at, sizeof *at, false);
    return at;
}

static inline struct block_slot* slot_at(const struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->blockmap->seconds + e->blockmap->shared);
    struct block_slot* at =
        (struct block_slot*)env_dram_entry(e, e->blockmap->slots, slot, sizeof(struct block_slot));
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

/* Blocks of a logical block, INDEX_NONE. */
static inline uint32_t home_of(const struct env* e, uint32_t lblock)
{
    return lblock_at(e, lblock)->home - 1; /* 0 becomes INDEX_NONE */
}

static inline uint32_t second_of(const struct env* e, uint32_t lblock)
{
    return lblock_at(e, lblock)->second - 1;
}

#endif
