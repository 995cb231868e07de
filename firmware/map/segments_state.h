/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of segments (segments.h): where they are, slots in memory, map blocks, which are
 * erase blocks that hold them.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_STATE_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_STATE_H

#include "firmware/lib/list.h"
#include "firmware/map/maps.h"

enum map_block_state {
    MAP_BLOCK_GARBAGE = 0, /* to be erased */
    MAP_BLOCK_ERASED = 1,
    MAP_BLOCK_FILLING = 2,
    MAP_BLOCK_HOLDS = 3, /* the newest commit of a segment */
    MAP_BLOCK_BAD = 4
};

struct map_block {
    uint32_t block;
    uint16_t lun;
    uint8_t plane;
    uint8_t state;    /* enum map_block_state */
    uint32_t segment; /* power-up: what its last page says, INDEX_NONE = nothing */
    uint32_t number;  /* of the commit in it, 0 = none */
    uint32_t erases;
};

/* One page of a map block, read past the slots: there is nothing that could leave them. */
enum peek_state { PEEK_NONE = 0, PEEK_READS = 1, PEEK_THERE = 2 };

struct segment_peek {
    uint64_t first;  /* page of level 1 that is the first on it */
    uint64_t failed; /* mask of those on it that are not readable */
    uint32_t state;  /* enum peek_state */
    uint32_t buffer;
};

/* In an anchor record. */
struct saved_map_block {
    uint32_t erases;
    uint32_t number; /* of the commit in it, 0 = none */
};

struct segment {
    uint64_t covers; /* power-up: programs up to this one are in it */
    uint32_t slot;   /* INDEX_NONE = not in memory */
    uint32_t block;  /* index of its map block, INDEX_NONE = never written */
    uint32_t number; /* of its newest commit, 0 = none; without a block: those up to it are void */
    uint32_t pins;   /* while there are some it does not leave */
    uint32_t lazy;   /* of them, those that may be of a segment that is not in memory */
    uint16_t wanted; /* 0 = it is not in the list of those, else 1 + page that is read first */
    uint16_t lost;   /* 1 = its newest commit is not readable */
};

enum segment_flag {
    SEGMENT_LOADS = 0x01,   /* pages are read, or have still to be */
    SEGMENT_COMMITS = 0x02, /* pages are programmed, or have still to be */
    SEGMENT_FAILED = 0x04,  /* the block they went to has failed: another one takes all of them */
    SEGMENT_LEAVES = 0x08,  /* nobody may pin it any more */
    SEGMENT_FRESH = 0x10,   /* nobody has used it since it was read */
    SEGMENT_BUSY = 0x20,    /* in the list of those that work goes on for */
    SEGMENT_COLD = 0x40     /* its commit takes the most worn block */
};

struct segment_slot {
    uint64_t order;   /* of the commit, in that of all that maps put out */
    uint64_t covers;  /* programs up to this one are in it */
    uint32_t segment; /* INDEX_NONE = none */
    uint32_t flags;
    uint32_t page;   /* next of the block to be read or programmed */
    uint32_t left;   /* pages that have not ended */
    uint32_t flight; /* requests under way */
    uint32_t target; /* map block that takes the commit, INDEX_NONE = none is free yet */
    uint32_t number; /* of the commit; of a load 1 + page that is read next, 0 = in order */
    uint32_t since;  /* round in which it came in */
};

#define SEGMENT_VOID (UINT32_C(1) << 31) /* in an anchor record: with a number */

struct segments {
    uint32_t count;
    uint32_t slots;
    uint32_t blocks;
    uint32_t number;       /* of the last commit */
    uint32_t round;        /* of segments_step */
    uint32_t good;         /* map blocks that have not failed */
    uint32_t leaving;      /* slots with SEGMENT_LEAVES */
    uint32_t count_next;   /* background: next segment to look at */
    uint32_t found;        /* 1 = power-up knows what the blocks hold */
    uint32_t derived;      /* 1 = what a segment lacks is applied again each time it comes in */
    uint32_t replaying;    /* 1 = power-up applies what the scan found; 2 = one commit at a time */
    uint64_t table;        /* struct segment per segment */
    uint64_t slot_table;   /* struct segment_slot per slot */
    uint64_t block_table;  /* struct map_block per map block */
    uint64_t wanted_links; /* uint32_t per segment */
    uint64_t block_links;  /* uint32_t per map block */
    uint64_t empty_links;  /* uint32_t per slot */
    uint64_t lru_links;    /* struct link per slot */
    uint64_t busy_links;   /* struct link per slot */
    uint64_t buffers;      /* a page each */
    uint64_t buffer_links;
    struct chain lru; /* first = not used for the longest time */
    struct chain busy;
    struct fifo wanted;
    struct fifo empty;
    struct fifo erased;
    struct fifo garbage;
    struct fifo buffer_free;
    /* Moves of units whose segment is not in memory wait for it. */
    uint64_t moves; /* struct segment_move */
    uint32_t moves_count;
    uint32_t lazy; /* pins that may become one */
    uint64_t move_order;
    uint64_t mark; /* a checkpoint wants those up to here to be in the segments */
    struct segment_peek peek;
    uint32_t cold;        /* levelling: segment that leaves its block, INDEX_NONE = none */
    uint32_t cold_block;  /* which is this one */
    uint64_t erases;      /* of map blocks since power-up */
    uint64_t level_stamp; /* of them, when one was looked for last */
};

struct segment_move { /* in the order in which they were made */
    uint64_t unit;
    uint64_t from;
    uint64_t to;
    uint64_t order;
};

static inline struct segment* segment_of(struct env* e, uint32_t n)
{
    FW_ASSERT(e, n < e->segments->count);
    return (struct segment*)env_dram_entry(e, e->segments->table, n, sizeof(struct segment));
}

static inline struct segment_slot* segment_slot_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->segments->slots);
    return (struct segment_slot*)env_dram_entry(e, e->segments->slot_table, i,
                                                sizeof(struct segment_slot));
}

static inline struct map_block* map_block_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->segments->blocks);
    return (struct map_block*)env_dram_entry(e, e->segments->block_table, i,
                                             sizeof(struct map_block));
}

/* Segment of a page of level 1; the pages that it has of it. */
static inline uint32_t segment_at(const struct env* e, uint64_t page)
{
    return (uint32_t)(page / e->maps->segment);
}
static inline uint32_t segment_of_unit(const struct env* e, uint64_t unit)
{
    return segment_at(e, maps_page(e, unit));
}
static inline uint64_t segment_first(const struct env* e, uint32_t n)
{
    return (uint64_t)n * e->maps->segment;
}
static inline uint64_t segment_end(const struct env* e, uint32_t n)
{
    const uint64_t end = ((uint64_t)n + 1) * e->maps->segment;
    return end < e->maps->level[1].pages ? end : e->maps->level[1].pages;
}

static inline uint32_t segments_count(const struct env* e)
{
    return e->segments->count;
}
/* In memory at a time; map blocks. */
static inline uint32_t segments_slots(const struct env* e)
{
    return e->segments->slots;
}
static inline uint32_t segments_blocks(const struct env* e)
{
    return e->segments->blocks;
}
/* Power-up could keep none: what it found is applied to a segment each time it comes in. */
static inline bool segments_derived(const struct env* e)
{
    return e->segments->derived != 0;
}

/* A map block is erased, or will be. */
static inline bool segments_have_room(const struct env* e)
{
    return e->segments->erased.count != 0 || e->segments->garbage.count != 0;
}
/* Power-up applies what the scan found: 1; 2 = one commit at a time; 0 = it is done. */
static inline void segments_replay(struct env* e, uint32_t how)
{
    e->segments->replaying = how;
}

/* A page of a segment that comes from the host's memory. */
#define SEGMENT_FETCHES HMB_READS /* each has a unit under way at least: more would wait */

struct segment_fetch {
    uint32_t slot;   /* INDEX_NONE = none */
    uint32_t page;   /* of its block */
    uint32_t next;   /* unit of it that is asked for next */
    uint32_t flight; /* units under way */
    uint32_t lost;   /* 1 = it has to be read from the flash */
};

static inline struct segment_fetch* segment_fetch_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < SEGMENT_FETCHES);
    return (struct segment_fetch*)env_dram_entry(e, e->maps->hmb.fetch, i,
                                                 sizeof(struct segment_fetch));
}

static inline struct link* segments_lru(const struct env* e)
{
    return (struct link*)env_dram(e, e->segments->lru_links);
}
static inline uint32_t* segments_block_links(const struct env* e)
{
    return (uint32_t*)env_dram(e, e->segments->block_links);
}
/* Where flash page `page` of what the slot holds lies in memory. */
static inline uint64_t segment_home(const struct env* e, uint32_t slot, uint32_t page)
{
    FW_ASSERT(e, page < e->geo->pages);
    return e->maps->level[1].home +
           (((uint64_t)slot * e->maps->segment + (uint64_t)page * e->geo->page_units)
            << e->geo->unit_shift);
}

bool segments_there(struct env* e, uint32_t n);
bool segments_dirty(struct env* e, uint32_t slot);
void segments_busy(struct env* e, uint32_t slot); /* it joins the list of those, or leaves it */
void segments_drop(struct env* e, uint32_t slot);
void segments_empty_slots(struct env* e); /* nothing is in memory, wanted, or on its way */
/* Commits up to that order are under way. */
bool segments_outstanding(struct env* e, uint64_t order);
/* The request is for a page of a map block. Whether it was read as it was committed: page 0 has
 * what the commit covers where the others have its number. */
void segments_address(struct env* e, struct flash_request* r, uint32_t block, uint32_t page);
bool segments_whole(struct env* e, const struct flash_result* result, const struct segment* g,
                    uint64_t* sequence);
bool segments_tells_covers(const struct env* e, uint32_t page);

#endif
