/* SPDX-License-Identifier: Apache-2.0
 *
 * Logical blocks: what the two ways to map them (hybrid.h, blockmap.h) have in common.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_LOGICAL_H
#define SSDVP_FIRMWARE_BLOCKS_LOGICAL_H

#include <stdbool.h>

#include "firmware/map/ftl.h"
#include "firmware/ops/flash.h"

/* Superblocks have to be one erase block each, and units one page; the host's are apart from those
 * of the maps from now on. -1 = they are not, or have more pages than that. */
int logical_init(struct env* e, uint32_t pages_most);

/* A free block, open from now on, INDEX_NONE: collection makes one first. */
uint32_t logical_take(struct env* e);

/* Merges: a read of a page to a buffer, for the owner to say what it is of, and to submit;
 * INDEX_NONE = it has as many requests as it may. */
uint32_t merge_read_take(struct env* e, uint32_t owner, uint64_t address, uint64_t buffer);

struct merge_program { /* of a page */
    uint32_t block;
    uint32_t page;
    uint32_t purpose;
    uint64_t data;
    uint64_t word; /* of its spare */
};
/* ... and a program, which is submitted. */
void merge_program_submit(struct env* e, uint32_t request, const struct merge_program* p);

/* Of ftl_ops: units are nothing that collection knows, and the map of blocks is in memory. */
uint64_t logical_owner(struct env* e, uint64_t address);
bool logical_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to);
void logical_prefetch(struct env* e, uint64_t unit);

#endif
