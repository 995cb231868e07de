/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments when so many map blocks have failed that no commit finds one any more. The map takes no
 * more changes: the host and collection stop, and what is dirty stays in its slot. Every look-up is
 * right all the same.
 *
 * While the drive serves, pages of segments that are not in memory are read one at a time into a
 * buffer that no commit needs any more. At a power-up the slots are not enough for the segments
 * that the window changes: then none of them is kept, and each time one comes in the window is
 * applied to it again.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_SPENT_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_SPENT_H

#include "firmware/map/segments_state.h"

void segments_note_spent(struct env* e); /* looks whether it is so */
/* What the flash says of a unit whose segment is not in memory, FTL_UNKNOWN = ask again. */
uint64_t segments_peek(struct env* e, uint64_t unit);
void segments_peeked(struct env* e, const struct flash_result* result);
/* Power-up keeps no segment, but applies what it found each time one comes in. */
void segments_derive(struct env* e);
void segments_wash(struct env* e, uint32_t slot); /* what changed in it is forgotten */

#endif
