/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups: so many logical blocks side by side are one, whose units lie in any pages of a few blocks
 * (superblock). The library takes a group for its logical block, of several blocks' units; all of
 * its blocks are shared ones, each of one group. Of these one is written, the others are closed. A
 * group has as many blocks as its units fill, and beyond these some for updates out of a pool.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_GROUPS_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_GROUPS_H

#include <stdbool.h>

#include "firmware/lib/list.h"

struct group {
    struct chain blocks; /* slots of its blocks, oldest first */
    uint32_t count;      /* of them */
    uint32_t current;    /* slot of the block that is written, INDEX_NONE */
    uint32_t shrinks;    /* group that gives up a block for this one, INDEX_NONE */
};

struct groups {
    uint32_t blocks;  /* of a group without updates, the last one may have fewer; 0 = no groups */
    uint32_t most;    /* blocks for updates of a group, as the scheme plans them */
    uint32_t total;   /* ... of all of them */
    uint32_t updates; /* such blocks now */
    uint64_t table;   /* struct group */
    uint64_t links;   /* struct link per slot */
    uint64_t writes;  /* struct link per group */
    uint64_t at;      /* uint32_t per unit: page of a shared block + 1, 0 = it has no data */
    struct chain long_ones; /* groups with blocks for updates, least recently written first */
};

int groups_take_memory(struct env* e); /* 0 = done */
struct group* group_at(const struct env* e, uint32_t group);
/* A block is one of the group's from now on, and is written next; it is no more. */
void group_add(struct env* e, uint32_t group, uint32_t slot);
void group_remove(struct env* e, uint32_t group, uint32_t slot);
/* Power-up: the slots tell whose blocks they are. */
void groups_found(struct env* e);
/* The block that is written, unless it is full or bad; INDEX_NONE. Its next page. */
uint32_t group_current(struct env* e, uint32_t group, uint32_t* page);
/* Groups that have blocks for updates, the one that was written least recently first: a walk over
 * them, INDEX_NONE = the end; true = this one may have no more of them. */
uint32_t groups_longer(const struct env* e);
uint32_t group_longer(const struct env* e, uint32_t group);
bool group_is_longest(const struct env* e, uint32_t group);
/* It has been written to. */
void group_written(struct env* e, uint32_t group);
/* true = one more block may be opened for the group. */
bool group_may_grow(const struct env* e, uint32_t group);
/* The block with the fewest valid pages, of which something is gained; INDEX_NONE = of none. */
uint32_t group_victim(struct env* e, uint32_t group);
/* The block is not written any more. */
void group_close(struct env* e, uint32_t group, uint32_t block);

#endif
