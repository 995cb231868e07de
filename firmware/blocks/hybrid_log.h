/* SPDX-License-Identifier: Apache-2.0
 *
 * Log blocks of hybrid mapping: which unit lies in which page, and the marks without a page.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_HYBRID_LOG_H
#define SSDVP_FIRMWARE_BLOCKS_HYBRID_LOG_H

#include <stdbool.h>

#include "firmware/blocks/hybrid.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"

enum hybrid_mark {
    MARK_NONE = 0,
    MARK_PAGE = 1,      /* the newest data lie in a page of the log */
    MARK_LOST_PAGE = 2, /* ... and are lost */
    MARK_HOLE = 3,      /* no page of the log: trimmed, whatever the data block has */
    MARK_LOST = 4,      /* no page of the log: the data block's page is lost */
    MARK_GONE = 5,      /* of a logical block: it has no data block, whatever the map says */
    MARK_GONE_OLD = 6   /* the same; the map of the checkpoint under way says so too */
};

struct log_entry { /* one per page of the log, then the marks without a page */
    uint64_t unit;
    uint32_t next; /* in its bucket, or of the free marks: index + 1, 0 = end */
    uint32_t mark; /* enum hybrid_mark */
};

static inline struct log_entry* log_entry_of(struct env* e, uint32_t k)
{
    struct log_entry* at =
        (struct log_entry*)env_dram_entry(e, e->hybrid->entries, k, sizeof(struct log_entry));
    env_touch(e, at, sizeof *at, false);
    return at;
}

/* The entry of a unit, INDEX_NONE = it is where its logical block is. */
uint32_t log_find(struct env* e, uint64_t unit);
uint64_t log_address(struct env* e, uint32_t k);  /* of an entry with a page */
uint32_t log_slot(struct env* e, uint32_t block); /* of a log block; takes one for a new one */
/* The unit lies in that page of the log from now on, and nowhere else. */
void log_put(struct env* e, uint64_t unit, uint32_t k, uint32_t mark);
void log_mark(struct env* e, uint64_t unit, uint32_t mark); /* one without a page */
void log_drop(struct env* e, uint32_t k);                   /* the entry is void */
/* The logical block has no data block: says so; whether that is said; it is not so any more. */
void log_gone(struct env* e, uint64_t lblock);
bool log_is_gone(struct env* e, uint64_t lblock);
void log_not_gone(struct env* e, uint64_t lblock);

bool log_has_room(struct env* e); /* for the host's next unit of the log */
/* Gives back log blocks of which nothing counts. The one that is to be emptied next, INDEX_NONE. */
uint32_t log_victim(struct env* e);

/* A checkpoint takes what the map says now; it has ended. */
void log_checkpoint(struct env* e);
void log_checkpoint_done(struct env* e);
uint64_t log_bytes(const struct env* e); /* in the tables of an anchor record */
void log_store(struct env* e, void* to);
void log_load(struct env* e, const void* from);
/* Power-up: nothing in a block can be read; blocks that are not what they were leave the log; L
 * counts what is in it. */
void log_torn(struct env* e, uint32_t block);
void log_check(struct env* e);
void log_count(struct env* e);

/* ---- Units: each lies in the data block of its logical block, or in the log ---- */

static inline uint64_t lblock_of(const struct env* e, uint64_t unit)
{
    return unit / e->geo->pages;
}

static inline uint16_t* pins_of(const struct env* e, uint64_t lblock)
{
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    return (uint16_t*)env_dram(e, e->hybrid->pins) + lblock;
}

/* The unit behind the last one of a logical block. */
static inline uint64_t lblock_end(const struct env* e, uint64_t lblock)
{
    const uint64_t end = (lblock + 1) * e->geo->pages;
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    return end < e->geo->user_units ? end : e->geo->user_units;
}

/* The entry of the logical block is in memory. */
static inline bool lblock_resident(struct env* e, uint64_t lblock)
{
    return maps_resides(e, 1, maps_page(e, lblock));
}

/* Address of a page of a data block, given the entry of its logical block. */
static inline uint64_t data_page(const struct env* e, uint64_t block, uint64_t unit)
{
    return (block & ~FTL_LOST) + ((unit % e->geo->pages) << e->geo->row_shift);
}

/* Where the data block of a logical block begins, FTL_NONE, FTL_UNKNOWN. */
uint64_t data_block_of(struct env* e, uint64_t lblock);
/* No logical block lies in the data block any more. */
void data_block_leave(struct env* e, uint64_t block);
/* Every unit of the logical block lies in the target from now on. */
void data_block_switch(struct env* e, uint64_t lblock, uint32_t target, const uint8_t* lost);
/* The unit is nowhere; returns what was said of it in the log. */
uint32_t hybrid_leave(struct env* e, uint64_t unit);

#endif
