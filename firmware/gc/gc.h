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

struct rewrite {    /* of pages that were programmed shallow (rewrite.c) */
    uint32_t waits; /* 1 = for free superblocks */
    uint32_t reads; /* under way */
    uint64_t next;  /* page to look at */
    uint64_t end;
    uint64_t until;     /* slice up to which pages move */
    uint64_t deadlines; /* uint64_t per buffer: when its unit is lost, ns */
    uint64_t urgent;    /* ns: from then on the host has no precedence */
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
void gc_set_marks(struct env* e, const struct gc_setup* setup); /* after the bad-block scan */

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
bool gc_is_idle(const struct env* e);

/* The superblock that the policy would collect, of all or those of a plane, among those of which
 * more than `least` thousandths are garbage; INDEX_NONE. */
uint32_t gc_choose(struct env* e, uint32_t lane, uint32_t least);

void gc_step(struct env* e);
bool gc_is_settled(struct env* e); /* a step would do nothing until something is announced */
void gc_read_done(struct env* e, const struct flash_result* result);
void gc_program_done(struct env* e, const struct flash_result* result);
void gc_copy_done(struct env* e, const struct flash_result* result);

/* Patrol. It runs while the controller is enabled and not shut down. step: timer = its line was
 * pending; returns ns until the timer should raise it, 0 = leave it as it is. */
void gc_patrol_run(struct env* e, int on);
uint32_t gc_patrol_step(struct env* e, bool timer);
/* Where others share the timer: does what is due, and returns when the next is, 0 = nothing. */
uint64_t gc_patrol_at(struct env* e, uint64_t now_ns);
static inline uint32_t gc_patrol_due(const struct env* e) /* superblocks to look at now */
{
    return e->gc->patrol.due;
}
void gc_scan_done(struct env* e, const struct flash_result* result); /* that, or tell.c */
void gc_patrol_done(struct env* e, const struct flash_result* result);

/* Retention (rewrite.c). rewrites: 1 = more units of it may come soon. */
void gc_rewrite_step(struct env* e);
bool gc_rewrites(const struct env* e);
bool gc_pressed(struct env* e);        /* true = it is so late that the host must wait */
uint64_t gc_rewrite_at(struct env* e); /* ns: when the next superblock is due; 0 = none waits */

/* true = collection is under way, or could still free something. */
bool gc_hopeful(struct env* e);

/* Pace. The host writes its units; units of a victim are on their way, or are not after all;
 * whether collection may read more, whether the host must wait for it. */
void gc_host_wrote(struct env* e, uint32_t block, uint32_t units);
void gc_moves(struct env* e, uint32_t units);
void gc_moves_back(struct env* e, uint32_t units);
bool gc_due(struct env* e);
bool gc_behind(struct env* e);
/* The host has changed so many units; true = collection has gained room, or may yet; the mark of
 * free superblocks that is worth trying; true = it is tried once more, for somebody waits. */
void gc_stirred(struct env* e, uint64_t units);
bool gc_thrives(const struct env* e);
uint32_t gc_mark(const struct env* e, uint32_t mark);
bool gc_rouse(struct env* e);
/* Free superblocks that the host must leave to collection: none while the victim's units fit
 * into the superblock that collection has open. */
uint32_t gc_reserve(struct env* e);

/* For the parts of this folder. true = it holds logical blocks, and merges will empty it. */
bool gc_moves_itself(struct env* e, uint32_t block);
static inline uint32_t* gc_links(struct env* e)
{
    return (uint32_t*)env_dram(e, e->gc->links);
}

static inline struct gc_unit* gc_unit_of(struct env* e, uint32_t i)
{
    return (struct gc_unit*)env_dram(e, e->gc->table) + i;
}

/* Copyback (copy.c). Planes of the group that the page at an address can move with inside its LUN,
 * that page's the lowest, 0 = it cannot; begins that, 0 = it has to wait; reads one page of those
 * that were refused. */
uint32_t gc_copyable(struct env* e, uint64_t address);
bool gc_copy(struct env* e, uint64_t address, uint32_t planes);
void gc_read_refused(struct env* e);
/* Reads the valid units of a page of the victim. */
void gc_read_page(struct env* e, uint64_t address, uint32_t valid);
/* ... of a page that is due, of no victim; the units are lost at that time. */
void gc_read_retained(struct env* e, uint64_t address, uint32_t valid, uint64_t deadline);
/* Units of maps leave their place by being written again from memory (relocate.c). */
void gc_relocate(struct env* e, uint32_t buffer, uint64_t word);
void gc_relocate_step(struct env* e);
/* The data of a buffer's unit are lost. */
void gc_mark_lost(struct env* e, uint32_t buffer);
/* Whether the unit, whose valid place is `from`, is pinned and no host program of it is in flight:
 * then it may be programmed. lost: its mark may have to be set. may_be_lost: without a look at the
 * map nobody can tell that a unit is not lost. */
enum gc_verdict {
    CLAIM_YES = 0,
    CLAIM_LATER = 1,    /* ask again */
    CLAIM_UNPINNED = 2, /* ... for the map has no room for its entry, or that is on its way */
    CLAIM_GONE = 3      /* it has moved on */
};
enum gc_verdict gc_claim(struct env* e, uint64_t unit, uint64_t from, bool lost);
bool gc_may_be_lost(struct env* e);
/* What is valid in a superblock, before all maps have been read (tell.c). Of one at a time. */
enum gc_tell { GC_TELL_WAIT = 0, GC_TELL_KNOWN = 1, GC_TELL_NOTHING = 2 };
void gc_tell_begin(struct env* e, uint32_t block);
enum gc_tell gc_tell(struct env* e);
/* A full superblock whose data have to move, INDEX_NONE. */
uint32_t gc_refresh_victim(struct env* e);
/* The same for wear levelling (levelling.c). */
uint32_t gc_wear_victim(struct env* e);

uint32_t gc_gain(struct env* e, uint32_t block); /* units that collecting it would give back */
uint32_t gc_garbage_victim(struct env* e); /* INDEX_NONE = none is wanted, worth it or known */

#endif
