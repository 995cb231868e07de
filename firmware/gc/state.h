/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: what it consists of. Nobody but collection looks at the fields; others ask gc.h.
 */
#ifndef SSDVP_FIRMWARE_GC_STATE_H
#define SSDVP_FIRMWARE_GC_STATE_H

#include <stdbool.h>

#include "firmware/lib/list.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_out.h"
#include "firmware/ops/flash.h"

#define GC_UNKNOWN (FTL_UNKNOWN & ~FTL_LOST) /* as unit: whose it is cannot be told yet */

struct gc_unit {
    uint64_t unit; /* logical, with FTL_LOST */
    uint64_t from; /* its address in the victim */
};

enum {
    GC_GARBAGE = 0,
    GC_WEAR = 1,
    GC_REFRESH = 2,
    GC_RETAIN = 3, /* units of pages that are due, of no victim (patrol.c) */
    GC_FOLD = 4,   /* a superblock of the SLC cache (victim.c) */
    GC_KINDS = 5
};

struct patrol {
    uint64_t every_ns; /* from one superblock to the next; 0 = no patrol */
    uint64_t left_ns;  /* until the next one is due, from when the timer was armed */
    uint64_t at_ns;    /* when the timer is to wake us, where others share it; 0 = not at all */
    uint32_t armed;    /* ns; 0 = the timer does not run for us */
    uint32_t on;
    uint32_t due;   /* superblocks to look at now, the first one perhaps in part */
    uint32_t block; /* next superblock ... */
    uint32_t piece; /* ... and of it the next block: lun * planes + plane */
    uint32_t round; /* which page */
};

struct rewrite {    /* of pages that were programmed shallow (patrol.c) */
    uint32_t waits; /* 1 = for free superblocks */
    uint32_t reads; /* under way */
    uint64_t next;  /* page to look at */
    uint64_t end;
    uint64_t until;     /* slice up to which pages move */
    uint64_t deadlines; /* uint64_t per buffer: when its unit is lost, ns */
    uint64_t urgent;    /* ns: from then on the host has no precedence */
};

struct gc_plane {
    struct fifo ready; /* buffers: read and checked, to be programmed */
    uint32_t victim;   /* INDEX_NONE = none; until it is erased */
    uint32_t kind;
    uint32_t reads;   /* under way */
    uint32_t since;   /* victims since one for wear levelling */
    uint32_t active;  /* between the marks */
    uint32_t scanned; /* 1 = all pages of the victim have been looked at */
    uint32_t leaving; /* map pages and journal units that have been read and lie in it yet */
    uint64_t scan;    /* next address */
    uint64_t futile;  /* blocks.invalidations when no victim was worth it */
};

struct gc {
    uint32_t active; /* between the marks */
    uint32_t low;    /* free superblocks */
    uint32_t high;
    uint32_t victim; /* INDEX_NONE = none being read */
    uint32_t kind;   /* of the victim */
    uint32_t effort; /* victims that may still be taken until the host changes something (pace.c) */
    uint32_t heard;  /* turns of the maps when the host wrote last, or all buffers were full */
    uint32_t vain;   /* ... when units were claimed last that the map had no room for */
    uint64_t scan;   /* next address of the victim to look at */
    uint32_t reads;  /* under way */
    uint32_t programs;
    uint32_t copies;  /* under way or refused */
    uint32_t plain;   /* 1 = the victim's pages are not good enough to be copied */
    uint32_t roused;  /* 1 = since the host changed something last somebody waited for room */
    uint32_t busy;    /* 1 = there is no idle time, though nothing of the host's is under way */
    int64_t debt;     /* units to be moved for what the host wrote, in 1/256 */
    uint32_t usual;   /* valid units of a victim, from the last one */
    uint64_t slack;   /* units of room that are not planned with (pace.c) */
    uint32_t units;   /* buffers */
    uint64_t buffers; /* units map units, then one that nobody reads */
    uint64_t table;   /* struct gc_unit per buffer */
    uint64_t links;   /* uint32_t per buffer */
    struct fifo free;
    struct fifo ready[GC_KINDS];   /* read and checked, to be programmed */
    struct fifo claimed[GC_KINDS]; /* ... and pinned: a write unit that waits for the map's room */
    struct fifo moving;            /* map pages and journal units that are on their way elsewhere */
    struct fifo unmoved;           /* ... and that will be */
    uint32_t relocates[MAPS_LEVELS]; /* both, by their queue */
    uint32_t put_off;                /* times a short write unit was, for units that have to wait */
    uint32_t dropped;                /* 1 = units of ready have moved on meanwhile */
    struct fifo refused;             /* requests of copies that came to nothing: to be read */
    uint64_t futile;                 /* blocks.invalidations when no victim was worth it */
    uint32_t least;                  /* garbage, in thousandths, that a victim has more of, now */
    uint64_t watched;                /* blocks.invalidations when no superblock had more */
    uint64_t reclaimed;     /* ... when idle time found none for the SLC cache (victim.c) */
    uint32_t partial;       /* 1 = what is valid was not known of all superblocks, when last seen */
    uint32_t asked;         /* superblock of which the maps are asked, INDEX_NONE = none */
    uint32_t ask_next;      /* of it: the next page to be read, LUN by LUN */
    uint32_t ask_reads;     /* requests for that: under way, or in asking */
    uint32_t ask_doubt;     /* 1 = a page of it could not be read */
    struct fifo asking;     /* requests whose units the maps are asked about */
    uint32_t wear_wait;     /* superblock erases between two wear victims */
    uint32_t wear_waits;    /* 1 = a wear victim is due and no superblock is free to take it */
    uint32_t refresh_waits; /* 1 = a stale superblock waits for free ones */
    uint32_t refresh_next;  /* superblock where the search for the next one begins */
    uint64_t erase_stamp;
    uint32_t lane;    /* that a policy looks at, INDEX_NONE = at all superblocks */
    uint32_t victims; /* of planes that are collected each by itself (planes.h) */
    uint32_t turn;    /* plane that comes first ... */
    uint32_t spread;  /* ... and to which the next page that is due goes */
    uint64_t planes;  /* struct gc_plane per lane */
    uint64_t own;     /* uint32_t per LUN: operations of theirs */
    struct rewrite rewrite;
    struct patrol patrol;
};

static inline struct gc_unit* gc_unit_of(struct env* e, uint32_t i)
{
    return (struct gc_unit*)env_dram_entry(e, e->gc->table, i, sizeof(struct gc_unit));
}

static inline uint32_t* gc_links(struct env* e)
{
    return (uint32_t*)env_dram(e, e->gc->links);
}

/* Where the data of a buffer are; of the one behind the last: of what is read to nowhere. */
static inline uint64_t gc_buffer_data(const struct env* e, uint32_t i)
{
    return e->gc->buffers + ((uint64_t)i << e->geo->unit_shift);
}

static inline uint32_t gc_buffer_at(const struct env* e, uint64_t data)
{
    return (uint32_t)((data - e->gc->buffers) >> e->geo->unit_shift);
}

static inline struct gc_plane* gc_plane_at(struct env* e, uint32_t lane)
{
    return (struct gc_plane*)env_dram_entry(e, e->gc->planes, lane, sizeof(struct gc_plane));
}

static inline struct gc_plane* gc_plane_of(struct env* e, uint32_t block)
{
    return gc_plane_at(e, lane_of_block(e->geo, block));
}

/* Operations of collection's on a LUN: one more, or less, on that of a block. */
static inline uint32_t* gc_own_of(struct env* e, uint32_t lun)
{
    return (uint32_t*)env_dram(e, e->gc->own) + lun;
}
static inline void gc_planes_begin(struct env* e, uint32_t block)
{
    ++*gc_own_of(e, part_lun(e->geo, block, 0));
}
static inline void gc_planes_end(struct env* e, uint32_t block)
{
    uint32_t* own = gc_own_of(e, part_lun(e->geo, block, 0));
    FW_ASSERT(e, *own != 0);
    --*own;
}

#endif
