/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments come in. Pages whose units all have copies in the host's memory (hmb.h) come from there
 * instead of the flash. One of which a unit has left meanwhile, or comes back changed, is read from
 * the flash after all; whoever waits for it waits on.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_READ_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_READ_H

#include "firmware/map/segments_state.h"

#define SEGMENT_FETCHES HMB_READS /* each has a unit under way at least: more would wait */

struct segment_fetch {
    uint32_t slot;   /* INDEX_NONE = none */
    uint32_t page;   /* of its block */
    uint32_t next;   /* unit of it that is asked for next */
    uint32_t flight; /* units under way */
    uint32_t lost;   /* 1 = it has to be read from the flash */
};

static inline struct segment_fetch* segment_fetch_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < SEGMENT_FETCHES);
    return (struct segment_fetch*)env_dram(e, e->maps->hmb.fetch) + i;
}

/* With memory for them in hmb.fetch. */
void segments_fetch_init(struct env* e);
/* Those that waited for a move or for a flash read go on. */
void segments_fetch_step(struct env* e);
/* A unit has come, or not as it was (hmb.c). */
void segments_fetched(struct env* e, uint32_t fetch, bool whole);
/* The slot takes the segment; page: read first. on: what is still to be read of it. */
void segments_load(struct env* e, uint32_t slot, uint32_t n, uint32_t page);
void segments_read_on(struct env* e, uint32_t slot);
void segments_read_done(struct env* e, const struct flash_result* result);

#endif
