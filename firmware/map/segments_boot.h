/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments at power-up. The places of the map blocks follow from the geometry alone: from the last
 * superblock down, LUN by LUN, without those that the anchor may take. The last page of each
 * tells which segment it holds; page 0 of the others whether they are erased.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_BOOT_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_BOOT_H

#include "firmware/map/segments_state.h"

int segments_plan(struct env* e);
/* The scan has that page of the map blocks read which segments_seen has not heard of yet; 0 = power
 * goes. seen: the spare words of a page were read, NULL = they cannot be. */
typedef int (*segments_scan)(struct env* e, uint32_t page);
int segments_find(struct env* e, segments_scan scan);
void segments_seen(struct env* e, const struct flash_request* r, const uint64_t* words);
/* The numbers of the newest commits and the erases of the blocks go into an anchor record (uint32_t
 * per segment, then struct saved_map_block per map block); a segment whose commit of that number,
 * or a later one, was not found is lost. With SEGMENT_VOID what was committed up to that number is
 * forgotten. */
void segments_store(struct env* e, void* to);
void segments_expect(struct env* e, const void* from);

#endif
