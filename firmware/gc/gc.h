/* SPDX-License-Identifier: Apache-2.0
 *
 * Garbage collection, static wear levelling, refresh.
 *
 * Collection starts when free superblocks fall below the low mark and goes on to the high mark. A
 * victim's valid units are read, checked against the map, and written again by the collection's
 * own stream; the victim is erased once everything read from it is programmed. Units of several
 * victims share write units, so none is padded before collection pauses.
 *
 * Pace (pace.c): every host unit programmed is a debt of units to be moved, such that collection
 * gains a superblock before the host needs one. Collection works while there is a debt, or while
 * the host programs nothing; the host waits while the debt is more than two stripes.
 */
#ifndef SSDVP_FIRMWARE_GC_GC_H
#define SSDVP_FIRMWARE_GC_GC_H

#include <stdbool.h>

#include "firmware/gc/patrol.h"
#include "firmware/gc/rewrite.h"
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
    GC_RETAIN = 3, /* units of pages that are due, of no victim (rewrite.c) */
    GC_FOLD = 4,   /* a superblock of the SLC cache (fold.c) */
    GC_KINDS = 5
};

struct gc {
    uint32_t policy;
    uint32_t active; /* between the marks */
    uint32_t low;    /* free superblocks */
    uint32_t high;
    uint32_t wear_delta;
    uint32_t victim; /* INDEX_NONE = none being read */
    uint32_t kind;   /* of the victim */
    uint32_t effort; /* victims that may still be taken until the host changes something (pace.c) */
    uint64_t scan;   /* next address of the victim to look at */
    uint32_t reads;  /* under way */
    uint32_t programs;
    uint32_t copies;     /* under way or refused */
    uint32_t plain;      /* 1 = the victim's pages are not good enough to be copied */
    uint32_t carry_most; /* wrong bits per code word that a copy may carry; 0 = the part has none */
    uint32_t roused;     /* 1 = since the host changed something last somebody waited for room */
    int64_t debt;        /* units to be moved for what the host wrote, in 1/256 */
    uint32_t usual;      /* valid units of a victim, from the last one */
    uint32_t units;      /* buffers */
    uint64_t buffers;    /* units map units, then one that nobody reads */
    uint64_t table;      /* struct gc_unit per buffer */
    uint64_t links;      /* uint32_t per buffer */
    struct fifo free;
    struct fifo ready[GC_KINDS]; /* read and checked, to be programmed */
    struct fifo moving;          /* map pages and journal units that are on their way elsewhere */
    struct fifo unmoved;         /* ... and that will be */
    uint32_t relocates[MAPS_LEVELS]; /* both, by their queue */
    uint32_t put_off;                /* times a short write unit was, for units that have to wait */
    uint32_t dropped;                /* 1 = units of ready have moved on meanwhile */
    struct fifo refused;             /* requests of copies that came to nothing: to be read */
    uint64_t futile;                 /* blocks.invalidations when no victim was worth it */
    uint32_t watch;                  /* garbage of a superblock, in thousandths, see gc_setup */
    uint32_t least;                  /* ... that a victim has to have more of, now */
    uint64_t watched;                /* blocks.invalidations when no superblock had more */
    uint64_t reclaimed;              /* ... when idle time found none for the SLC cache (fold.c) */
    uint32_t partial;   /* 1 = what is valid was not known of all superblocks, when last seen */
    uint32_t asked;     /* superblock of which the maps are asked, INDEX_NONE = none */
    uint32_t ask_next;  /* of it: the next page to be read, LUN by LUN */
    uint32_t ask_reads; /* requests for that: under way, or in asking */
    uint32_t ask_doubt; /* 1 = a page of it could not be read */
    struct fifo asking; /* requests whose units the maps are asked about */
    uint32_t erases_since_wear;
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

struct gc_setup {
    uint32_t policy;
    uint32_t low_permille;
    uint32_t high_permille;
    uint32_t wear_delta;
    uint32_t carry_most;
    uint32_t watch_permille; /* what has a greater share of garbage is collected though space is not
                                low; 0 = only when it is */
    uint32_t patrol_us;      /* a page of each block is read this often; 0 = never */
};

int gc_init(struct env* e, const struct gc_setup* setup);

/* Free superblocks, or blocks of each plane, below which collection starts, and at which it ends.
 */
static inline uint32_t gc_low(const struct env* e)
{
    return e->gc->low;
}
static inline uint32_t gc_high(const struct env* e)
{
    return e->gc->high;
}

/* What has so much garbage is collected though space is not low. */
static inline bool gc_watches_for(const struct env* e, uint64_t garbage, uint64_t units)
{
    return e->gc->watch != 0 && garbage * 1000 > units * e->gc->watch;
}

/* Buffers, of a map unit each, and where the data of one are; of the one behind the last: of what
 * is read to nowhere. While nothing is being collected (idle) preconditioning borrows them. */
static inline uint32_t gc_buffers(const struct env* e)
{
    return e->gc->units;
}
static inline uint64_t gc_buffer_data(const struct env* e, uint32_t i)
{
    return e->gc->buffers + ((uint64_t)i << e->geo->unit_shift);
}
static inline struct gc_unit* gc_unit_of(struct env* e, uint32_t i)
{
    return (struct gc_unit*)env_dram(e, e->gc->table) + i;
}
bool gc_is_idle(const struct env* e);

void gc_step(struct env* e);
bool gc_is_settled(struct env* e); /* a step would do nothing until something is announced */
bool gc_hopeful(struct env* e);    /* collection is under way, or could still free something */

#endif
