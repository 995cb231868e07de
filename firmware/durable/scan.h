/* SPDX-License-Identifier: Apache-2.0
 *
 * What power-up finds on the flash; schemes look for more than the scan does by itself
 * (map/layout.h).
 */
#ifndef SSDVP_FIRMWARE_DURABLE_SCAN_H
#define SSDVP_FIRMWARE_DURABLE_SCAN_H

#include <stdbool.h>

#include "firmware/ops/flash.h"

/* Planes to be read of the n-th place, which it sets but for the page; 0 = none. */
typedef uint32_t (*scan_place)(struct env* e, uint32_t n, struct place* out);
/* The same page of many places, all at once: ftl_layout.read has them. -1 = power goes. */
int scan_each(struct env* e, uint32_t total, uint32_t page, scan_place place_of);

/* Page 0 of every block: factory marks, and which superblocks were written after the base. */
void scan_superblocks(struct env* e, bool first_time);
/* A page of each map block that is not known to hold a segment: segments_seen hears of it. 0 =
 * done, -1 = power goes. */
int scan_map_blocks(struct env* e, uint32_t page);
/* The spare words of all pages with sequences in (from, from + limit] go into the replay table.
 * Returns 1 when there are pages beyond. */
int scan_window(struct env* e, uint64_t from);

#endif
