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
 *
 * Files, each calling only those before it: pace, policy (and through its table the policies),
 * program, read, copy, patrol, victim, planes, gc.
 */
#ifndef SSDVP_FIRMWARE_GC_GC_H
#define SSDVP_FIRMWARE_GC_GC_H

#include <stdbool.h>

#include "firmware/gc/state.h"
#include "firmware/lib/env.h"

int gc_init(struct env* e);

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
bool gc_watches_for(const struct env* e, uint64_t garbage, uint64_t units);

/* Of a copy: what tells of the last step alone (run/steps.c). */
static inline void gc_overlook(struct gc* c)
{
    c->turn = 0;            /* who comes first; lists rotate where all wait */
    c->heard = c->vain = 0; /* for pages that pass: who asks for those changes what it asks */
    c->free.head = c->free.tail = 0;
    for (uint32_t kind = 0; kind < GC_KINDS; ++kind) {
        c->ready[kind].head = c->ready[kind].tail = 0;
    }
}

/* Buffers, of a map unit each (gc_buffer_data). While nothing is being collected (idle)
 * preconditioning borrows them. */
static inline uint32_t gc_buffers(const struct env* e)
{
    return e->gc->units;
}
bool gc_is_idle(const struct env* e);

void gc_step(struct env* e);
/* The same; true = it has looked at a page, or at another victim. */
bool gc_gets_on(struct env* e);
bool gc_looks(const struct env* e); /* something of it waits for what nobody announces */
bool gc_is_stale(struct env* e);    /* what it keeps for itself is to be counted again */
bool gc_hopeful(struct env* e);     /* collection is under way, or could still free something */

/* What collection asks of the buffer and of recovery, which are above it. Each env has the table
 * (run/fw.c). */
struct gc_asks {
    /* true = a program of the host's data of the unit is under way. */
    bool (*programs)(struct env* e, uint64_t unit);
    /* true = the host's data are all on the flash, or on their way. */
    bool (*at_rest)(const struct env* e);
    /* true = the host's data wait for their part of the map, and for nothing else. */
    bool (*lacks_map)(const struct env* e);
    /* true = who waits for a checkpoint waits in vain (durable/state.h). */
    bool (*in_vain)(const struct env* e);
};

#endif
