/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments go out. A page is copied before it is programmed, so that the segment may change
 * meanwhile; what changed after its copy is dirty again.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_COMMIT_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_COMMIT_H

#include "firmware/map/segments_state.h"

bool segments_commit(struct env* e, uint32_t slot); /* false = no spare block */
void segments_advance(struct env* e, uint32_t slot);
void segments_erase(struct env* e); /* what is garbage */
void segments_done(struct env* e, const struct flash_result* result);
/* No segment holds anything any more, here or on the flash (maps_clear). */
void segments_clear(struct env* e);

#endif
