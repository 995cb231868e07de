/* SPDX-License-Identifier: Apache-2.0
 *
 * Erase counts of blocks: what wear levelling goes by, and the gauges of the drive.
 */
#ifndef SSDVP_FIRMWARE_SPACE_WEAR_H
#define SSDVP_FIRMWARE_SPACE_WEAR_H

#include "firmware/lib/env.h"

struct erase_counts { /* over good blocks */
    uint64_t min;     /* UINT64_MAX = there are none */
    uint64_t max;
    uint64_t sum;
    uint64_t square_sum;
    uint64_t blocks;
};

struct wear {
    uint32_t dynamic;                /* the free block with the fewest erases is taken first */
    uint32_t delta;                  /* spread that starts static levelling, 0 = off */
    uint32_t at_min;                 /* superblocks with the fewest erases of all */
    uint32_t least;                  /* erases of a full one, INDEX_NONE = there is none ... */
    uint64_t least_sum;              /* ... as of so many erases of all */
    struct erase_counts superblocks; /* whose planes and LUNs share a count */
    struct erase_counts map_blocks;  /* single blocks of a paged map */
};

static inline struct erase_counts erase_counts_none(void)
{
    const struct erase_counts none = {UINT64_MAX, 0, 0, 0, 0};
    return none;
}

/* So many blocks have been erased n times each. */
static inline void erase_counts_add(struct erase_counts* c, uint64_t n, uint64_t blocks)
{
    c->min = n < c->min ? n : c->min;
    c->max = n > c->max ? n : c->max;
    c->sum += n * blocks;
    c->square_sum += n * n * blocks;
    c->blocks += blocks;
}

void blocks_count_erases(struct env* e);                /* of superblocks; the gauges */
void blocks_count_erase(struct env* e, uint32_t block); /* the same after one erase of it */
uint32_t blocks_least_erases(struct env* e); /* of a full superblock, INDEX_NONE = there is none */
/* The same of single blocks of a paged map: the map counts them. */
void wear_count_map(struct env* e, const struct erase_counts* all);

#endif
