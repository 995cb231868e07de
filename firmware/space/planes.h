/* SPDX-License-Identifier: Apache-2.0
 *
 * Planes that keep house for themselves (ftl.stripe: plane). A superblock is one block. Each lane,
 * a plane of a LUN, has its own free blocks, and an open block for each stream that writes to it.
 * What collection and wear levelling move stays in its plane.
 *
 * A plane's last free blocks are kept from the host: one for collection, whose victim may not fit
 * into the block that it has open, and the plane's share of what maps may need at once. So all that
 * is under way can always be ended, if need be in a block of another plane: collection that finds
 * none in its own (blocks fail) strays, as a unit of the host does whose plane has nothing left to
 * collect.
 */
#ifndef SSDVP_FIRMWARE_SPACE_PLANES_H
#define SSDVP_FIRMWARE_SPACE_PLANES_H

#include "firmware/space/plane_blocks.h"

void planes_init(struct env* e, bool levels_wear);
uint32_t planes_reserve(const struct env* e); /* blocks beyond the user's data that service needs */
static inline uint32_t planes_streams(const struct env* e) /* that may have a block open in each */
{
    return e->blocks->planes.streams;
}
static inline void planes_set_low(struct env* e, uint32_t free) /* with fewer one is collected */
{
    e->blocks->planes.low = free;
}
void planes_set_kept(struct env* e, uint32_t map_reserve);
/* Free blocks that a stream leaves in a plane. */
uint32_t planes_kept_from(const struct env* e, uint32_t stream);
/* true = the stream can write a page in the plane. */
bool planes_has_room(struct env* e, uint32_t stream, uint32_t lane);
/* ... and leave so many free blocks there. */
bool planes_can_take(struct env* e, uint32_t stream, uint32_t lane, uint32_t kept);
/* true = it cannot, but collection is about to free a block there. */
bool planes_waits(struct env* e, uint32_t stream, uint32_t lane);
/* Units that the stream can write there. */
uint64_t planes_room(struct env* e, uint32_t stream, uint32_t lane);
/* The plane itself, or another one when it has none: INDEX_NONE = nobody has. `kept`: free blocks
 * that are left there. */
uint32_t planes_for_moves(struct env* e, uint32_t stream, uint32_t lane, uint32_t kept);
/* A plane of the LUN that the stream can write in: they take turns. INDEX_NONE = there is none. */
uint32_t planes_next(struct env* e, uint32_t stream, uint32_t lun);
/* Takes the next page there. */
void planes_place(struct env* e, uint32_t stream, uint32_t lane, struct write_unit* out);
void planes_retired(struct env* e, uint32_t block);

/* Power-up, and tables of a record: as in lanes.h. */
bool planes_resume(struct env* e, uint32_t block, uint32_t end);
bool planes_resumed(const struct env* e, uint32_t block);
bool planes_written(struct env* e, uint32_t block, uint32_t page);
uint64_t planes_table_bytes(const struct env* e);
void planes_store(struct env* e, void* to);
void planes_load(struct env* e, const void* from);

#endif
