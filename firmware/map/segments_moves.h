/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins of segments, and moves of units whose segment is not in memory: where they have gone is kept
 * until it comes in for another reason, or until there is no room for more of that. Of ftl_ops.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_MOVES_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_MOVES_H

#include <stdbool.h>

#include "firmware/lib/env.h"

bool segments_pin(struct env* e, uint64_t unit);
bool segments_pin_move(struct env* e, uint64_t unit, uint64_t from);
void segments_unpin(struct env* e, uint64_t unit);
bool segments_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to);
/* A segment has come in: what moved meanwhile is where it was moved to. */
void segments_moves_arrived(struct env* e, uint64_t page);
/* What the flash says of a unit, as moves have changed it; the unit that one has brought to an
 * address, FTL_NONE. */
uint64_t segments_early(struct env* e, uint64_t unit, uint64_t entry);
uint64_t segments_moved_to(struct env* e, uint64_t address);

#endif
