/* SPDX-License-Identifier: Apache-2.0
 *
 * Free blocks of each plane, where planes have blocks of their own (planes.h), and which planes
 * collection has to look at.
 */
#ifndef SSDVP_FIRMWARE_SPACE_PLANE_BLOCKS_H
#define SSDVP_FIRMWARE_SPACE_PLANE_BLOCKS_H

#include "firmware/space/state.h"

/* Whether planes have blocks of their own, and how many do; free blocks of one that the host
 * leaves. */
static inline bool planes_own(const struct env* e)
{
    return e->blocks->planes.count != 0;
}
static inline uint32_t planes_count(const struct env* e)
{
    return e->blocks->planes.count;
}
static inline uint32_t planes_kept(const struct env* e)
{
    return e->blocks->planes.kept;
}
/* Per lane: free blocks; those that collection has to look at; that it is about to free one of. */
uint32_t* planes_free(struct env* e);
uint64_t* planes_work(struct env* e);
uint64_t* planes_hope(struct env* e);
void planes_count_free(struct env* e);

/* A block of the plane is free no more, or again; its data are to move. */
void planes_taken(struct env* e, uint32_t block);
void planes_freed(struct env* e, uint32_t block);
void planes_stale(struct env* e, uint32_t block);

/* The lane that a stream without lanes opens its next block in. */
uint32_t planes_roomiest(struct env* e);

#endif
