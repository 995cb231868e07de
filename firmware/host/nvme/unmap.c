/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole units are unmapped if the drive may do that, parts of units go through the buffer. A drive
 * is unmapped in less time than it takes to look at each of its units: what is not mapped is passed
 * over a map page or a logical block at a time, and what is leaves the map likewise.
 */
#include "firmware/host/nvme/unmap.h"

#include "firmware/buffer/fill.h"
#include "firmware/buffer/merged.h"
#include "firmware/durable/journal.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/pace.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/uncorrectable.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/modes.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"

enum { ROUND_BUDGET = 4096 }; /* units that one round zeroes or unmaps */
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

struct trimmed {
    uint64_t units;
    uint64_t held; /* so many of them were mapped, or buffered */
};

/* What they held is garbage, and whoever waits to read them finds zeroes. */
static void unmapped(struct env* e, struct command* c, uint64_t unit, struct trimmed t)
{
    e->telemetry->trimmed_units += t.held;
    gc_stirred(e, t.held);
    journal_trim(e, unit, t.units);
    c->zero_io = true;
    if (e->hil->reads_waiting.count != 0) {
        run_due(e, DUE_HOST);
    }
}

/* Zeroes the part of a unit that is pinned: the whole one is unmapped if the drive may, else it
 * goes through the buffer. Returns false when that has to wait. */
static bool zero_piece(struct env* e, struct command* c, const struct piece* p)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if (p->count == e->geo->unit_sectors && e->hil->trim != 0 && !writes_zeroes(c)) {
        if (!journal_room(e) || cache_promised(e, p->unit)) {
            return false;
        }
        const bool buffered = cache_trim(e, p->unit);
        retention_before(e);
        const bool mapped = ftl->trim(e, p->unit);
        retention_after(e, p->unit);
        if (buffered || mapped) {
            unmapped(e, c, p->unit, (struct trimmed){.units = 1, .held = 1});
        }
    } else if (writes_zeroes(c) || cache_find(e, p->unit) != INDEX_NONE ||
               ftl->lookup(e, p->unit) != FTL_NONE) {
        const uint32_t to = cache_write(e, p->unit, p->mask);
        if (to == INDEX_NONE) {
            return false;
        }
        cache_tell_command(e, to, cache_command(e, (uint64_t)c->sectors << SECTOR_SHIFT, 0));
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
        unmapped(e, c, unit, (struct trimmed){.units = done, .held = mapped});
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
    return true;
}

/* ---- Write Zeroes ---- */

static void end_zeroing(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    /* What was zero already may be so by a trim whose record is not on the flash yet. */
    c->until.ticket = c->zero_io && c->fua ? cache_flush(e) : 0;
    c->until.journal = c->fua ? journal_flush(e) : 0;
    hil_end_flushed(e, slot);
}

bool hil_zero(struct env* e, uint32_t slot)
{
    uint32_t budget = ROUND_BUDGET;
    if (!hil_zero_run(e, command_of(e, slot), &budget)) {
        return false;
    }
    end_zeroing(e, slot);
    return true;
}

void hil_start_zeroes(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    if (e->hil->spoilt != 0 && !nvme_unspoil(e, c->lba, c->sectors)) {
        hil_complete(e, slot, NVME_SC_INTERNAL_ERROR, 0);
        return;
    }
    hil_start_write(e, slot);
}

/* ---- Dataset Management (section 6.7) ---- */

static struct nvme_dsm_range* ranges_of(struct env* e, const struct command* c)
{
    FW_ASSERT(e, c->buffer != INDEX_NONE);
    FW_ASSERT(e, c->dsm.ranges * sizeof(struct nvme_dsm_range) <= META_SIZE);
    return (struct nvme_dsm_range*)env_dram(e, hil_meta_address(e, c->buffer));
}

bool hil_dsm(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const struct nvme_dsm_range* r = ranges_of(e, c);
    uint32_t budget = ROUND_BUDGET;
    while (c->dsm.range < c->dsm.ranges) {
        c->lba = r[c->dsm.range].slba;
        c->sectors = r[c->dsm.range].blocks;
        if (!hil_zero_run(e, c, &budget)) {
            return false;
        }
        ++c->dsm.range;
        c->done = 0;
    }
    c->sectors = 0;
    end_zeroing(e, slot);
    return true;
}

void hil_dsm_fetch(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    struct fe_move move;
    c->buffer = hil_meta_take(e);
    if (c->buffer == INDEX_NONE) {
        fifo_push(&e->hil->fetched, env_dram(e, e->hil->fetch_links), slot);
        return;
    }
    hil_clear_move(&move, FE_MOVE_FROM_HOST, slot);
    move.flags = FE_MOVE_METADATA | FE_MOVE_IRQ;
    move.buffer = hil_meta_address(e, c->buffer);
    move.length = c->dsm.ranges * (uint32_t)(e->hil->ata.on != 0 ? ATA_DSM_RANGE_BYTES
                                                                 : sizeof(struct nvme_dsm_range));
    move.tag = ((uint32_t)MOVE_META_IN << MOVE_KIND_SHIFT) | slot;
    FW_ASSERT(e, move.length <= META_SIZE);
    hil_finish_move(e, &move, false);
}

/* Of a range of the drive what lies in this partition. */
static void own_part(const struct env* e, struct nvme_dsm_range* r)
{
    const struct partition* p = &e->geo->partition;
    const uint64_t end = partition_before(p, p->index, r->slba + r->blocks);
    r->slba = partition_before(p, p->index, r->slba);
    r->blocks = (uint32_t)(end - r->slba);
}

/* From blocks of the namespace to sectors of the drive. */
static uint32_t place_ranges(struct env* e, const struct command* c)
{
    struct nvme_dsm_range* r = ranges_of(e, c);
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    const uint32_t up = drive_ns_up(n);
    const uint64_t size = n->sectors << e->geo->partition.bits >> up;
    for (uint32_t i = 0; i < c->dsm.ranges; ++i) {
        if (r[i].slba >= size || r[i].blocks > size - r[i].slba) {
            return DNR(NVME_SC_LBA_OUT_OF_RANGE);
        }
    }
    for (uint32_t i = 0; i < c->dsm.ranges; ++i) {
        r[i].slba = n->start + (r[i].slba << up);
        r[i].blocks <<= up;
        if (e->geo->partition.bits != 0) {
            own_part(e, &r[i]);
        }
        if (e->hil->spoilt != 0 && !nvme_unspoil(e, r[i].slba, r[i].blocks)) {
            return NVME_SC_INTERNAL_ERROR;
        }
    }
    return NVME_SC_SUCCESS;
}

void hil_dsm_landed(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    if (e->hil->ata.on != 0) {
        ata_ranges((uint8_t*)ranges_of(e, c), c->dsm.ranges);
    }
    const uint32_t status = place_ranges(e, c);
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
        return;
    }
    hil_start_write(e, slot);
}

void hil_dsm_start(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    c->dsm.ranges = (c->dword10 & 0xFFu) + 1;
    /* Only Deallocate does anything, if the drive does it; in zones only a reset does. */
    if ((c->dword11 & NVME_DSM_DEALLOCATE) == 0 || e->hil->trim == 0 || hil_in_zones(e, c)) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    hil_dsm_fetch(e, slot);
}
