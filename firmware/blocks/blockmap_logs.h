/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks by their role. Second and shared blocks are log blocks to hybrid schemes: how these choose
 * among them, what a scheme keeps of one, whether it takes another page, which logical blocks a
 * merge of it takes.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_LOGS_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_LOGS_H

#include <stdbool.h>

#include "firmware/blocks/blockmap_state.h"
#include "firmware/space/state.h"

void logs_init(struct env* e);
/* A fresh block of a role (blocks_single.h); lblock: of a home or second block. INDEX_NONE = there
 * is none to be had now, or no slot for it. */
uint32_t block_open(struct env* e, uint32_t role, uint32_t lblock);
/* A block that is in use already becomes one of that role: power-up. */
void block_adopt(struct env* e, uint32_t block, uint32_t role, uint32_t lblock);
/* A block of a role becomes one of another role, with all that counts in it: a second block one
 * that is shared, the other way round, or the home when its pages lie at their own offsets. lblock:
 * of a home or second block. There is a slot for it. */
void block_turn(struct env* e, uint32_t block, uint32_t role, uint32_t lblock);
/* Nothing in it is valid: it is erased, as soon as nobody reads it. */
void block_drop(struct env* e, uint32_t block);
/* The same without the erase: as if it had been; what is taken and named stays so. */
void block_forget(struct env* e, uint32_t block);
void block_unlink(struct env* e, uint32_t block);
/* The second block becomes the home; the home, of which nothing is valid, is dropped. */
void second_promote(struct env* e, uint32_t lblock);

/* Second or shared blocks (BLOCK_SECOND, BLOCK_LOG): how many there are; a walk over their slots,
 * the one that was written least recently first, or last. INDEX_NONE = the end. */
static inline const struct log_list* logs_of(const struct env* e, uint32_t role)
{
    return role == BLOCK_SECOND ? &e->blockmap->second : &e->blockmap->shared_in;
}

static inline uint32_t logs_count(const struct env* e, uint32_t role)
{
    return logs_of(e, role)->count;
}

static inline uint32_t logs_oldest(const struct env* e, uint32_t role)
{
    return logs_of(e, role)->used.first;
}

static inline uint32_t logs_newest(const struct env* e, uint32_t role)
{
    return logs_of(e, role)->used.last;
}

static inline uint32_t log_newer(const struct env* e, uint32_t slot)
{
    return ((const struct link*)env_dram(e, e->blockmap->links))[slot].next;
}

static inline uint32_t log_older(const struct env* e, uint32_t slot)
{
    return ((const struct link*)env_dram(e, e->blockmap->links))[slot].previous;
}

/* true = a second block's, else a shared one's. */
static inline bool slot_is_second(const struct env* e, uint32_t slot)
{
    return slot < e->blockmap->seconds;
}

/* All that counts in the block is being merged away. */
static inline bool slot_emptied(const struct env* e, uint32_t slot)
{
    return slot == e->blockmap->victim;
}

uint32_t slot_of(struct env* e, uint32_t block); /* of a second or shared block */
/* blockmap_setup.notes words of a shared block, 0 when it is opened; power-up forgets them. */
uint32_t* slot_notes(const struct env* e, uint32_t slot);
/* The page behind the last one that is taken may be programmed, and nobody empties the block. */
bool slot_open(struct env* e, uint32_t slot);
/* Logical blocks of which pages count in a shared block, each once; the list is the next caller's.
 */
uint32_t slot_lblocks(struct env* e, uint32_t slot, const uint32_t** list);
void slot_used(struct env* e, uint32_t slot); /* it is the one that was written last */
void slot_free(struct env* e, uint32_t slot); /* no block has it any more */

#endif
