/* SPDX-License-Identifier: Apache-2.0
 *
 * A level of the maps whose pages share a few frames (maps.h): what becomes of a page and its
 * frame.
 */
#ifndef SSDVP_FIRMWARE_FTL_MAPS_FRAMES_H
#define SSDVP_FIRMWARE_FTL_MAPS_FRAMES_H

#include "firmware/ftl/maps.h"

/* 1 = changes have pages written all the time, for few of them are in memory. */
static inline int maps_paged(const struct maps* m)
{
    return maps_framed(m, 1) && m->segment == 0;
}

/* take: a frame for the page, 0 = none is free; free: there is one, or one can be made. leave: it
 * is done with. mark: entries of the page of level 1 are elsewhere, merge fetches them. absent: it
 * was never written. keep, shrink: while the drive boots pages stay in all frames, then only the
 * few are left. */
int maps_take_frame(struct env* e, uint32_t level, uint64_t page);
int maps_frame_free(struct env* e, uint32_t level);
void maps_drop_frame(struct env* e, uint32_t level, uint64_t page);
void maps_leave(struct env* e, uint32_t level, uint64_t page);
void maps_arrived(struct env* e, uint32_t level, uint64_t page);
void maps_mark(struct env* e, uint64_t page);
int maps_absent(struct env* e, uint32_t level, uint64_t page);
int maps_put_framed(struct env* e, uint32_t level, uint64_t page);
/* The page above is held until the copy has been programmed, if that is of a framed level. */
int maps_put_copy(struct env* e, uint32_t level, uint64_t page);
void maps_copy_done(struct env* e, uint32_t level, uint64_t page);
void maps_frames_step(struct env* e);
void maps_keep(struct env* e, uint32_t level);
int maps_shrink(struct env* e, uint32_t level);

/* 1 = room runs out: of what the map has in memory, so much all in all, one has to stay such that
 * it can leave without being written. So a drive without any room still reads. Not where a write
 * unit needs all of it. */
int maps_spare_one(const struct env* e, uint32_t all);
/* 1 = map pages wait for room that never comes, for the drive is read only. Whoever looks for what
 * can leave looks at all of it then, and counts on nothing that has to be written. */
int maps_stuck(struct env* e);

#endif
