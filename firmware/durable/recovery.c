/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints, and what becomes of them at power-up.
 */
#include "firmware/durable/recovery.h"

#include "firmware/durable/anchor.h"
#include "firmware/durable/anchor_find.h"
#include "firmware/durable/checkpoint.h"
#include "firmware/durable/drive_state.h"
#include "firmware/durable/journal.h"
#include "firmware/durable/paged.h"
#include "firmware/durable/replay.h"
#include "firmware/durable/scan.h"
#include "firmware/durable/window.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_program.h"
#include "firmware/map/maps_reads.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_boot.h"
#include "firmware/ops/passes.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"

enum { DUE_LEAST = 64, STARVED_MOST = 64 };

uint64_t recovery_units(const struct env* e)
{
    const uint64_t journal = e->recovery->journal.units;
    return maps_units(e) + journal +
           reserve_padding(maps_levels(e), journal, e->geo->page_units, geometry_narrow(e->geo));
}

int recovery_init(struct env* e, uint64_t interval)
{
    struct recovery* v = e->recovery;
    const struct geometry* g = e->geo;
    /* A checkpoint's own programs come on top, and those that take only a few units. */
    const uint64_t own = 2 * (maps_units(e) / g->group) + DUE_LEAST;
    v->due = interval / g->group;
    v->due = v->due < DUE_LEAST ? DUE_LEAST : v->due;
    v->limit = 2 * v->due + own;
    v->replay = dram_take_pages(e, v->limit * (1u + g->group) * sizeof(uint64_t));
    v->flags = dram_take(e, g->blocks);
    v->erased = dram_take(e, (uint64_t)g->blocks * g->luns);
    v->batch_most = g->part.luns / g->luns;
    v->batch = dram_take(e, v->batch_most * sizeof(uint32_t));
    v->ends = dram_take(e, (uint64_t)v->batch_most * g->luns * g->planes * sizeof(uint16_t));
    v->erase_head = INDEX_NONE;
    if (arenas_result(e) != 0 || drive_state_init(e) != 0 || anchor_init(e) != 0) {
        return -1;
    }
    return journal_init(e);
}

/* ---- Records ---- */

/* ---- Power-up ---- */

/* false = power goes. */
static bool await_record(struct env* e)
{
    while (anchor_busy(e)) {
        if (!boot_poll(e)) {
            return false;
        }
    }
    return true;
}

/* Power may go again and again before a checkpoint ends. Where one was due, what the segments on
 * the flash have is recorded at once, and one more of them is committed: each power-up leaves less
 * to the next one. */
static int shorten_window(struct env* e)
{
    struct recovery* v = e->recovery;
    FW_ASSERT(e, v->phase == CHECKPOINT_IDLE && !anchor_busy(e));
    if (!maps_segmented(e) || ftl_spent(e) || maps_damaged(e) || v->highest - v->base < v->due) {
        return 0;
    }
    if (v->settled > v->base && v->anchor.dead < v->anchor.copies) {
        v->next_base = v->settled;
        checkpoint_write(e, 0);
        if (!await_record(e)) {
            return -1;
        }
        checkpoint_done(e);
    }
    return v->highest - v->base < v->due ? 0 : replay_paged_shorten(e);
}

/* The same where all of the map is in memory. A checkpoint that is late by a whole interval when
 * power comes back has been cut short again and again: it ends now, before the host's programs
 * share the LUNs with it and the next loss finds it unfinished once more. So what a power-up
 * replays is bounded, however often power goes; and a drive that lost power once is ready at once.
 * Where it has no room it goes on while the drive serves. */
static int finish_checkpoint(struct env* e)
{
    struct recovery* v = e->recovery;
    FW_ASSERT(e, v->phase == CHECKPOINT_IDLE && !anchor_busy(e));
    if (maps_segmented(e) || maps_framed(e->maps, 1) || ftl_layout_of(e)->logical_blocks != 0 ||
        v->highest - v->base < 2 * v->due) {
        return 0;
    }
    do {
        recovery_step(e);
        if (!boot_poll(e)) {
            return -1;
        }
    } while (v->phase != CHECKPOINT_IDLE && !maps_starve(e));
    while (flash_in_flight(e) != 0) { /* other cores take the channels over */
        if (!boot_poll(e)) {
            return -1;
        }
    }
    FW_ASSERT(e, v->phase != CHECKPOINT_RECORD);
    return 0;
}

static int boot_replay(struct env* e, int first_time)
{
    struct recovery* v = e->recovery;
    FW_ASSERT(e, first_time == 0 || v->base == 0);
    v->kind = RECOVERY_REPLAY;
    if (replay_all(e) != 0) {
        return -1;
    }
    flash_raise_sequence(e, v->highest);
    flash_reaches_all(e);
    if (shorten_window(e) != 0 || finish_checkpoint(e) != 0) {
        return -1;
    }
    segments_replay(e, 0);
    hal_log(e->hal, HAL_LOG_INFO, "power was lost: pages read, programs since the checkpoint",
            e->telemetry->recovery_pages,
            v->highest > v->base_found ? v->highest - v->base_found : 0);
    return 0;
}

/* No record. false = the blocks agree that there never was one. */
static bool had_record(struct env* e, bool written)
{
    if (written && ftl_layout_of(e)->any_page != 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "blocks were written, and no anchor record is readable", 0,
                0);
        return true;
    }
    return e->recovery->broken != 0; /* which has been said */
}

static bool any_written(struct env* e)
{
    const uint8_t* flags = env_dram(e, e->recovery->flags);
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        if ((flags[i] & (SCAN_NEWER | SCAN_OLDER | SCAN_TORN)) != 0) {
            return true;
        }
    }
    return false;
}

static int begin(struct env* e)
{
    struct recovery* v = e->recovery;
    struct anchor_record record;
    const int found = anchor_find(e, &record);
    if (found < 0 || hal_stopping(e->hal)) {
        return -1;
    }
    if (segments_find(e, scan_map_blocks) != 0 || hal_stopping(e->hal)) {
        return -1;
    }
    flash_modes_start(e);
    if (found == 0) {
        scan_superblocks(e, true);
        v->kind = RECOVERY_FRESH;
        const bool written = any_written(e);
        if (had_record(e, written)) {
            return -1;
        }
        if (written) {
            return boot_replay(e, 1);
        }
        ftl_layout_of(e)->counts(e);
        /* Blocks are written at any page: before the first one there is a record, so that a drive
         * without one has nothing in it (above, which looks at page 0). */
        v->clean = ftl_layout_of(e)->any_page;
        blocks_set_gate(e, v->clean != 0 ? BLOCKS_CLOSED : BLOCKS_OPEN);
        return 0;
    }
    v->base = record.base;
    v->next_base = record.base;
    v->highest = record.sequence;
    v->base_found = record.clean != 0 ? record.sequence : record.base;
    flash_raise_sequence(e, record.sequence);
    flash_reaches_all(e);
    /* Nobody else may believe it after the first program; or it would not be readable for long. */
    if ((v->anchor.doubted | v->anchor.weak) != 0) {
        anchor_renew(e, &record);
        if (!await_record(e)) {
            return -1;
        }
    }
    maps_set_top(e, record.top);
    journal_resume(e, record.journal != 0 ? record.journal : 1);
    tables_load(e, env_dram(e, v->anchor.buffer), record.clean != 0);
    if (record.clean == 0) {
        scan_superblocks(e, false);
        return boot_replay(e, 0);
    }
    v->kind = RECOVERY_CLEAN;
    v->clean = 1;
    ftl_layout_of(e)->counts(e);
    blocks_set_gate(e, BLOCKS_CLOSED);
    maps_count_top(e);
    return ftl_layout_of(e)->boot(e);
}

int recovery_boot(struct env* e)
{
    const struct recovery* v = e->recovery;
    const int begun = begin(e);
    e->telemetry->recovery_kind = v->kind;
    e->telemetry->recovery_programs = v->highest - v->base_found;
    return begun;
}

/* ---- Checkpoints ---- */

void recovery_step(struct env* e)
{
    e->recovery->again = 0;
    checkpoint_hold_erases(e);
    journal_step(e);
    const uint32_t held = ftl_holds(e);
    checkpoint_step(e);
    if (held != 0 && !ftl_holds(e)) {
        e->recovery->again = 1; /* what was held goes on */
    }
    if (!maps_all_counted(e) && !ftl_clearing(e) && maps_load_all(e)) {
        e->recovery->again = 1;
    }
    derived_step(e);
    maps_host_step(e);
    if (maps_wait(e) && !ftl_clearing(e)) {
        maps_step(e);
    }
    if (maps_segmented(e)) {
        if (e->recovery->clean == 0) {
            segments_level(e);
        }
        if (segments_step(e)) {
            ftl_ask_again(e);
        }
    }
    checkpoint_write_tail(e);
    if (ftl_clearing(e) && clear_ready(e)) {
        e->recovery->again = 1; /* whoever asked for it may go on, now */
    }
    if (blocks_knocked(e) && e->recovery->clean != 0) {
        /* Map pages were refused: no interrupt announces that it may open again. */
        e->recovery->again = 1;
    }
}

/* Map pages wait for room, and nothing is under way that would give it. */
static bool starves(struct env* e)
{
    const struct recovery* v = e->recovery;
    return v->phase != CHECKPOINT_IDLE && flash_in_flight(e) == 0 && !blocks_erase_waits(e) &&
           maps_no_room(e);
}

/* Quiet first: what is under way ends, nothing new begins (gc.c). Then the last checkpoint, of a
 * drive in which nothing happens any more. */
bool recovery_shut_down(struct env* e)
{
    struct recovery* v = e->recovery;
    if (v->anchor.dead >= v->anchor.copies) {
        return v->phase == CHECKPOINT_IDLE;
    }
    if (v->clean != 0) {
        /* Nothing was programmed since power-up, but something may have been trimmed: that goes to
         * the journal first, and the record that says clean with it. */
        const bool done = journal_flushed(e, journal_flush(e)) && v->phase == CHECKPOINT_IDLE;
        v->again |= !done && flash_in_flight(e) == 0; /* it is written in a round of its own */
        return done;
    }
    if (ftl_spent(e)) {
        return flash_in_flight(e) == 0; /* no checkpoint ends any more: power-up will replay */
    }
    if (maps_gathers(e)) {
        return false;
    }
    if (starves(e)) {
        /* Collection has to make room first: this checkpoint will not be the last one. */
        ftl_stop(e, false);
        v->final = 0;
        blocks_set_gate(e, BLOCKS_OPEN);
        v->again = 1;
        return ++v->starved > STARVED_MOST; /* then power-up will have to replay */
    }
    if (v->starved != 0 && v->phase != CHECKPOINT_IDLE && !ftl_stops(e) && maps_no_room(e)) {
        return false; /* it makes room now */
    }
    ftl_stop(e, true);
    if (v->phase == CHECKPOINT_IDLE && flash_in_flight(e) == 0 && ftl_layout_of(e)->idle(e) &&
        !blocks_erase_waits(e)) {
        v->final = 1;
        v->wanted = 1;
    }
    return false;
}

void recovery_go_on(struct env* e)
{
    struct recovery* v = e->recovery;
    ftl_stop(e, false);
    v->starved = 0;
    if (v->final != 0 && v->clean == 0 && v->phase != CHECKPOINT_RECORD) {
        v->final = 0; /* a checkpoint like any other: what comes now is behind its base */
        blocks_set_gate(e, BLOCKS_OPEN);
    }
}
