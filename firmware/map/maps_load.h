/* SPDX-License-Identifier: Apache-2.0
 *
 * Map pages come into memory.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_LOAD_H
#define SSDVP_FIRMWARE_MAP_MAPS_LOAD_H

#include "firmware/map/maps.h"

/* true = resident; else it is being fetched, or will be when asked again. bulk: pages that lie
 * behind it on the same flash page come along. */
bool maps_load(struct env* e, uint32_t level, uint64_t page, bool bulk);
bool maps_load_above(struct env* e, uint32_t level, uint64_t page, bool bulk); /* the one above */
/* A page is in memory now. word: its spare word, NULL = never written; failed: or not readable. */
void maps_came(struct env* e, uint32_t level, uint64_t page, const uint64_t* word, bool failed);
void maps_resident(struct env* e, uint32_t level, uint64_t page);
/* What is in a frame of level 1 and has not come comes from the flash. false = not now. */
bool maps_read_again(struct env* e, uint64_t page, uint64_t address);

#endif
