/* SPDX-License-Identifier: Apache-2.0
 *
 * All of the drive is unmapped at once, for a format: no unit is looked at. All that reads, moves
 * or writes by the map comes to rest first, collection and checkpoints where they are. Then the map
 * is as that of a new drive, nothing is valid, and an anchor record without a map is written, whose
 * base is behind all that was programmed. Until the record is on the flash nothing is erased: power
 * that goes before finds the drive as it was, and after it an empty one.
 */
#include "firmware/durable/clear.h"

#include "firmware/durable/anchor.h"
#include "firmware/durable/checkpoint.h"
#include "firmware/durable/drive_state.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/valid.h"

bool recovery_may_clear(const struct env* e)
{
    return ftl_layout_of(e)->logical_blocks == 0 && maps_deriving(e) == DERIVED_NONE &&
           !segments_derived(e) && !drive_state_stuck(e);
}

bool clear_ready(struct env* e)
{
    const struct recovery* v = e->recovery;
    FW_ASSERT(e, ftl_clearing(e));
    return v->phase != CHECKPOINT_RECORD && !anchor_busy(e) && flash_in_flight(e) == 0 &&
           !maps_reading(e); /* from the host's memory */
}

/* What it says of trims is no news to the record; where its units lie they stay. */
static void keep_journal(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    for (uint64_t n = j->first; n < j->open; ++n) {
        struct journal_unit* u = &j->unit[n % j->units];
        u->moving = 0;
        if (u->address != FTL_NONE) {
            maps_validate(e, u->address);
        }
    }
}

static void forget_all(struct env* e)
{
    struct telemetry* s = e->telemetry;
    s->trimmed_units += s->mapped;
    blocks_clear(e);
    maps_clear(e);
    s->mapped = 0;
    s->map_units = 0;
    s->lost_units = 0;
    keep_journal(e);
}

uint32_t recovery_clear(struct env* e)
{
    struct recovery* v = e->recovery;
    FW_ASSERT(e, recovery_may_clear(e));
    ftl_clear(e, true);
    if (!clear_ready(e)) {
        return 0;
    }
    if (v->clean != 0) {
        blocks_knock(e); /* no record is clean any more before something changes */
        return 0;
    }
    ftl_clear(e, false);
    v->phase = CHECKPOINT_IDLE; /* what was put out for one is garbage with the rest */
    forget_all(e);
    const uint32_t number = ftl_cleared(e);
    blocks_hold_erases(e, true);
    checkpoint_begin(e);
    checkpoint_write(e, 0);
    return number;
}

bool recovery_clear_done(const struct env* e, uint32_t number)
{
    return ftl_clear_counts(e, number) || drive_state_stuck(e);
}

void recovery_clear_stop(struct env* e)
{
    ftl_clear(e, false);
}
