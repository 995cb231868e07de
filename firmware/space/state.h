/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the superblocks, of what writes them and of what is known of each. Files of this folder
 * change it; the others ask.
 */
#ifndef SSDVP_FIRMWARE_SPACE_STATE_H
#define SSDVP_FIRMWARE_SPACE_STATE_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/list.h"
#include "firmware/space/placement.h"
#include "firmware/space/reserve.h"

/* Who writes: each stream has a superblock open of its own (blocks.h). */
/* Maps have the last stream, or so many of them. */
enum block_stream { STREAM_HOST = 0, STREAM_GC = 1, STREAM_WEAR = 2, STREAM_MAP = 3, STREAMS = 4 };
#define STREAMS_MOST (STREAM_MAP + 6u)
/* Behind all of these: what the host keeps apart by directive, its stream n - 1
 * (host/nvme/directives.h). The tables of a record do not tell of them; what they had open is full
 * after a shutdown. */
#define STREAM_DIRECTED STREAMS_MOST
/* What goes to the SLC cache first (slc.h). Likewise no record tells of it. */
#define STREAM_SLC (STREAM_DIRECTED + RESERVE_DIRECTED_MOST)
#define STREAMS_ALL (STREAM_SLC + 1u)

/* The host's n-th stream by directive, 0 = what it writes without one. */
static inline uint32_t blocks_host_stream(uint32_t n)
{
    return n == 0 ? (uint32_t)STREAM_HOST : STREAM_DIRECTED + n - 1;
}

enum block_state {
    BLOCK_FREE = 0, /* erased */
    BLOCK_OPEN = 1, /* a stream writes it */
    BLOCK_FULL = 2,
    BLOCK_VICTIM = 3,    /* being collected */
    BLOCK_COLLECTED = 4, /* nothing valid left; erased once nobody reads it */
    BLOCK_ERASING = 5,
    BLOCK_DEAD = 6 /* no good block left */
};

/* Whose data a superblock holds, where logical blocks are mapped as one (hybrid.h, blockmap.h). */
enum block_role {
    BLOCK_PAGES = 0, /* collection's: maps, or whatever a stream wrote */
    BLOCK_LOG = 1,   /* of any logical blocks */
    BLOCK_DATA = 2,
    BLOCK_TARGET = 3, /* of a merge */
    BLOCK_SECOND = 4  /* of a logical block that may have a data block too */
};

#define BLOCK_STALE 0x1u /* its data are to move before they are lost */
#define BLOCK_AGAIN 0x8u /* power-up: it was erased and written since the record (found.h) */

struct superblock {
    uint64_t newest; /* sequence of the last program submitted to it */
    uint32_t erases;
    uint32_t valid;    /* units */
    uint32_t unseen;   /* ... and that many more: valid.h */
    uint32_t capacity; /* units in good blocks */
    uint32_t good;     /* good blocks */
    uint32_t pending;  /* programs under way, units on their way out */
    uint32_t readers;  /* host reads under way */
    uint32_t stamp;    /* when it became free */
    uint32_t owner;    /* by its role: log block, logical block, merge */
    uint8_t state;
    uint8_t flags;
    uint8_t purpose;  /* of the collection and the erase */
    uint8_t level;    /* read retry level that was right last, 0 = none was needed yet */
    uint8_t kept;     /* at power-up: not free at the record; then: opened before the base */
    uint8_t role;     /* enum block_role (pool.h) */
    uint8_t maps;     /* at power-up: level of the map pages found in it, 0 = none */
    uint64_t opened;  /* at power-up: lowest sequence found in it, where it was not */
    uint64_t changed; /* blocks.invalidations when it was filled or lost a unit last */
};

struct write_pointer {
    uint16_t page;
    uint8_t used; /* planes of this page that are taken */
    bool ended;
};

struct stream {
    uint32_t block; /* INDEX_NONE = none open */
    uint32_t pages; /* of a block of it */
    uint32_t cursor;
    uint32_t luns_left;
    uint32_t taken;    /* units of it */
    uint64_t pointers; /* struct write_pointer per LUN */
    uint64_t ends;     /* where a power-up found pages to end: uint16_t per LUN and plane ... */
    uint32_t ends_of;  /* ... of this superblock, INDEX_NONE = of none */
};

struct write_unit {
    uint32_t block;
    uint32_t page;
    uint32_t lun;
    uint32_t plane_mask;
    uint32_t units; /* that fit */
};

struct erase_piece { /* one erase operation of a superblock */
    uint32_t block, lun, plane_mask;
};

enum blocks_gate { BLOCKS_OPEN = 0, BLOCKS_MAPS_ONLY = 1, BLOCKS_CLOSED = 2 };

/* ---- Wear, watch ---- */

struct erase_counts { /* over good blocks */
    uint64_t min;     /* UINT64_MAX = there are none */
    uint64_t max;
    uint64_t sum;
    uint64_t square_sum;
    uint64_t blocks;
};

static inline struct erase_counts erase_counts_none(void)
{
    const struct erase_counts none = {UINT64_MAX, 0, 0, 0, 0};
    return none;
}

/* So many blocks have been erased n times each. */
static inline void erase_counts_add(struct erase_counts* c, uint64_t n, uint64_t blocks)
{
    c->min = n < c->min ? n : c->min;
    c->max = n > c->max ? n : c->max;
    c->sum += n * blocks;
    c->square_sum += n * n * blocks;
    c->blocks += blocks;
}

struct wear {
    uint32_t at_min;                 /* superblocks with the fewest erases of all */
    uint32_t least;                  /* erases of a full one, INDEX_NONE = there is none ... */
    uint64_t least_sum;              /* ... as of so many erases of all */
    struct erase_counts superblocks; /* whose planes and LUNs share a count */
    struct erase_counts map_blocks;  /* single blocks of a paged map */
};

/* ---- Lanes (lanes.h) ---- */

#define LANES_STREAMS RESERVE_LANE_STREAMS /* host, collection, wear levelling */

struct lane_block { /* an open superblock */
    uint32_t block;
    uint32_t taken; /* units of it */
    uint32_t left;  /* lanes that it has room in */
    uint32_t reserved;
};

struct lanes {
    uint32_t kind; /* enum placement_kind; stripe = there are no lanes */
    uint32_t window;
    uint32_t count; /* of lanes */
    uint32_t bins;
    uint32_t functional; /* 1 = preconditioning: no queue tells anything, LUNs take turns */
    struct placement_shape shape;
    uint32_t open[LANES_STREAMS];
    uint32_t chosen[LANES_STREAMS]; /* LUN of the next write unit, INDEX_NONE = none yet */
    uint32_t turn;                  /* bin of the next unit that is of any bin */
    uint32_t channel_turn;
    uint32_t resumed; /* superblocks that power-up gave back */
    uint64_t lane_of; /* uint16_t per bin, of a static order ... */
    uint64_t bin_of;  /* ... and back */
    uint64_t counts;  /* uint16_t per bin, for who gathers */
    uint64_t blocks;  /* struct lane_block per stream and place in its window */
    uint64_t next;    /* uint16_t per stream, place and lane: the next page */
    uint64_t ends_of; /* uint32_t per resumed superblock: which ... */
    uint64_t ends;    /* ... and uint16_t per lane: where its pages ended */
    uint64_t turns;   /* uint32_t: chip of each channel, die of each chip */
};

/* ---- Planes with blocks of their own (planes.h) ---- */

struct plane_block { /* that a stream has open in a plane */
    uint32_t block;  /* INDEX_NONE = none */
    uint32_t next;   /* page */
};

struct plane_end { /* where a power-up found the pages of a block that goes on */
    uint32_t block;
    uint32_t end;
};

struct planes {
    uint32_t count;   /* of lanes; 0 = superblocks are no plane's own */
    uint32_t streams; /* that may have a block open in each plane */
    uint32_t kept;    /* free blocks of a plane that the host leaves */
    uint32_t low;     /* ... with fewer of which it is collected */
    uint64_t open;    /* struct plane_block per stream and lane */
    uint64_t ends;    /* struct plane_end per stream and lane */
    uint64_t free;    /* uint32_t per lane */
    uint64_t turns;   /* uint32_t per LUN: the plane that comes next where any will do */
    uint64_t work;    /* bitmap: lanes that collection has to look at */
    uint64_t hope;    /* ... that it is about to free a block of */
};

struct blocks {
    uint64_t table;       /* struct superblock per superblock */
    uint64_t bad;         /* uint8_t plane mask per superblock and LUN */
    uint64_t valid_map;   /* one bit per unit address */
    uint64_t erase_links; /* uint32_t per superblock */
    uint32_t streams;     /* STREAMS, or more */
    struct stream stream[STREAMS_ALL];
    uint32_t directed; /* streams from STREAM_DIRECTED on */
    uint32_t routes;   /* 1 = the host has several streams: those, or one of the SLC cache */
    struct fifo erase_queue;
    uint32_t erase_step; /* progress in the queue's head: lun * planes + plane */
    uint32_t erase_left; /* operations of the head under way */
    uint64_t erase_ends; /* superblocks that have left the queue */
    uint32_t free;
    uint32_t kept;    /* free superblocks that the host must leave to collection */
    uint32_t leaving; /* superblocks collected or being erased */
    uint32_t stamp;
    struct wear wear;
    uint32_t reserve;        /* superblocks beyond the user's data that service needs */
    uint64_t capacity;       /* units in good blocks of all superblocks */
    uint64_t capacity_first; /* the same at boot */
    uint32_t stale;          /* superblocks with BLOCK_STALE */
    uint32_t watches;        /* 1 = reads are watched for what asks for a refresh */
    uint64_t reads;          /* uint32_t per block: since its erase; 0 = nobody counts */
    uint64_t strikes;        /* uint8_t per block: refreshes it asked for; 0 = nobody counts */
    uint64_t invalidations;
    uint64_t overhead;    /* units of maps and journal that want room beside the user's */
    uint32_t map_reserve; /* free superblocks that the host leaves to maps */
    uint32_t map_above;   /* ... and level 1 to level 2, which has to make room for it */
    uint32_t apart;       /* 1 = power-up gives no stream a superblock of another one */
    uint32_t map_stream;  /* the first of them; STREAM_GC where there is none to spare */
    uint32_t closed;      /* enum blocks_gate: who may take a write unit */
    uint32_t knocked;     /* 1 = somebody was refused */
    uint32_t bad_changed; /* 1 = the bad-block table is not on the flash as it is */
    uint32_t erase_held;  /* 1 = the next superblock's erase has to wait */
    uint32_t map_kept;    /* free superblocks that map pages leave to collection, but when: */
    uint32_t relocating;  /* mask of map streams: units leave a victim, to the last superblock */
    uint32_t planes_most; /* of a program of the host */
    struct lanes lanes;   /* where planes are written apart */
    struct planes planes; /* ... and have blocks of their own */
    uint32_t retained;    /* 1 = some pages are kept for a limited time (retention.h) */
    uint64_t hidden; /* uint8_t plane mask per superblock and LUN: blocks that belong to none */
};

static inline struct superblock* superblock_of(struct env* e, struct blocks* b, uint32_t i)
{
    return (struct superblock*)env_dram_entry(e, b->table, i, sizeof(struct superblock));
}

/* What this folder asks of the operations, which are above it. Each env has the table
 * (run/fw.c). */
struct space_asks {
    /* Operations of all kinds that the LUN has been given and not ended. */
    uint32_t (*queued)(struct env* e, uint32_t lun);
    /* The superblock is going to be erased: word lines of it need no padding any more. */
    void (*forget)(struct env* e, uint32_t block);
};

#endif
