/* SPDX-License-Identifier: Apache-2.0
 *
 * The maps as checkpoints and power-up need them: all that changed goes out, what was found counts.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_SAVED_H
#define SSDVP_FIRMWARE_MAP_MAPS_SAVED_H

#include "firmware/map/maps_frames.h"

static inline uint32_t maps_levels(const struct env* e)
{
    return e->maps->levels;
}

/* Units of an entry of level 1. */
static inline uint32_t maps_span(const struct env* e)
{
    return e->maps->span;
}

/* Where the page of the last level lies, FTL_NONE: an anchor record has it. */
static inline uint64_t maps_top(const struct env* e)
{
    return e->maps->top;
}

static inline void maps_set_top(struct env* e, uint64_t address)
{
    e->maps->top = address;
}

/* Pages are counted as they come in, from now on or not. */
static inline void maps_count_loaded(struct env* e, bool on)
{
    e->maps->counting = on ? 1 : 0;
}

/* The order of what was put out last: maps_outstanding. */
static inline uint64_t maps_order(const struct env* e)
{
    return e->maps->out.order;
}

/* Copies are ready to be programmed, or have to be put out; frames keep what comes in. */
static inline bool maps_any_ready(const struct env* e)
{
    return e->maps->out.ready != 0;
}

static inline bool maps_wait(const struct env* e)
{
    return maps_any_leaves(e) || maps_any_ready(e) || e->maps->out.urgent != 0;
}

static inline bool maps_holds(const struct env* e, uint32_t level)
{
    return (level == 1 ? e->maps->frames.holding : e->maps->upper.holding) != 0;
}

/* Pages of level 1 are derived (maps_frames.h): how far that is, and the one that is now, FTL_NONE
 * = none. */
static inline enum derived_pages maps_deriving(const struct env* e)
{
    return (enum derived_pages)e->maps->frames.derived;
}

static inline void maps_derive(struct env* e, enum derived_pages stage)
{
    e->maps->frames.derived = stage;
}

static inline uint64_t maps_derived_now(const struct env* e)
{
    return e->maps->frames.now;
}

static inline void maps_derive_page(struct env* e, uint64_t page)
{
    e->maps->frames.now = page;
}

/* Nothing of what is in the frames of level 1 need stay, nor do the copies that wait for room. */
void maps_empty_frames(struct env* e);

/* What a record says of the top, or is in memory, counts: top: its place; found: places that hold
 * nothing are none. */
void maps_count_top(struct env* e);
void maps_count_found(struct env* e);
/* Puts the changed pages of a level out, from *walk on: true = all are on their way, or there. */
bool maps_put_level(struct env* e, uint32_t level, uint64_t* walk);

/* No unit is mapped any more, and the flash has no map. Nothing is under way that
 * uses it. */
void maps_clear(struct env* e);

#endif
