/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments of a map that is paged like virtual memory (H.-S. Lee, 2022). A segment is as many map
 * pages as fill an erase block, and lies in one, its map block, which belongs to no superblock.
 * Memory has slots for some of the segments; the one that was not used for the longest time leaves.
 * A dirty one is committed first: all its pages go to a spare block, the block map is switched, the
 * old block is erased and becomes a spare. The block map is not stored: power-up finds it by the
 * last page of each map block, which is programmed when all before it are.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_H

#include "firmware/map/segments_state.h"

/* slots: in memory, 0 = as many as `bytes` hold; 0 = done. */
int segments_init(struct env* e, uint64_t bytes, uint32_t slots);
/* It is wanted in memory. use: 1 = it is there, and was used now; else it is wanted. look: a page
 * of level 1 that is only read may be there before the rest of its segment is. */
void segments_ask(struct env* e, uint32_t n);
bool segments_use(struct env* e, uint32_t n);
bool segments_look(struct env* e, uint64_t page);
/* Loads, commits and erases go on. true = one came in without a read: no interrupt says so. */
bool segments_step(struct env* e);
/* Of a copy: what tells of the last step alone (run/steps.c). */
static inline void segments_overlook(struct segments* s)
{
    s->round = 0;
}
/* Counts what is not counted yet, one segment at a time. tell: the same for one, if `may`: nothing
 * is wanted that is not there yet. It looks at `pages` or so; true = there are more, and no read
 * says so. */
bool segments_load_all(struct env* e, uint64_t pages);
bool segments_may_tell(struct env* e);
void segments_tell(struct env* e, uint32_t n);
/* Checkpoint: put: 1 = what changed before mark is on its way. */
void segments_mark(struct env* e);
bool segments_put(struct env* e, uint64_t* walk);
/* A segment that is hardly ever written, a cold one, leaves a block that is hardly worn. */
void segments_level(struct env* e);

#endif
