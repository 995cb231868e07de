/* SPDX-License-Identifier: Apache-2.0
 *
 * State of hybrid mapping: see hybrid.h. For this folder, and for the struct that has the state of
 * all parts.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_HYBRID_STATE_H
#define SSDVP_FIRMWARE_BLOCKS_HYBRID_STATE_H

#include <stdbool.h>

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

static inline uint64_t lblock_of(const struct env* e, uint64_t unit)
{
    return unit / e->geo->pages;
}

#endif
