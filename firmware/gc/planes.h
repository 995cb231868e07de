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
void gc_planes_set_marks(struct env* e, const struct gc_setup* setup);
void gc_planes_step(struct env* e);
/* Units beyond those that preconditioning borrows. */
uint32_t gc_planes_units(const struct env* e);

/* Of the plane of a block. */
struct gc_plane* gc_plane_of(struct env* e, uint32_t block);
/* One operation of collection's less, or more, on the LUN of a block. */
void gc_planes_begin(struct env* e, uint32_t block);
void gc_planes_end(struct env* e, uint32_t block);

/* A map page or journal unit of a block is to leave it, or has left; whether all of those of some
 * victim have been read. */
void gc_planes_leave(struct env* e, uint32_t block);
void gc_planes_left(struct env* e, uint32_t block);
bool gc_planes_wait(struct env* e);

/* Reads the valid units of a page of a plane's victim. */
void gc_read_in_plane(struct env* e, uint64_t address, uint32_t valid);
/* What was read, of a kind and of a block, to be programmed. */
struct fifo* gc_ready(struct env* e, uint32_t kind, uint32_t block);
/* Purpose of the operations of a kind. */
uint8_t gc_purpose(uint32_t kind);

#endif
