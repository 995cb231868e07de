/* SPDX-License-Identifier: Apache-2.0
 *
 * Zeroing: whole units are unmapped if the drive may do that, parts of units go through the buffer.
 * A drive is unmapped in less time than it takes to look at each of its units: what is not mapped
 * is passed over a map page or a logical block at a time, and what is leaves the map likewise.
 */
#include "firmware/buffer/merged.h"
#include "firmware/durable/journal.h"
#include "firmware/gc/gc.h"
#include "firmware/host/nvme/nvme_io.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/blocks.h"
#include "firmware/space/reserve.h"
#include "firmware/space/retention.h"

enum {
    UNITS_EACH = 64, /* of those together, that cost as much as one by itself */
    UNITS_LEAST = 8, /* that are looked at together */
    SLOTS_EACH = 16  /* of the buffer, that a look at takes as long as one of those by itself */
};

/* Of a zoned namespace: what lies below a write pointer is mapped. */
static bool writes_zeroes(const struct command* c)
{
    return c->state == COMMAND_ZERO && c->zeroes.maps != 0;
}

/* Zeroes the part of a unit that is pinned: the whole one is unmapped if the drive may, else it
 * goes through the buffer. Returns false when that has to wait. */
static bool zero_piece(struct env* e, struct command* c, const struct piece* p)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    FW_ASSERT(e, p->count != 0);
    if (p->count == e->geo->unit_sectors && e->hil->trim != 0 && !writes_zeroes(c)) {
        if (!journal_room(e) || cache_promised(e, p->unit)) {
            return false;
        }
        const bool buffered = cache_trim(e, p->unit);
        retention_before(e);
        const bool mapped = ftl->trim(e, p->unit);
        retention_after(e, p->unit);
        if (buffered || mapped) {
            ++e->telemetry->trimmed_units;
            gc_stirred(e, 1);
            journal_trim(e, p->unit, 1);
            c->zero_io = true;
        }
    } else if (writes_zeroes(c) || cache_find(e, p->unit) != INDEX_NONE ||
               ftl->lookup(e, p->unit) != FTL_NONE) {
        const uint32_t to = cache_write(e, p->unit, p->mask);
        if (to == INDEX_NONE) {
            return false;
        }
        cache_tell_command(e, to, (uint64_t)c->sectors << SECTOR_SHIFT, 0);
        cache_zero(e, to, p->mask);
        c->zero_io = true;
    }
    c->done += p->count;
    FW_ASSERT(e, c->done <= c->sectors);
    return true;
}

/* What is unmapped fills no superblock of the host's, but a paged map writes pages for it, and
 * nothing else says how many: it leaves collection and maps as much room as a write does. */
static bool must_wait(struct env* e, const struct piece* p)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, p->count != 0);
    if (!maps_paged(e->maps) || h->trim == 0 || p->count != e->geo->unit_sectors ||
        h->unmap == UNMAP_ANYWAY || blocks_free(e) > blocks_set_aside(e)) {
        return false;
    }
    h->unmap = UNMAP_WAITS;
    return true;
}

/* ---- Many units at a time ---- */

/* true = the unit and all others of the run up to `end` may be unmapped together, as far as the
 * buffer has nothing of them; `clear` says up to where that is known. */
static bool in_clear(struct env* e, uint64_t unit, uint64_t end, uint64_t* clear)
{
    FW_ASSERT(e, unit < end);
    if (unit >= *clear && cache_find(e, unit) == INDEX_NONE) {
        *clear = cache_next_buffered(e, unit, end);
    }
    return unit < *clear;
}

/* Unmaps what the pin of the first unit covers. 0 = that has to wait. */
static uint64_t trim_run(struct env* e, struct command* c, uint64_t unit, uint64_t end)
{
    uint64_t mapped = 0;
    if (!journal_room(e)) {
        return 0;
    }
    const uint64_t done = ftl_ops_of(e)->trim_run(e, unit, end, &mapped);
    FW_ASSERT(e, done != 0 && mapped <= done);
    if (mapped != 0) {
        e->telemetry->trimmed_units += mapped;
        gc_stirred(e, mapped);
        journal_trim(e, unit, done);
        c->zero_io = true;
    }
    return done;
}

/* So many that a look through the buffer costs less than a look at each of them. */
static bool are_many(const struct env* e, uint64_t units)
{
    return units >= UNITS_LEAST && units >= cache_slots(e) / SLOTS_EACH;
}

/* Unmaps whole units from a piece on, or passes over those that are not mapped. Returns how many
 * are done; 0 = the next one is to be looked at by itself; UINT64_MAX = it has to wait. */
static uint64_t unmap_units(struct env* e, struct command* c, const struct piece* p,
                            uint64_t* clear)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint64_t end = p->unit + ((c->sectors - c->done) >> e->geo->sector_shift);
    if (p->count != e->geo->unit_sectors || e->hil->trim == 0 || writes_zeroes(c) ||
        ftl->holes == NULL || (p->unit >= *clear && !are_many(e, end - p->unit)) ||
        !in_clear(e, p->unit, end, clear)) {
        return 0;
    }
    const uint64_t stop = *clear < end ? *clear : end;
    uint64_t done = ftl->holes(e, p->unit, stop);
    if (done != 0 || ftl->trim_run == NULL || retention_on(e)) {
        return done;
    }
    if (must_wait(e, p) || !ftl->pin(e, p->unit)) {
        return UINT64_MAX;
    }
    done = trim_run(e, c, p->unit, stop);
    ftl->unpin(e, p->unit);
    FW_ASSERT(e, done <= stop - p->unit);
    return done != 0 ? done : UINT64_MAX;
}

/* ---- A run of sectors ---- */

static void spend(uint32_t* budget, uint64_t units)
{
    const uint64_t price = 1 + units / UNITS_EACH;
    *budget -= price < *budget ? (uint32_t)price : *budget;
}

/* Zeroes the current run. Returns true when it is done. */
bool hil_zero_run(struct env* e, struct command* c, uint32_t* budget)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    uint64_t clear = 0; /* the buffer is known to have nothing below it */
    FW_ASSERT(e, c->state == COMMAND_ZERO || c->state == COMMAND_DSM || c->state == COMMAND_WIPE ||
                     c->state == COMMAND_ZONE);
    /* Nothing is mapped, but the flash does not say so yet: what is zeroed now has to stay so. */
    if (ftl_clears(e)) {
        hil_note_wait(e, c);
        return false;
    }
    while (c->done < c->sectors) {
        const struct piece p = hil_next_piece(e, c);
        bool done = false;
        if (*budget == 0) {
            e->hil->more = 1;
            return false;
        }
        const uint64_t units = unmap_units(e, c, &p, &clear);
        spend(budget, units != UINT64_MAX ? units : 0);
        if (units != 0 && units != UINT64_MAX) {
            c->done += (uint32_t)(units << e->geo->sector_shift);
            continue;
        }
        if (units == 0 && !must_wait(e, &p) && ftl->pin(e, p.unit)) {
            done = zero_piece(e, c, &p);
            ftl->unpin(e, p.unit);
        }
        if (!done) {
            hil_note_wait(e, c);
            return false;
        }
    }
    FW_ASSERT(e, c->done == c->sectors);
    return true;
}
