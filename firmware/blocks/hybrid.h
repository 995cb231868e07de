/* SPDX-License-Identifier: Apache-2.0
 *
 * Hybrid mapping with a log of pages (log_set): data blocks that are mapped as one, log blocks
 * whose pages are mapped singly.
 *
 * A superblock is one erase block here and a unit one page. The units of the host make logical
 * blocks, as many pages as a block has. A logical block lies in one data block, page n in page n;
 * its entry in the map is that block's address. What is newer of it lies in log blocks, anywhere: a
 * hash tells where. A merge writes a logical block as a whole: the newest of each page, out of the
 * buffer, the log, the old data block, goes to a fresh block in order. When its last page is
 * programmed the map is switched, and the old block is garbage, as are the pages in the log.
 *
 * Where a page is said to be besides: a hole was trimmed since the merge, a lost page of the data
 * block could not be read when it was merged. Such marks are entries of the hash without a page.
 * A logical block that is holes throughout has no data block: that is said by a mark, too, until it
 * is on the flash with the map.
 *
 * Power-up: the log's entries and marks lie in front of the anchor record (durable/anchor.c). Of
 * the programs behind the base one of the log is an entry again, and the last page of a data block
 * tells that it holds the logical block: a merge takes nothing from the host to the log, nor does
 * it trim, while its logical block is being written.
 *
 * From below: hybrid_log.c the log, and units in it or in data blocks; hybrid_merge.c merges;
 * hybrid.c what the scheme has of it; hybrid_layout.c main loop, checkpoints, power-up.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_HYBRID_H
#define SSDVP_FIRMWARE_BLOCKS_HYBRID_H

#include <stdbool.h>

#include "firmware/blocks/logical.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/list.h"

struct hybrid {
    uint32_t log_most;  /* log blocks that the host's units may fill; 0 = none go there */
    uint32_t direct;    /* neighbouring dirty units that go to their data block at once */
    uint32_t log_slots; /* log blocks there may be, with those about to be erased */
    uint32_t log_used;
    uint32_t log_pages; /* entries with a page */
    uint32_t merges;    /* at a time */
    uint32_t active;    /* of them */
    uint32_t marks;     /* entries without a page, and as many more for power-up */
    uint32_t marks_free;
    uint32_t marks_held; /* of them, for those who have pinned */
    uint32_t mark_list;  /* first free one + 1 */
    uint32_t mark_next;  /* where the search for a hole goes on */
    uint32_t bucket_bits;
    uint32_t loading;  /* 1 = power-up: L does not count yet */
    uint32_t victim;   /* log block that is being emptied, INDEX_NONE */
    uint32_t scan;     /* next page of it */
    uint32_t settling; /* 1 = preconditioning ends: the log has to be empty */
    uint64_t lblocks;
    uint64_t log_table; /* uint32_t superblock per log block, INDEX_NONE */
    uint64_t entries;   /* struct log_entry */
    uint64_t buckets;   /* uint32_t, entry + 1 */
    uint64_t pins;      /* uint16_t per logical block */
    uint64_t holes;     /* uint16_t per logical block */
    uint64_t jobs;      /* struct merge (hybrid_merge.c) */
    uint64_t taken;     /* per merge uint32_t per page: slot of the buffer, INDEX_NONE */
    uint64_t lost_map;  /* per merge uint8_t per page */
    uint64_t buffers;   /* per merge MERGE_DEPTH pages */
};

int hybrid_init(struct env* e); /* 0 = done */

/* ---- Of ftl_ops ---- */

extern const struct ftl_layout hybrid_layout; /* hybrid_layout.c */
uint64_t hybrid_lookup(struct env* e, uint64_t unit);
bool hybrid_pin(struct env* e, uint64_t unit);
void hybrid_unpin(struct env* e, uint64_t unit);
void hybrid_commit(struct env* e, uint64_t unit, uint64_t address);
void hybrid_lose(struct env* e, uint64_t unit);
bool hybrid_trim(struct env* e, uint64_t unit);
uint64_t hybrid_holes(struct env* e, uint64_t unit, uint64_t end);
uint64_t hybrid_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped);

#endif
