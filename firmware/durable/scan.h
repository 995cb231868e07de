/* SPDX-License-Identifier: Apache-2.0
 *
 * What power-up finds on the flash; schemes look for more than the scan does by itself
 * (map/layout.h).
 */
#ifndef SSDVP_FIRMWARE_DURABLE_SCAN_H
#define SSDVP_FIRMWARE_DURABLE_SCAN_H

#include <stdbool.h>

#include "firmware/ops/flash.h"

enum scan_flag {
    SCAN_NEWER = 0x01, /* a block has pages behind the base */
    SCAN_OLDER = 0x02,
    SCAN_MERGED = 0x04, /* a merge wrote it */
    SCAN_TORN = 0x08,   /* a block has nothing readable, and is not erased */
    SCAN_OPEN = 0x10,   /* pages behind the base may follow older ones */
    SCAN_WHOLE = 0x20,  /* written to its end, and no block of it is erased: recovery_whole */
    SCAN_PROBE = 0x40,  /* a block's first page is unreadable */
    SCAN_FAILED = 0x80  /* a block that failed holds pages */
};

/* Planes to be read of the n-th place, which it sets but for the page; 0 = none. */
typedef uint32_t (*scan_place)(struct env* e, uint32_t n, struct place* out);
/* The same page of many places, all at once: ftl_layout.read has them. -1 = power goes. */
int scan_each(struct env* e, uint32_t total, uint32_t page, scan_place place_of);
/* true = no window has been read before: what streams have open is not known yet. */
bool scan_is_first(const struct env* e);
/* true = nothing in the superblock can be read, and it is not erased. */
bool scan_torn(const struct env* e, uint32_t block);
/* Nothing in it tells of programs behind the base. */
void scan_no_more(struct env* e, uint32_t block);
/* true = pages of it may belong to the window; a merge wrote it, as page 0 says. */
bool scan_wants(struct env* e, uint32_t block);
bool scan_merged(struct env* e, uint32_t block);
/* true = a superblock whose pages are programmed in any order may not be as it was at the base. */
bool scan_may_differ(struct env* e, uint32_t block);
/* What a page that is not erased tells goes into the replay table. false = its words are damaged. A
 * page has this sequence. */
bool scan_words(struct env* e, const struct flash_request* r, uint32_t plane,
                const uint64_t* words);
void scan_sequence(struct env* e, uint32_t block, uint64_t sequence);

/* Page 0 of every block: factory marks, and which superblocks were written after the base. */
void scan_superblocks(struct env* e, bool first_time);
/* A page of each map block that is not known to hold a segment: segments_seen hears of it. 0 =
 * done, -1 = power goes. */
int scan_map_blocks(struct env* e, uint32_t page);
/* The spare words of all pages with sequences in (from, from + limit] go into the replay table.
 * Returns 1 when there are pages beyond. */
int scan_window(struct env* e, uint64_t from);
/* A page that one of these has asked for (reads.c); words = NULL when it is unreadable. */
void scan_page_0_read(struct env* e, const struct flash_request* r, uint32_t plane,
                      const uint64_t* words);
void scan_page_read(struct env* e, const struct flash_request* r, uint32_t plane,
                    const uint64_t* words);

#endif
