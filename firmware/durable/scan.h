/* SPDX-License-Identifier: Apache-2.0
 *
 * What power-up finds on the flash; schemes look for more than the scan does by itself
 * (map/layout.h).
 */
#ifndef SSDVP_FIRMWARE_DURABLE_SCAN_H
#define SSDVP_FIRMWARE_DURABLE_SCAN_H

#include <stdbool.h>

#include "firmware/ops/flash.h"

/* What reads of power-up are for. */
enum boot_waits {
    WAITS_ONE = 0,
    WAITS_PAGE_0 = 1,
    WAITS_PAGES = 2,
    WAITS_SEGMENTS = 3,
    WAITS_LAYOUT = 4 /* ftl_layout.read */
};

/* Rings what was submitted and waits until something has ended. false = power goes. */
bool boot_poll(struct env* e);
void boot_drain(struct env* e); /* ... until all has, or power goes */
/* Reads one page, its data to a buffer if there is one: the spare words, NULL = unreadable. */
const uint64_t* boot_read(struct env* e, const struct place* p, uint64_t buffer);
/* A read of spare words, still to be submitted; INDEX_NONE = too many are under way. */
uint32_t boot_take_read(struct env* e, const struct place* p, uint32_t planes);

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
