/* SPDX-License-Identifier: Apache-2.0
 *
 * What the entries of resident pages name is valid.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_COUNT_H
#define SSDVP_FIRMWARE_MAP_MAPS_COUNT_H

#include "firmware/map/maps.h"

/* The entry behind the last one of a page. */
uint64_t maps_entries_end(const struct env* e, uint32_t level, uint64_t page);
/* Sets the valid bits of what the resident page points to, once; that is done. */
void maps_count(struct env* e, uint32_t level, uint64_t page);
void maps_counted(struct env* e, uint32_t level, uint64_t page);
/* What a page just read says that cannot be so any more: it is void, the rest stays. */
void maps_check(struct env* e, uint32_t level, uint64_t page);

#endif
