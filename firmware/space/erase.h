/* SPDX-License-Identifier: Apache-2.0
 *
 * The way of a superblock from full to free: collected, and erased when nobody uses it any more.
 */
#ifndef SSDVP_FIRMWARE_SPACE_ERASE_H
#define SSDVP_FIRMWARE_SPACE_ERASE_H

#include "firmware/lib/run.h"
#include "firmware/space/state.h"

/* One fewer of them; queues the erase of a collected superblock that nobody uses. */
void blocks_unpend(struct env* e, uint32_t block);
void blocks_unread(struct env* e, uint32_t block);
void blocks_collected(struct env* e, uint32_t block);
/* Next erase operation to submit; false = none. Each ends in blocks_erased. */
bool blocks_next_erase(struct env* e, struct erase_piece* out);
void blocks_erased(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_fail);
/* Nothing in it is of use any more: it is erased when nobody reads it. */
void blocks_discard(struct env* e, uint32_t block, uint32_t purpose);
/* An interrupted erase begins again. */
void blocks_erase_again(struct env* e, uint32_t block);

/* Superblocks that are collected or being erased; that wait for that. */
static inline uint32_t blocks_leaving(const struct env* e)
{
    return e->blocks->leaving;
}
static inline uint32_t blocks_to_erase(const struct env* e)
{
    return e->blocks->erase_queue.count;
}
static inline uint32_t blocks_first_to_erase(const struct env* e) /* INDEX_NONE = none waits */
{
    return e->blocks->erase_queue.head;
}
static inline uint64_t blocks_erases_ended(const struct env* e) /* superblocks, so far */
{
    return e->blocks->erase_ends;
}
static inline bool blocks_erase_waits(const struct env* e)
{
    return e->blocks->erase_queue.head != INDEX_NONE;
}

/* Erases wait for the journal, which would otherwise find older data than what was trimmed. */
static inline void blocks_hold_erases(struct env* e, bool held)
{
    if (e->blocks->erase_held != 0 && !held) {
        run_due(e, DUE_FLASH | DUE_GC);
    }
    e->blocks->erase_held = held;
}
static inline bool blocks_erases_held(const struct env* e)
{
    return e->blocks->erase_held != 0;
}

#endif
