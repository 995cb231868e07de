/* SPDX-License-Identifier: Apache-2.0
 *
 * How much good blocks hold, and how much of it service needs: when spares are used up the drive
 * takes no writes any more.
 */
#ifndef SSDVP_FIRMWARE_SPACE_CAPACITY_H
#define SSDVP_FIRMWARE_SPACE_CAPACITY_H

#include "firmware/space/state.h"

static inline uint64_t blocks_capacity(const struct env* e)
{
    return e->blocks->capacity;
}
uint64_t blocks_needed(const struct env* e); /* units in good blocks for it to take writes */
/* A block is bad from now on: its capacity is gone, which may end write service. */
void blocks_retire(struct env* e, const struct erase_piece* piece, uint32_t why);
uint32_t blocks_spare_percent(const struct env* e); /* of the spare units that boot found */
/* Capacities and free superblocks, after the scan; free superblocks, when states were set. */
void blocks_count(struct env* e);
void blocks_count_free(struct env* e);

/* What maps and the journal need beside the user's data. */
struct map_room {
    uint64_t overhead;    /* units */
    uint32_t superblocks; /* free ones that the host leaves to them */
    uint32_t level2;      /* ... and level 1 to level 2 */
    uint32_t garbage;     /* superblocks more, for what they leave behind */
};
void blocks_make_room(struct env* e, const struct map_room* room);
/* Maps have streams of their own, as there are superblocks to spare; how many they got, or 0. */
void blocks_spare_map_stream(struct env* e);
uint32_t blocks_map_streams_spared(const struct env* e);
void blocks_assume(struct env* e, uint64_t capacity); /* without a scan: so many units are good */
static inline uint32_t blocks_reserve(const struct env* e) /* superblocks that service needs */
{
    return e->blocks->reserve;
}
static inline uint64_t blocks_overhead(const struct env* e) /* of maps: units */
{
    return e->blocks->overhead;
}

#endif
