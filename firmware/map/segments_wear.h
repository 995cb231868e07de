/* SPDX-License-Identifier: Apache-2.0
 *
 * Wear of map blocks, by the same settings as that of superblocks. A commit takes the erased block
 * with the fewest erases. When the most worn block leads the least worn one that holds a segment by
 * more than wear.static_delta, that segment is hardly ever written: it goes to the most worn of the
 * erased blocks, and the block that it leaves is used like others (segments_level).
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_WEAR_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_WEAR_H

#include "firmware/map/segments_state.h"

/* An erased block, INDEX_NONE = there is none. */
uint32_t segments_take_erased(struct env* e, bool cold);
void segments_count_erases(struct env* e);
/* Power-up: what was erased since the record. */
void segments_recover_erases(struct env* e, const uint32_t* numbers,
                             const struct saved_map_block* saved);

#endif
