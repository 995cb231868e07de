/* SPDX-License-Identifier: Apache-2.0
 *
 * What parts of collection share: those that write (gc.c, lanes.c), and where buffers are.
 */
#ifndef SSDVP_FIRMWARE_GC_PARTS_H
#define SSDVP_FIRMWARE_GC_PARTS_H

#include <stdbool.h>

#include "firmware/gc/gc.h"
#include "firmware/space/blocks.h"

struct picks { /* buffers of a write unit, in its order; the one behind the last = padding */
    uint32_t count;
    uint32_t buffer[GROUP_MAX];
};

static inline uint32_t gc_buffer_at(const struct env* e, uint64_t data)
{
    return (uint32_t)((data - e->gc->buffers) >> e->geo->unit_shift);
}

/* patrol.c */
void gc_patrol_init(struct env* e, uint32_t interval_us);

/* Whether the unit of a buffer can be programmed now. If so it is pinned. */
enum gc_verdict gc_claim_buffer(struct env* e, uint32_t buffer);
/* true = so many that could not be pinned are enough for now: others would fare no better. */
bool gc_is_vain(const struct env* e, uint32_t unpinned);
/* Its unit has moved on meanwhile: the buffer is free. */
void gc_drop_buffer(struct env* e, uint32_t buffer);
/* Programs a write unit of claimed buffers, p->count <= w->units. */
void gc_program(struct env* e, uint32_t kind, const struct write_unit* w, const struct picks* p);
/* true = units that only have to wait would soon fill a short write unit. */
bool gc_others_wait(struct env* e, uint32_t kind);

/* lanes.c: one write unit of a bin. last: nothing more comes to fill a page. false = none now. */
bool gc_write_lanes(struct env* e, uint32_t kind, uint32_t stream, bool last);

/* true = the pinned unit lies at the valid place that names it. It may not where a map page was
 * lost: then what lies there may be older, and says nothing of the unit. */
bool gc_lies(struct env* e, uint64_t unit, uint64_t from);

#endif
