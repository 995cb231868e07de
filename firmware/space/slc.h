/* SPDX-License-Identifier: Apache-2.0
 *
 * SLC cache: superblocks whose blocks are programmed, read and erased in SLC mode, with a page per
 * word line. What the host writes goes there first, as long as there is room; folding (gc/victim.c)
 * moves it to the others, and what does not fit passes the cache by. So units of the host have room
 * without the cache: nothing in it counts as capacity.
 *
 * The two pools are apart. Who takes a free superblock, how many are free, erase counts, and what
 * may be collected for its garbage are each pool's own.
 *
 * The first superblocks of the drive are in SLC mode for good (the static part). Others may take a
 * turn in it as long as they are not needed for data (the dynamic part). A superblock turns while
 * it is erased, and is not programmed before an anchor record says in which mode: so power-up knows
 * the mode of each before it has read anything of it.
 */
#ifndef SSDVP_FIRMWARE_SPACE_SLC_H
#define SSDVP_FIRMWARE_SPACE_SLC_H

#include <stdbool.h>

#include "firmware/space/state.h"

/* Flags of a superblock: it is in SLC mode; it is to turn, and counts as free in neither pool; the
 * record that is being written tells of that. */
#define BLOCK_SLC 0x10u
#define BLOCK_TURNS 0x20u
#define BLOCK_TOLD 0x40u

struct slc {
    uint32_t on;
    uint32_t fixed, dynamic;  /* superblocks of its parts, pages of a block in it: its shape, ... */
    uint32_t pages;           /* ... which whoever asks of a superblock looks at */
    uint32_t count;           /* superblocks of the static part with a good block */
    uint32_t turned;          /* ... of the dynamic part, those that are about to be in it too */
    uint32_t entering;        /* ... of these, about to be */
    uint32_t turnable;        /* others that could be turned for the cache now */
    uint32_t untold;          /* 1 = a record is wanted, for superblocks are to turn */
    uint32_t free;            /* in SLC mode, and erased */
    uint32_t leaving;         /* ... collected or being erased */
    struct erase_counts wear; /* of good blocks of the static part */
};

int slc_init(struct env* e);

static inline bool slc_on(const struct env* e)
{
    return e->slc->on != 0;
}
/* Superblocks: that the cache has or could have; of these those that are erased or could be at
 * once; ... or will be soon. */
static inline uint32_t slc_superblocks(const struct env* e)
{
    return e->slc->count + e->slc->turned + e->slc->turnable;
}
static inline uint32_t slc_erased(const struct env* e)
{
    return e->slc->free + e->slc->entering + e->slc->turnable;
}
static inline uint32_t slc_free_soon(const struct env* e)
{
    return slc_erased(e) + e->slc->leaving;
}
/* true = anything lies in it; the dynamic part could have more than it has now or could have. */
static inline bool slc_used(const struct env* e)
{
    return e->slc->free != e->slc->count + e->slc->turned;
}
static inline bool slc_lacks(const struct env* e)
{
    return e->slc->turned + e->slc->turnable < e->slc->dynamic;
}
/* Superblocks of the dynamic part; those that it may still get; erased ones, with those that turn;
 * those outside that could turn now. */
static inline uint32_t slc_turned(const struct env* e)
{
    return e->slc->turned;
}
static inline uint32_t slc_unturned(const struct env* e)
{
    return e->slc->turned < e->slc->dynamic ? e->slc->dynamic - e->slc->turned : 0;
}
static inline uint32_t slc_ahead(const struct env* e)
{
    return e->slc->free + e->slc->entering;
}
static inline void slc_set_turnable(struct env* e, uint32_t superblocks)
{
    e->slc->turnable = superblocks;
}
static inline bool slc_untold(const struct env* e) /* a record is wanted: superblocks are to turn */
{
    return e->slc->untold != 0;
}
/* Superblocks that are not of the static part. */
static inline uint32_t slc_outside(const struct env* e)
{
    return e->geo->blocks - e->slc->fixed;
}
/* true = the superblock is of the static part, or of either. */
static inline bool slc_fixed(const struct env* e, uint32_t block)
{
    return block < e->slc->fixed;
}
static inline bool slc_holds(struct env* e, uint32_t block)
{
    return e->slc->on != 0 &&
           (slc_fixed(e, block) || (superblock_of(e, e->blocks, block)->flags & BLOCK_SLC) != 0);
}

/* Pages of a block of the superblock. */
static inline uint32_t slc_pages(struct env* e, uint32_t block)
{
    return slc_holds(e, block) ? e->slc->pages : e->geo->pages;
}

/* The dynamic part. A free superblock is to turn; those that are, in the tables of a record (their
 * mode as it will be is the highest bit of the erase count), and once that is written; one has no
 * good block any more. */
#define SLC_SAVED_MODE 0x80000000u
void slc_turn(struct env* e, uint32_t block);
uint32_t slc_saved_mode(struct env* e, uint32_t block);
void slc_recorded(struct env* e);
void slc_dead(struct env* e, uint32_t block);

/* One more or fewer is free, or leaving, in the pool that the superblock is of; all of them. */
void slc_count_free(struct env* e, uint32_t block, int32_t change);
void slc_count_leaving(struct env* e, uint32_t block, int32_t change);
void slc_count_all(struct env* e);
/* Superblocks of the other pool, that are free or soon will be. */
static inline uint32_t slc_coming(const struct env* e)
{
    return e->blocks->free + e->blocks->leaving - e->slc->leaving;
}
uint64_t slc_worse_used(const struct env* e); /* P/E cycles in %, of the pool that has more */
/* Erases of the static part, after one of it or of all: the gauges. */
void slc_count_erases(struct env* e);

#endif
