/* SPDX-License-Identifier: Apache-2.0
 *
 * What merges of logical blocks (blocks/) ask of the buffer, and other walks over it.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_MERGED_H
#define SSDVP_FIRMWARE_BUFFER_MERGED_H

#include "firmware/lib/env.h"
#include <stdbool.h>

/* take: the slot whose data are the newest of a unit and at rest, INDEX_NONE =
 * none; it is being programmed from then on. Returns false when it has to be filled first. lost:
 * sectors of a slot taken are lost, the others are zeroed. done: the merge has ended. */
bool cache_merge_take(struct env* e, uint64_t unit, uint32_t* slot);
bool cache_merge_lost(struct env* e, uint32_t slot);
void cache_merge_done(struct env* e, uint32_t slot, int lost);
void cache_merge_failed(struct env* e, uint32_t slot); /* it came to nothing */
/* The slot waits for merges; does no longer: counts how long it did. */
void cache_blocked(struct env* e, uint32_t slot);
void cache_unblocked(struct env* e, uint32_t slot);
/* Nobody waits for the logical block of a unit, and it is among what was written last, or data of
 * it are on their way from the host. 0 = neither. */
enum { CACHE_RECENT = 1, CACHE_LANDING = 2 };
int cache_still_written(struct env* e, uint64_t unit, uint32_t pages);
/* Dirty units side by side around a unit, within its logical block, up to a number. */
uint32_t cache_dirty_around(struct env* e, uint64_t unit, uint32_t pages, uint32_t most);
/* The lowest unit of [from, end) that the buffer has something of, else `end`; looks through it. */
uint64_t cache_next_buffered(struct env* e, uint64_t from, uint64_t end);
/* true = nobody was promised that anything in it gets to the flash, and nothing is on its way
 * there; drops all of it then. */
bool cache_settled(struct env* e);
void cache_clear(struct env* e);

#endif
