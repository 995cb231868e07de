/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: units on their way, each in a buffer; which of them may be programmed now; their
 * programs.
 */
#ifndef SSDVP_FIRMWARE_GC_PROGRAM_H
#define SSDVP_FIRMWARE_GC_PROGRAM_H

#include "firmware/gc/state.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_pages.h"
#include "firmware/space/state.h"

struct picks { /* buffers of a write unit, in its order; the one behind the last = padding */
    uint32_t count;
    uint32_t buffer[GROUP_MAX];
};

/* Purpose of the operations of a kind. */
uint8_t gc_purpose(uint32_t kind);
/* What was read, of a kind and of a block, to be programmed. */
struct fifo* gc_ready(struct env* e, uint32_t kind, uint32_t block);
/* The data of a buffer's unit are lost. */
void gc_mark_lost(struct env* e, uint32_t buffer);
/* true = the pinned unit lies at the valid place that names it. It may not where a map page was
 * lost: then what lies there may be older, and says nothing of the unit. */
bool gc_lies(struct env* e, uint64_t unit, uint64_t from);
/* Without a look at the map nobody can tell that a unit is not lost. A valid one has been counted,
 * and if it was lost that has been too. */
static inline bool gc_may_be_lost(const struct env* e)
{
    return e->telemetry->lost_units != 0 || maps_damaged(e);
}

/* Whether the unit, whose valid place is `from`, is pinned and no host program of it is in flight:
 * then it may be programmed. lost: its mark may have to be set. */
enum gc_verdict {
    CLAIM_YES = 0,
    CLAIM_LATER = 1,    /* ask again */
    CLAIM_UNPINNED = 2, /* ... for the map has no room for its entry, or that is on its way */
    CLAIM_GONE = 3      /* it has moved on */
};
enum gc_verdict gc_claim(struct env* e, uint64_t unit, uint64_t from, bool lost);
/* The same of the unit of a buffer. */
enum gc_verdict gc_claim_buffer(struct env* e, uint32_t buffer);
/* true = so many that could not be pinned are enough for now: others would fare no better. */
bool gc_is_vain(const struct env* e, uint32_t unpinned);
/* Its unit has moved on meanwhile: the buffer is free. */
void gc_drop_buffer(struct env* e, uint32_t buffer);

/* Programs a write unit of claimed buffers, p->count <= w->units. */
void gc_program(struct env* e, uint32_t kind, const struct write_unit* w, const struct picks* p);
/* Programs what is ready of a kind. pausing: no more of it comes for now. */
void gc_write_ready(struct env* e, uint32_t kind, bool pausing);
/* What waits for the rest of its write unit is pinned no more: it is claimed again. Before the map
 * is cleared, or while nothing may change. */
void gc_unclaim(struct env* e);
void gc_program_done(struct env* e, const struct flash_result* result);

#endif
