/* SPDX-License-Identifier: Apache-2.0
 *
 * Shallow programs: which host writes are, and when what they wrote has to be written again.
 *
 * Tracker. Every page that the host programmed shallow has a stamp: the slice of time it was
 * programmed in, 1/64 of the retention. A superblock with such pages hangs in the wheel, in the
 * slot of its oldest one's slice, so that the superblock at the hand is the next that is due. A
 * write costs a stamp and at most one chain operation, whatever is tracked. gc/patrol.c moves what
 * is still valid of the pages that are due, and the superblock goes on with its next younger ones.
 *
 * Time is that of a clock that runs on while the power is off, 128 slices ahead, so that there is
 * an age that makes a page due at once from the beginning on. What was programmed in the future,
 * for the clock has begun anew, has that age.
 *
 * Predictor. Regions of neighbouring units count how many shallow units died before their time, by
 * an overwrite or a trim, and how many had to be rewritten. While the share of the latter is at
 * most a threshold writes to the region go shallow; else they go deep but for one in 16, so that a
 * region that changes is found out.
 */
#ifndef SSDVP_FIRMWARE_SPACE_RETENTION_H
#define SSDVP_FIRMWARE_SPACE_RETENTION_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/request.h"
#include "firmware/space/reserve.h"
#include "models/regs/choices/shallow_policy.h"
#include "models/regs/parts/retention.h"

#define RETENTION_SLICES 64u /* of the retention */
#define RETENTION_AGES 127u  /* that a stamp can tell apart: the last is of all older ones too */
#define STAMP_DEEP 0x80u     /* of a page that is deep, and could have been shallow */
#define STAMP_AGE 0x7Fu
#define RETENTION_STAMP_SHIFT 40u                  /* in the word of a unit (spare.h) */
#define RETENTION_STAMPS ((UINT64_C(1) << 24) - 1) /* slices that a spare word tells apart */

struct retained {   /* of a superblock */
    uint64_t since; /* no page of it that has a stamp is older than this, ns */
    bool listed;    /* true = in the wheel */
    bool shallow;   /* true = since its erase it was programmed shallow */
    bool restored;  /* true = a power-up found that it has shallow pages */
    uint8_t reserved[5];
};

struct region {
    uint8_t died;
    uint8_t survived;
};

struct retention {
    uint32_t on;       /* there is a limit */
    uint32_t rewrites; /* ... and pages are rewritten before it */
    uint32_t policy;   /* enum shallow_policy_id, as told: each unit of the host asks for it */
    uint64_t slice_ns;
    uint64_t table;   /* struct retained per superblock */
    uint64_t links;   /* struct link per superblock */
    uint64_t wheel;   /* struct chain per slot */
    uint64_t stamps;  /* uint8_t per page: 0 = nothing is told; 1 + slice, STAMP_DEEP */
    uint64_t regions; /* struct region, where they are predicted */
    uint64_t hand;    /* no superblock in the wheel has an older slice */
    uint32_t died;    /* stamp of the page that lost a unit last */
    uint32_t block;   /* superblock that is looked through (gc/patrol.c), INDEX_NONE */
    uint32_t hurried; /* ... that is due and collected anyway, INDEX_NONE */
    uint64_t rest;    /* oldest slice that stays in `block`, UINT64_MAX = none */
};

int retention_init(struct env* e);

static inline bool retention_on(const struct env* e) /* some pages are kept for a limited time */
{
    return e->retention->on != 0;
}

/* true = this slot's unit is to be programmed shallow; `small`: it
 * came with a short command. */
bool retention_dies_in_time(struct env* e, uint64_t unit, uint64_t sequence);
static inline bool retention_shallow(struct env* e, uint64_t unit, uint64_t sequence, bool small)
{
    const uint32_t policy = e->retention->policy;
    return policy == SHALLOW_ALL || (policy == SHALLOW_SMALL_REQUESTS && small) ||
           (policy == SHALLOW_PREDICTED && retention_dies_in_time(e, unit, sequence));
}
bool retention_is_small(const struct env* e, uint64_t bytes);
/* true = some host programs are shallow and some are not. */
static inline bool retention_mixes(const struct env* e)
{
    const uint32_t policy = e->retention->policy;
    return policy == SHALLOW_SMALL_REQUESTS || policy == SHALLOW_PREDICTED;
}
/* A host program in that mode is about to be submitted: its pages are stamped. Returns what the
 * word of each unit tells of it. */
uint64_t retention_program(struct env* e, struct flash_request* r, int shallow);

/* The host wrote or trimmed the unit. before: ahead of what takes the old place away. */
void retention_died(struct env* e, uint64_t unit);
static inline void retention_before(struct env* e)
{
    e->retention->died = 0;
}
static inline void retention_after(struct env* e, uint64_t unit)
{
    if (e->retention->died != 0) {
        retention_died(e, unit);
    }
}
/* A unit of an address loses its place; a superblock was erased; a unit was rewritten. */
void retention_invalid(struct env* e, uint64_t address);
void retention_erased(struct env* e, uint32_t block);
void retention_rewritten(struct env* e, uint64_t unit, uint64_t deadline);

/* Slice of a page's stamp, true = it has one; it is forgotten. index: address >> unit_bits. */
bool retention_slice(struct env* e, uint64_t index, uint64_t* slice, bool* deep);
void retention_forget_page(struct env* e, uint64_t index);
/* The superblock whose oldest page is the oldest, INDEX_NONE. */
uint32_t retention_first(struct env* e);
/* It is looked through: it leaves the wheel, and comes back with its oldest page that stays. One
 * that is collected does not: its units move anyway. */
void retention_begin(struct env* e, uint32_t block);
void retention_stays(struct env* e, uint64_t slice);
void retention_end(struct env* e);
void retention_hurry(struct env* e, uint32_t block);
static inline uint32_t retention_looked_at(const struct env* e) /* INDEX_NONE = none is */
{
    return e->retention->block;
}
static inline uint32_t retention_hurried(const struct env* e) /* INDEX_NONE = none is */
{
    return e->retention->hurried;
}
/* Pages are rewritten; so long before they are lost; up to this slice now; when one of a slice is
 * lost. */
static inline bool retention_rewrites(const struct env* e)
{
    return e->retention->rewrites != 0;
}
uint64_t retention_margin(const struct env* e);
uint64_t retention_due_slice(struct env* e);
uint64_t retention_lost_at(const struct env* e, uint64_t slice);
/* Times in ns, all of the clock of this folder: when it is to be rewritten; now. */
uint64_t retention_due(struct env* e, uint32_t block);
static inline uint64_t retention_now(struct env* e)
{
    return hal_time_ns(e->hal) + RETENTION_WHEEL * e->retention->slice_ns;
}

/* Of a copy: how far the hand has come (run/steps.c). */
static inline void retention_overlook(struct retention* r)
{
    r->hand = 0;
}

/* Power-up. The table of an anchor record; what the words of a page tell; all has been read. */
uint64_t retention_bytes(const struct env* e);
void retention_store(struct env* e, void* to);
void retention_load(struct env* e, const void* from);
void retention_found(struct env* e, const struct flash_request* r, uint32_t plane, uint64_t word);
void retention_resume(struct env* e);

#endif
