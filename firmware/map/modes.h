/* SPDX-License-Identifier: Apache-2.0
 *
 * What all of the drive is about, besides serving the host: all parts heed it. Who begins it, and
 * ends it, is above them.
 */
#ifndef SSDVP_FIRMWARE_MAP_MODES_H
#define SSDVP_FIRMWARE_MAP_MODES_H

#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/ops/flash.h"

/* What had to wait for the end of a mode goes on then. */
static inline void mode_turns(struct env* e, uint32_t* mode, bool on)
{
    if (*mode != 0 && !on) {
        run_due(e, DUE_STEPS);
    }
    *mode = on ? 1 : 0;
}

/* Preconditioning. What operations are for then, which else are for `serving`. */
static inline bool ftl_preconditions(const struct env* e)
{
    return e->ftl->modes.functional != 0;
}

static inline void ftl_precondition(struct env* e, bool on)
{
    e->ftl->modes.functional = on ? 1 : 0;
}

static inline enum flash_purpose ftl_purpose(const struct env* e, enum flash_purpose serving)
{
    return ftl_preconditions(e) ? FLASH_PURPOSE_PRECONDITION : serving;
}

/* Shutting down: nothing new begins. */
static inline bool ftl_stops(const struct env* e)
{
    return e->ftl->modes.stopping != 0;
}

static inline void ftl_stop(struct env* e, bool on)
{
    mode_turns(e, &e->ftl->modes.stopping, on);
}

/* A checkpoint is about to begin: no program is submitted. */
static inline bool ftl_holds(const struct env* e)
{
    return e->ftl->modes.hold != 0;
}

static inline void ftl_hold(struct env* e, bool on)
{
    mode_turns(e, &e->ftl->modes.hold, on);
}

/* The map takes no more changes: nothing is left to put them to. For good. */
static inline bool ftl_spent(const struct env* e)
{
    return e->ftl->modes.spent != 0;
}

static inline void ftl_spend(struct env* e)
{
    e->ftl->modes.spent = 1;
    e->telemetry->read_only = 1;
}

/* Map pages may point to what was erased since they were written. */
static inline bool ftl_voids(const struct env* e)
{
    return e->ftl->modes.voids != 0;
}

static inline void ftl_void(struct env* e)
{
    e->ftl->modes.voids = 1;
}

/* The map is to be cleared: all that uses it comes to rest. */
static inline bool ftl_clearing(const struct env* e)
{
    return e->ftl->modes.clearing != 0;
}

static inline void ftl_clear(struct env* e, bool on)
{
    mode_turns(e, &e->ftl->modes.clearing, on);
}

/* It was: the number of that, which counts once a record says so. */
static inline uint32_t ftl_cleared(struct env* e)
{
    return ++e->ftl->modes.clears;
}

static inline void ftl_clears_recorded(struct env* e)
{
    e->ftl->modes.cleared = e->ftl->modes.clears;
}

static inline bool ftl_clear_counts(const struct env* e, uint32_t number)
{
    FW_ASSERT(e, number != 0 && number <= e->ftl->modes.clears);
    return e->ftl->modes.cleared >= number;
}

/* true = the map was cleared, and that is not on the flash yet: nothing of what it made garbage may
 * be erased. */
static inline bool ftl_clears(const struct env* e)
{
    return e->ftl->modes.clears != e->ftl->modes.cleared;
}

#endif
