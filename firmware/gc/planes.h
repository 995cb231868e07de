/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection where each plane has its own free blocks (space/planes.h): a victim is one block, one
 * per plane at a time, and planes go on beside each other. A plane is collected while it has fewer
 * free blocks than its mark, in the background: pages are read while its LUN has nothing else to
 * do. Once the host would have to wait for a block there, collection takes turns with whatever else
 * the LUN has.
 */
#ifndef SSDVP_FIRMWARE_GC_PLANES_H
#define SSDVP_FIRMWARE_GC_PLANES_H

#include <stdbool.h>

#include "firmware/gc/gc.h"

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

int gc_planes_init(struct env* e);
void gc_planes_step(struct env* e);
/* Units beyond those that preconditioning borrows. */
uint32_t gc_planes_units(const struct env* e);

static inline struct gc_plane* gc_plane_at(struct env* e, uint32_t lane)
{
    return (struct gc_plane*)env_dram(e, e->gc->planes) + lane;
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
