/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments come in. Pages whose units all have copies in the host's memory (hmb.h) come from there
 * instead of the flash. One of which a unit has left meanwhile, or comes back changed, is read from
 * the flash after all; whoever waits for it waits on.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_READ_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_READ_H

#include "firmware/map/segments_state.h"

/* Those that waited for a move or for a flash read go on. */
void segments_fetch_step(struct env* e);
/* A unit has come, or not as it was. */
void segments_fetched(struct env* e, uint32_t fetch, bool whole);
/* The slot takes the segment; page: read first. on: what is still to be read of it. */
void segments_load(struct env* e, uint32_t slot, uint32_t n, uint32_t page);
void segments_read_on(struct env* e, uint32_t slot);
void segments_read_done(struct env* e, const struct flash_result* result);

#endif
