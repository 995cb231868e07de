/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints: dirty map pages go to the flash level by level, then a record.
 */
#include "firmware/durable/checkpoint.h"

#include "firmware/durable/anchor.h"
#include "firmware/durable/drive_state.h"
#include "firmware/durable/journal.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/ops/padding.h"
#include "firmware/ops/passes.h"
#include "firmware/space/bad.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"

void checkpoint_write(struct env* e, uint32_t clean)
{
    struct recovery* v = e->recovery;
    v->phase = CHECKPOINT_RECORD;
    anchor_write(e, clean, v->next_base);
    FW_ASSERT(e, anchor_busy(e) || e->telemetry->read_only != 0);
}

void checkpoint_done(struct env* e)
{
    struct recovery* v = e->recovery;
    v->phase = CHECKPOINT_IDLE;
    if (v->anchor.taken == 0) {
        return; /* no copy took it: the drive is read only */
    }
    journal_packed(e);
    slc_recorded(e);
    ftl_layout_of(e)->recorded(e);
    v->base = v->next_base;
    ftl_clears_recorded(e); /* the first record behind one tells of it */
    v->clean = v->final;
    v->again = 1;
    blocks_set_gate(e, v->clean != 0 ? BLOCKS_CLOSED : BLOCKS_OPEN);
    maps_derive(e, DERIVED_NONE); /* all of them have been put out */
    ++e->telemetry->checkpoints;
    journal_release(e, v->base);
}

void checkpoint_begin(struct env* e)
{
    struct recovery* v = e->recovery;
    /* What is trimmed from now on has a sequence of its own. */
    flash_next_sequence(e);
    v->wanted = 0;
    v->next_base = flash_settled(e);
    v->phase = CHECKPOINT_PUT;
    v->level = 1;
    v->walk = 0;
    blocks_set_gate(e, v->final != 0 ? BLOCKS_MAPS_ONLY : BLOCKS_OPEN);
    blocks_bad_saved(e);
    segments_mark(e);
    ftl_layout_of(e)->begins(e);
    FW_ASSERT(e, v->next_base >= v->base);
}

/* All of the level is on its way. */
static void put_through(struct env* e)
{
    struct recovery* v = e->recovery;
    maps_hurry_all(e);
    v->drain = maps_order(e);
    v->phase = CHECKPOINT_DRAIN;
}

static void put_level(struct env* e)
{
    struct recovery* v = e->recovery;
    if (maps_segmented(e) ? segments_put(e, &v->walk) : maps_put_level(e, v->level, &v->walk)) {
        put_through(e);
    }
}

static void level_done(struct env* e)
{
    struct recovery* v = e->recovery;
    if (v->level < maps_levels(e)) {
        ++v->level;
        v->walk = 0;
        v->phase = CHECKPOINT_PUT;
        return;
    }
    if (anchor_busy(e)) {
        return; /* with the journal's tail */
    }
    if (v->final != 0) {
        blocks_set_gate(e, BLOCKS_CLOSED); /* what it says holds from now on */
    }
    checkpoint_write(e, v->final);
}

static bool is_due(const struct env* e)
{
    const struct recovery* v = e->recovery;
    return v->wanted != 0 || blocks_bad_changed(e) || checkpoint_is_due(e) ||
           v->journal.open - v->journal.first >= v->journal.units / 2;
}

/* A checkpoint goes as far as programs have ended: where word lines that nobody fills up hold it
 * back, they are filled up first. Else it would end where the last one did, and be due again. */
static bool is_worth_it(struct env* e)
{
    const struct recovery* v = e->recovery;
    if (passes_held(e) == 0 || v->wanted != 0 || blocks_bad_changed(e)) {
        return true;
    }
    const uint64_t base = flash_settled(e);
    const bool late = checkpoint_is_due(e);
    if (late ? base - v->base >= v->due / 2 : journal_gains(e, base)) {
        return true;
    }
    padding_fill(e, OWNERS);
    return false;
}

/* The flash is as the record of a clean shutdown says, and somebody wants to program. */
static void reopen(struct env* e)
{
    struct recovery* v = e->recovery;
    v->final = 0;
    v->clean = 0;
    v->next_base = v->base;
    ftl_layout_of(e)->reopens(e);
    checkpoint_write(e, 0);
}

void checkpoint_step(struct env* e)
{
    struct recovery* v = e->recovery;
    bool holds = false; /* programs, until none is under way */
    if (v->phase == CHECKPOINT_IDLE && v->clean != 0) {
        /* Whoever asked while the last record was on its way does not ask again. */
        if (blocks_knocked(e) || v->wanted != 0) {
            reopen(e);
        }
    } else if (v->phase == CHECKPOINT_IDLE && is_due(e) && !ftl_clearing(e) &&
               v->anchor.dead < v->anchor.copies && !ftl_spent(e) && !maps_gathers(e)) {
        const bool worth = is_worth_it(e);
        holds = worth && !ftl_layout_of(e)->quiet(e);
        if (worth && !holds) {
            checkpoint_begin(e);
        }
    }
    ftl_hold(e, holds);
    if (v->phase == CHECKPOINT_IDLE) {
        return;
    }
    for (uint32_t n = 0; n < 2 * MAPS_LEVELS && !ftl_clearing(e); ++n) {
        if (v->phase == CHECKPOINT_PUT) {
            put_level(e);
        }
        if (v->phase != CHECKPOINT_DRAIN || maps_outstanding(e, v->drain)) {
            if (v->phase == CHECKPOINT_DRAIN && passes_held(e) != 0 && !maps_any_ready(e)) {
                padding_fill(e, OWNER_MAP_PROGRAM); /* no more of them come */
            }
            break;
        }
        level_done(e);
    }
    if (v->phase == CHECKPOINT_RECORD && !anchor_busy(e)) {
        checkpoint_done(e);
    }
}

/* Nothing is erased before the flash tells of the trims that made garbage of it: else power-up
 * would find older data than what was trimmed. Where there is no room for the journal until
 * something is erased, it goes into an anchor record. */
void checkpoint_hold_erases(struct env* e)
{
    struct recovery* v = e->recovery;
    if (v->tail != 0 && !anchor_busy(e)) {
        v->tail = 0;
        if (v->anchor.taken != 0) {
            journal_packed(e);
            slc_recorded(e);
            v->again = 1;
        }
    }
    if (blocks_first_to_erase(e) != v->erase_head) {
        v->erase_head = blocks_first_to_erase(e);
        /* What made garbage of a superblock came before it was queued: one flush is for all. */
        if (v->erase_head != INDEX_NONE && blocks_erases_ended(e) >= v->erase_covered) {
            v->erase_ticket = journal_flush(e);
            v->erase_covered = blocks_erases_ended(e) + blocks_to_erase(e);
        }
    }
    blocks_hold_erases(e, v->erase_head != INDEX_NONE && !journal_flushed(e, v->erase_ticket));
}

/* Where there is no room for the journal until something is erased, it goes into an anchor record.
 * So does what superblocks turn to (slc.h). */
void checkpoint_write_tail(struct env* e)
{
    struct recovery* v = e->recovery;
    if ((!blocks_erases_held(e) && !slc_untold(e)) || v->phase == CHECKPOINT_RECORD ||
        ftl_clearing(e) || v->clean != 0 || anchor_busy(e) || v->anchor.dead >= v->anchor.copies ||
        (!slc_untold(e) && !maps_no_room(e))) {
        return;
    }
    v->tail = 1;
    anchor_write(e, 0, v->base);
    FW_ASSERT(e, anchor_busy(e));
}

/* ---- All of the drive is unmapped ----
 *
 * All of the drive is unmapped at once, for a format: no unit is looked at. All that reads, moves
 * or writes by the map comes to rest first, collection and checkpoints where they are. Then the map
 * is as that of a new drive, nothing is valid, and an anchor record without a map is written, whose
 * base is behind all that was programmed. Until the record is on the flash nothing is erased: power
 * that goes before finds the drive as it was, and after it an empty one.
 */

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
