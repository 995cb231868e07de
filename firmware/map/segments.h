/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments of a map that is paged like virtual memory (H.-S. Lee, 2022). A segment is as many map
 * pages as fill an erase block, and lies in one, its map block, which belongs to no superblock.
 * Memory has slots for some of the segments; the one that was not used for the longest time leaves.
 * A dirty one is committed first: all its pages go to a spare block, the block map is switched, the
 * old block is erased and becomes a spare. The block map is not stored: power-up finds it by the
 * last page of each map block, which is programmed when all before it are.
 */
#ifndef SSDVP_FIRMWARE_MAP_SEGMENTS_H
#define SSDVP_FIRMWARE_MAP_SEGMENTS_H

#include "firmware/lib/list.h"
#include "firmware/map/map_block.h"
#include "firmware/map/maps.h"
#include "firmware/space/reserve.h"

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
    return (struct segment*)env_dram(e, e->segments->table) + n;
}

static inline struct segment_slot* segment_slot_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->segments->slots);
    return (struct segment_slot*)env_dram(e, e->segments->slot_table) + i;
}

static inline struct map_block* map_block_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->segments->blocks);
    return (struct map_block*)env_dram(e, e->segments->block_table) + i;
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

/* slots: in memory, 0 = as many as `bytes` hold; 0 = done. */
int segments_init(struct env* e, uint64_t bytes, uint32_t slots);
/* It is wanted in memory. use: 1 = it is there, and was used now; else it is wanted. look: a page
 * of level 1 that is only read may be there before the rest of its segment is. */
void segments_ask(struct env* e, uint32_t n);
bool segments_use(struct env* e, uint32_t n);
bool segments_look(struct env* e, uint64_t page);
bool segments_there(struct env* e, uint32_t n);
/* Loads, commits and erases go on. true = one came in without a read: no interrupt says so. */
bool segments_step(struct env* e);
/* Counts what is not counted yet, one segment at a time. tell: the same for one, if `may`: nothing
 * is wanted that is not there yet. It looks at `pages` or so; true = there are more, and no read
 * says so. */
bool segments_load_all(struct env* e, uint64_t pages);
bool segments_may_tell(struct env* e);
void segments_tell(struct env* e, uint32_t n);
/* Checkpoint. put: 1 = what changed before mark is on its way. outstanding: commits up to order. */
void segments_mark(struct env* e);
bool segments_put(struct env* e, uint64_t* walk);
bool segments_outstanding(struct env* e, uint64_t order);
/* No segment holds anything any more, here or on the flash (maps_clear). */
void segments_clear(struct env* e);

/* Power-up (segments_boot.c). find: scan has that page of the map blocks read which seen has not
 * heard of yet; 0 = power goes. store, expect: the numbers of the newest commits and the erases of
 * the blocks go into an anchor record (uint32_t per segment, then struct saved_map_block per map
 * block); a segment whose commit of that number, or a later one, was not found is lost. With
 * SEGMENT_VOID what was committed up to that number is forgotten. seen: the spare words of a page
 * were read, NULL = they cannot be. */
int segments_plan(struct env* e);
typedef int (*segments_scan)(struct env* e, uint32_t page);
int segments_find(struct env* e, segments_scan scan);
void segments_seen(struct env* e, const struct flash_request* r, const uint64_t* words);
void segments_store(struct env* e, void* to);
void segments_expect(struct env* e, const void* from);

/* Wear (segments_wear.c). take: an erased block. level: a segment that is hardly ever written, a
 * cold one, leaves a block that is hardly worn. recover: what was erased since the record. */
uint32_t segments_take_erased(struct env* e, bool cold);
void segments_count_erases(struct env* e);
void segments_level(struct env* e);
void segments_recover_erases(struct env* e, const uint32_t* numbers,
                             const struct saved_map_block* saved);

/* No map block is left that could take a commit (segments_spent.c). note: looks whether it is so.
 * peek: what the flash says of a unit whose segment is not in memory, FTL_UNKNOWN = ask again.
 * derive: power-up keeps no segment, but applies what it found each time one comes in. */
void segments_note_spent(struct env* e);
uint64_t segments_peek(struct env* e, uint64_t unit);
void segments_peeked(struct env* e, const struct flash_result* result);
void segments_derive(struct env* e);
void segments_wash(struct env* e, uint32_t slot); /* what changed in it is forgotten */
/* The way from and to the flash (segments_io.c). */
void segments_address(struct env* e, struct flash_request* r, uint32_t block, uint32_t page);
bool segments_whole(struct env* e, const struct flash_result* result, const struct segment* g,
                    uint64_t* sequence);
void segments_load(struct env* e, uint32_t slot, uint32_t n, uint32_t page); /* read first */
bool segments_commit(struct env* e, uint32_t slot); /* false = no spare block */
void segments_advance(struct env* e, uint32_t slot);
void segments_erase(struct env* e);
void segments_arrive(struct env* e, uint32_t slot);
void segments_drop(struct env* e, uint32_t slot);
void segments_read_done(struct env* e, const struct flash_result* result);
void segments_done(struct env* e, const struct flash_result* result);
bool segments_dirty(struct env* e, uint32_t slot);
void segments_empty_slots(struct env* e); /* nothing is in memory, wanted, or on its way */
void segments_busy(struct env* e, uint32_t slot);

#endif
