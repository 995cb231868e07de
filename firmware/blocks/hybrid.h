/* SPDX-License-Identifier: Apache-2.0
 *
 * Hybrid mapping: data blocks that are mapped as one, log blocks whose pages are mapped singly.
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
 * Power-up: the log's entries and marks lie in front of the anchor record (durable/tables.c). Of
 * the programs behind the base one of the log is an entry again, and the last page of a data block
 * tells that it holds the logical block: a merge takes nothing from the host to the log, nor does
 * it trim, while its logical block is being written.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_HYBRID_H
#define SSDVP_FIRMWARE_BLOCKS_HYBRID_H

#include <stdbool.h>

#include "firmware/lib/list.h"
#include "firmware/ops/flash.h"
#include "firmware/space/blocks.h"
#include "firmware/space/reserve.h"

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

enum merge_state {
    MERGE_IDLE = 0,
    MERGE_WAITS = 1, /* for pins to go, for the map, for a free block */
    MERGE_FILLS = 2, /* the target is being written */
    MERGE_ENDS = 3   /* a page of the target failed: once nothing is under way, another one */
};

enum page_state { PAGE_EMPTY = 0, PAGE_READS = 1, PAGE_READY = 2, PAGE_PROGRAMS = 3 };

struct merge_page {    /* one of those that a merge has in work */
    uint32_t state;    /* enum page_state */
    uint32_t buffered; /* slot of the buffer that has the data, INDEX_NONE = none */
    uint32_t kind;     /* enum merge_source */
    uint32_t lost;
};

enum merge_source { MERGE_ZEROES = 0, MERGE_COPY = 1, MERGE_HOST = 2 };

struct merge {
    uint32_t state;   /* enum merge_state */
    uint32_t target;  /* superblock, INDEX_NONE */
    uint64_t lblock;  /* logical block */
    uint32_t sourced; /* pages below have a source */
    uint32_t sent;    /* pages below are submitted */
    uint32_t done;    /* pages that are programmed */
    uint32_t flying;  /* reads and programs under way */
    uint32_t lost;    /* pages that are lost */
    uint32_t reserved;
    struct merge_page page[MERGE_DEPTH];
};

struct hybrid {
    uint32_t pages;     /* of a block, and of a logical block */
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
    uint64_t jobs;      /* struct merge */
    uint64_t taken;     /* per merge uint32_t per page: slot of the buffer, INDEX_NONE */
    uint64_t lost_map;  /* per merge uint8_t per page */
    uint64_t buffers;   /* per merge MERGE_DEPTH pages */
};

struct hybrid_setup {
    uint32_t log_blocks;
    uint32_t direct;
};

int hybrid_init(struct env* e, const struct hybrid_setup* setup); /* 0 = done */
/* Units that data and log may fill beside those of the user. */
uint64_t hybrid_overhead(const struct env* e);

static inline struct log_entry* log_entry_of(struct env* e, uint32_t k)
{
    struct log_entry* at = (struct log_entry*)env_dram(e, e->hybrid->entries) + k;
    env_touch(e, at, sizeof *at, false);
    return at;
}

static inline struct merge* merge_of(struct env* e, uint32_t n)
{
    return (struct merge*)env_dram(e, e->hybrid->jobs) + n;
}

static inline uint64_t lblock_of(const struct env* e, uint64_t unit)
{
    return unit / e->hybrid->pages;
}

/* ---- Log blocks and marks (log_blocks.c) ---- */

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
/* A checkpoint takes what the map says now; it has ended. */
void log_checkpoint(struct env* e);
void log_checkpoint_done(struct env* e);
void log_blocks_step(struct env* e);     /* empties victims, gives empty ones back */
bool log_has_room(struct env* e);        /* for the host's next unit of the log */
uint64_t log_bytes(const struct env* e); /* in the tables of an anchor record */
void log_store(struct env* e, void* to);
void log_load(struct env* e, const void* from);
/* Power-up: nothing in a block can be read; blocks that are not what they were leave the log; L
 * counts what is in it. */
void log_torn(struct env* e, uint32_t block);
void log_check(struct env* e);
void log_count(struct env* e);

/* ---- Merges (merge.c) ---- */

bool merge_busy(struct env* e, uint64_t lblock); /* it is being merged, or about to be */
/* false = as many as there may be are at work */
bool merge_request(struct env* e, uint64_t lblock);
void merge_step(struct env* e);
void merge_read_done(struct env* e, const struct flash_result* result);
void merge_program_done(struct env* e, const struct flash_result* result);

/* ---- Units (units.c) ---- */

/* Where the data block of a logical block begins, FTL_NONE, FTL_UNKNOWN. */
uint64_t data_block_of(struct env* e, uint64_t lblock);
/* Every unit of the logical block lies in the target from now on. */
void data_block_switch(struct env* e, const struct merge* m, const uint8_t* lost);
/* Power-up: a page of the map has come in, this entry of it counts; a program of behind the base,
 * a trim. */
void hybrid_count(struct env* e, uint64_t lblock);
struct spare_unit;
void hybrid_replay(struct env* e, const struct spare_unit* u, uint64_t address);
void hybrid_replay_trim(struct env* e, uint64_t unit);
/* ... and the last pages of what merges wrote; one has been read (targets.c). */
void hybrid_targets_scan(struct env* e);
void hybrid_target_read(struct env* e, const struct flash_request* r, const uint64_t* words);

/* ---- For the buffer and collection ---- */

/* true = the unit goes to the log. Else its logical block is going to be merged. */
bool hybrid_logs(struct env* e, uint64_t unit);
/* A superblock that is due to move holds data of ours: it will. false = collection's own. */
bool hybrid_moves(struct env* e, uint32_t block);
bool hybrid_idle(const struct env* e); /* no merge is at work */

/* What the scheme does beside mapping (layout.c). */
extern const struct ftl_layout hybrid_layout;

#endif
