/* SPDX-License-Identifier: Apache-2.0
 *
 * A level of the maps whose pages share a few frames (maps.h): what becomes of a page and its
 * frame.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_FRAMES_H
#define SSDVP_FIRMWARE_MAP_MAPS_FRAMES_H

#include <stdbool.h>

#include "firmware/map/maps.h"

/* true = changes have pages written all the time, for few of them are in memory. */
static inline bool maps_paged(const struct maps* m)
{
    return maps_framed(m, 1) && m->segment == 0;
}

/* take: a frame for the page, false = none is free; free: there is one, or one can be made. leave:
 * it is done with. mark: entries of the page of level 1 are elsewhere, merge fetches them. absent:
 * it was never written. keep, shrink: while the drive boots pages stay in all frames, then only the
 * few are left. */
bool maps_take_frame(struct env* e, uint32_t level, uint64_t page);
bool maps_frame_free(struct env* e, uint32_t level);
void maps_drop_frame(struct env* e, uint32_t level, uint64_t page);
void maps_leave(struct env* e, uint32_t level, uint64_t page);
void maps_arrived(struct env* e, uint32_t level, uint64_t page);
void maps_mark(struct env* e, uint64_t page);
bool maps_absent(struct env* e, uint32_t level, uint64_t page);
bool maps_put_framed(struct env* e, uint32_t level, uint64_t page);
/* false = no page of level 1 can be put out now, but for those in memory or on their way there. */
bool maps_may_put(const struct env* e);
/* The page above is held until the copy has been programmed, if that is of a framed level. */
bool maps_put_copy(struct env* e, uint32_t level, uint64_t page);
void maps_copy_done(struct env* e, uint32_t level, uint64_t page);
void maps_frames_step(struct env* e);
void maps_keep(struct env* e, uint32_t level);
bool maps_shrink(struct env* e, uint32_t level);
/* Memory of the frames beyond the few: while the drive serves, somebody else's. It is all zero, as
 * it came up. */
uint64_t maps_extra(const struct env* e);
void maps_zero_extra(struct env* e);

enum derived_pages {
    DERIVED_NONE = 0,
    DERIVED_COUNTS = 1, /* there are, and not all pages have been counted */
    DERIVED_ERASES = 2, /* what holds nothing valid is being erased */
    DERIVED_SERVES = 3  /* all is as usual, until a checkpoint has put out all of them */
};

/* true = a page of these flags is derived. As it lies on the flash it lacks what power-up found,
 * and there was no room to write it: that is applied to it again whenever it comes in. So it may
 * leave without being written, until somebody else changes it. Once it is put out it is as any
 * other. */
static inline bool maps_derived(const struct maps* m, uint32_t level, uint8_t flags)
{
    return m->frames.derived != 0 && level == 1 && (flags & MAP_TOUCHED) != 0;
}
/* true = nobody may change the map yet: there may be no room for that (durable/replay.c). */
static inline bool maps_gathers(const struct env* e)
{
    const uint32_t derived = e->maps->frames.derived;
    FW_ASSERT(e, derived <= DERIVED_SERVES);
    return derived != DERIVED_NONE && derived != DERIVED_SERVES;
}

/* true = room runs out: of what the map has in memory, so much all in all, one has to stay such
 * that it can leave without being written. So a drive without any room still reads. Not where a
 * write unit needs all of it. */
bool maps_spare_one(const struct env* e, uint32_t all);
/* true = map pages wait for room that never comes, for the drive is read only. Whoever looks for
 * what can leave looks at all of it then, and counts on nothing that has to be written. */
bool maps_stuck(struct env* e);

/* The unit at an address where the map is framed, FTL_UNKNOWN = ask again.
 * searched: a page is in its frame. */
void maps_search_init(struct env* e);
void maps_searched(struct env* e, uint32_t level, uint64_t page);
uint64_t maps_search(struct env* e, uint64_t address);

/* Of a copy: the order in which pages were used, how often none could leave, and whether somebody
 * looks for some that may (run/steps.c). */
static inline void maps_overlook(struct maps* m)
{
    chain_init(&m->frames.buffer.order);
    chain_init(&m->upper.buffer.order);
    m->frames.buffer.refused = m->upper.buffer.refused = 0;
    m->frames.kept = m->upper.kept = 0;
}

/* A program of the maps, a read, or a move from or to the host's memory is under way. */
static inline bool maps_go_on(const struct env* e)
{
    return maps_programming(e) || maps_reading(e) || maps_host_moves(e) ||
           flash_owned(e, OWNER_SEGMENT) != 0;
}

/* ... else nobody hears of an end: whoever waits for a page of a framed level, or for room there,
 * asks in each round. */
static inline bool maps_stand_still(const struct env* e)
{
    return maps_framed(e->maps, 1) && !maps_go_on(e);
}

#endif
