/* SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks beside the streams: taken, written and given back one by one.
 */
#ifndef SSDVP_FIRMWARE_SPACE_BLOCKS_SINGLE_H
#define SSDVP_FIRMWARE_SPACE_BLOCKS_SINGLE_H

#include <stdbool.h>

#include "firmware/space/blocks.h"

/* Whose data a superblock holds, where logical blocks are mapped as one (hybrid.h, blockmap.h). */
enum block_role {
    BLOCK_PAGES = 0, /* collection's: maps, or whatever a stream wrote */
    BLOCK_LOG = 1,   /* of any logical blocks */
    BLOCK_DATA = 2,
    BLOCK_TARGET = 3, /* of a merge */
    BLOCK_SECOND = 4  /* of a logical block that may have a data block too */
};

/* A free superblock, open from now on, that leaves `kept` free ones; INDEX_NONE. */
uint32_t blocks_take(struct env* e, uint32_t kept);
/* It is written to its end, or as far as it will be. */
void blocks_filled_up(struct env* e, uint32_t block);
/* For lanes.c: true = the stream may write now; ... may open a superblock; a free one, open from
 * now on.
 */
bool blocks_may_write(struct env* e, uint32_t stream);
bool blocks_may_open(const struct env* e, uint32_t stream);
uint32_t blocks_open(struct env* e, uint32_t stream);
/* The same of a plane that has one (planes.h). */
uint32_t blocks_open_in(struct env* e, uint32_t stream, uint32_t lane);
/* Nothing in it is of use any more: it is erased when nobody reads it. */
void blocks_discard(struct env* e, uint32_t block, uint32_t purpose);

/* true = there may be pages in it. */
static inline bool blocks_filled(const struct superblock* s)
{
    return s->state == BLOCK_FULL || s->state == BLOCK_OPEN;
}

#endif
