/* SPDX-License-Identifier: Apache-2.0
 *
 * Erase counts of blocks: what wear levelling goes by, and the gauges of the drive.
 */
#ifndef SSDVP_FIRMWARE_SPACE_WEAR_H
#define SSDVP_FIRMWARE_SPACE_WEAR_H

#include "firmware/space/state.h"

/* Wear levelling: true = the least worn free block is taken first; spread of erases that starts the
 * static kind, 0 = off; erases so far, of superblocks and of single blocks of a map. */
bool wear_is_dynamic(const struct env* e);
uint32_t wear_delta(const struct env* e);
static inline const struct erase_counts* wear_of_superblocks(const struct env* e)
{
    return &e->blocks->wear.superblocks;
}
static inline const struct erase_counts* wear_of_map(const struct env* e)
{
    return &e->blocks->wear.map_blocks;
}

void blocks_count_erases(struct env* e);                /* of superblocks; the gauges */
void blocks_count_erase(struct env* e, uint32_t block); /* the same after one erase of it */
uint32_t blocks_least_erases(struct env* e); /* of a full superblock, INDEX_NONE = there is none */
/* The same of single blocks of a paged map: the map counts them. */
void wear_count_map(struct env* e, const struct erase_counts* all);

#endif
