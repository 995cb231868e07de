/* SPDX-License-Identifier: Apache-2.0
 *
 * Log blocks of hybrid mapping: which unit lies in which page, and the marks without a page.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_HYBRID_LOG_H
#define SSDVP_FIRMWARE_BLOCKS_HYBRID_LOG_H

#include <stdbool.h>

#include "firmware/blocks/hybrid_state.h"

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
    struct log_entry* at = (struct log_entry*)env_dram(e, e->hybrid->entries) + k;
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

#endif
