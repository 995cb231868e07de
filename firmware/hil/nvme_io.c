/* SPDX-License-Identifier: Apache-2.0
 *
 * NVM command set: Read, Write, Flush, Write Zeroes, Dataset Management. NVM Express base 1.4
 * section 6. A command is worked on unit by unit and can stop and go on at any unit. Reads are
 * worked on in nvme_read.c.
 */
#include "firmware/hil/nvme_io.h"
#include "firmware/cache/merged.h"
#include "firmware/flash/blocks.h"
#include "firmware/flash/reserve.h"
#include "firmware/flash/retention.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/maps_frames.h"
#include "firmware/hil/hil.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/stats.h"
#include "firmware/recovery/recovery.h"

enum { ZERO_BUDGET = 4096 }; /* units that one round zeroes or unmaps */

/* ---- Write ---- */

static void note_wait(struct env* e, struct command* c)
{
    const uint32_t why = e->cache->blocked;
    const uint32_t else_why = e->hil->unmap == UNMAP_WAITS ? CACHE_WAIT_GC : CACHE_WAIT_PROGRAM;
    FW_ASSERT(e, why <= CACHE_WAIT_GC);
    c->wait = (uint8_t)(why == CACHE_WAIT_NONE ? else_why : why);
    FW_ASSERT(e, c->state != COMMAND_IDLE);
}

/* Returns 1 when all data are on their way; a write that must be durable then waits for the
 * programs. */
int hil_write(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint32_t sectors = c->sectors;
    const int fua = c->fua;
    FW_ASSERT(e, c->state == COMMAND_WRITE);
    for (uint32_t done = c->done; done < sectors;) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t to = cache_write(e, p.unit, p.mask);
        struct fe_move move;
        if (to == INDEX_NONE) {
            note_wait(e, c);
            return 0;
        }
        cache_tell_length(e, to, (uint64_t)sectors << SECTOR_SHIFT);
        const uint32_t number = (uint32_t)(p.unit - (command_lba(c) >> e->geo->sector_shift));
        const uint32_t arrival = slot * e->cache->nodes_each + number;
        cache_expect(e, to, p.mask, arrival);
        if (e->cache->options.whole_units != 0) {
            cache_fill(e, to); /* if it cannot, it is completed before it leaves */
        }
        if (fua) {
            cache_wait_for(e, to, slot, number);
            c->wait = FE_WAIT_PROGRAM;
        }
        hil_clear_move(&move, FE_MOVE_FROM_HOST, slot);
        move.buffer = cache_data(e, e->cache, to) + ((uint64_t)p.first << SECTOR_SHIFT);
        move.offset = done << SECTOR_SHIFT;
        move.length = p.count << SECTOR_SHIFT;
        move.tag = ((uint32_t)MOVE_SLOT_IN << MOVE_KIND_SHIFT) | arrival;
        done += p.count;
        c->done = done;
        if (fua && done == sectors) {
            move.flags = FE_MOVE_IRQ; /* the program waits for it */
        }
        hil_finish_move(e, &move, done == sectors && !fua);
    }
    if (fua) {
        c->state = COMMAND_DURABLE;
        cache_unhold(e, slot);
    }
    FW_ASSERT(e, c->state != COMMAND_WRITE || !fua);
    return 1;
}

/* ---- Write Zeroes, Dataset Management ---- */

/* Zeroes the part of a unit that is pinned: the whole one is unmapped if the drive may, else it
 * goes through the buffer. Returns 0 when that has to wait. */
static int zero_piece(struct env* e, struct command* c, const struct piece* p)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    FW_ASSERT(e, p->count != 0);
    if (p->count == e->geo->unit_sectors && e->hil->trim != 0) {
        if (!journal_room(e) || cache_promised(e, p->unit)) {
            return 0;
        }
        const int buffered = cache_trim(e, p->unit);
        retention_before(e);
        const int mapped = ftl->trim(e, p->unit);
        retention_after(e, p->unit);
        if (buffered || mapped) {
            ++e->stats->trimmed_units;
            journal_trim(e, p->unit);
            c->zero_io = 1;
        }
    } else if (cache_find(e, p->unit) != INDEX_NONE || ftl->lookup(e, p->unit) != FTL_NONE) {
        const uint32_t to = cache_write(e, p->unit, p->mask);
        if (to == INDEX_NONE) {
            return 0;
        }
        cache_tell_length(e, to, (uint64_t)c->sectors << SECTOR_SHIFT);
        cache_zero(e, to, p->mask);
        c->zero_io = 1;
    }
    c->done += p->count;
    FW_ASSERT(e, c->done <= c->sectors);
    return 1;
}

/* What is unmapped fills no superblock of the host's, but a paged map writes pages for it, and
 * nothing else says how many: it leaves collection and maps as much room as a write does. */
static int must_wait(struct env* e, const struct piece* p)
{
    struct hil* h = e->hil;
    const struct blocks* b = e->blocks;
    FW_ASSERT(e, p->count != 0);
    if (!maps_paged(e->maps) || h->trim == 0 || p->count != e->geo->unit_sectors ||
        h->unmap == UNMAP_ANYWAY || b->free > RESERVE_FREE + b->map_reserve) {
        return 0;
    }
    h->unmap = UNMAP_WAITS;
    return 1;
}

/* Zeroes the current run. Returns 1 when it is done. */
static int zero_run(struct env* e, struct command* c, uint32_t* budget)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    FW_ASSERT(e, c->state == COMMAND_ZERO || c->state == COMMAND_DSM);
    while (c->done < c->sectors) {
        const struct piece p = hil_next_piece(e, c);
        int done = 0;
        if (*budget == 0) {
            e->hil->more = 1;
            return 0;
        }
        --*budget;
        if (!must_wait(e, &p) && ftl->pin(e, p.unit)) {
            done = zero_piece(e, c, &p);
            ftl->unpin(e, p.unit);
        }
        if (!done) {
            note_wait(e, c);
            return 0;
        }
    }
    FW_ASSERT(e, c->done == c->sectors);
    return 1;
}

static void end_zeroing(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->done == c->sectors);
    /* What was zero already may be so by a trim whose record is not on the flash yet. */
    c->ticket = c->zero_io != 0 && c->fua != 0 ? cache_flush(e) : 0;
    c->journal = c->fua != 0 ? journal_flush(e) : 0;
    if (cache_flushed(e, c->ticket) && journal_flushed(e, c->journal)) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    if (c->buffer != INDEX_NONE) {
        hil_meta_free(e, c->buffer);
        c->buffer = INDEX_NONE;
    }
    c->state = COMMAND_FLUSH;
    c->wait = FE_WAIT_PROGRAM;
    fifo_push(&h->flushes, env_dram(e, h->wait_links), slot);
    FW_ASSERT(e, c->ticket <= e->cache->sequence);
}

int hil_zero(struct env* e, uint32_t slot)
{
    uint32_t budget = ZERO_BUDGET;
    FW_ASSERT(e, command_of(e, slot)->state == COMMAND_ZERO);
    if (!zero_run(e, command_of(e, slot), &budget)) {
        return 0;
    }
    end_zeroing(e, slot);
    FW_ASSERT(e, budget < ZERO_BUDGET);
    return 1;
}

static const struct nvme_dsm_range* ranges_of(struct env* e, const struct command* c)
{
    FW_ASSERT(e, c->buffer != INDEX_NONE);
    FW_ASSERT(e, c->ranges * sizeof(struct nvme_dsm_range) <= META_SIZE);
    return (const struct nvme_dsm_range*)env_dram(e, hil_meta_address(e, c->buffer));
}

int hil_dsm(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const struct nvme_dsm_range* r = ranges_of(e, c);
    uint32_t budget = ZERO_BUDGET;
    FW_ASSERT(e, c->state == COMMAND_DSM);
    while (c->range < c->ranges) {
        c->lba = (uint32_t)r[c->range].slba;
        c->lba_high = (uint32_t)(r[c->range].slba >> 32);
        c->sectors = r[c->range].blocks;
        if (!zero_run(e, c, &budget)) {
            return 0;
        }
        ++c->range;
        c->done = 0;
    }
    c->sectors = 0;
    end_zeroing(e, slot);
    FW_ASSERT(e, budget <= ZERO_BUDGET);
    return 1;
}

static void fetch_ranges(struct env* e, uint32_t slot)
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
    move.length = c->ranges * (uint32_t)sizeof(struct nvme_dsm_range);
    move.tag = ((uint32_t)MOVE_META_IN << MOVE_KIND_SHIFT) | slot;
    FW_ASSERT(e, move.length <= META_SIZE);
    FW_ASSERT(e, c->state == COMMAND_DSM);
    hil_finish_move(e, &move, 0);
}

static void queue_write(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, slot < e->front_end->slots);
    FW_ASSERT(e, h->writes_waiting.count < e->front_end->slots);
    note_wait(e, command_of(e, slot));
    fifo_push(&h->writes_waiting, env_dram(e, h->wait_links), slot);
}

static int resume(struct env* e, uint32_t slot)
{
    const uint32_t state = command_of(e, slot)->state;
    FW_ASSERT(e, state == COMMAND_WRITE || state == COMMAND_ZERO || state == COMMAND_DSM);
    FW_ASSERT(e, slot < e->front_end->slots);
    return state == COMMAND_WRITE  ? hil_write(e, slot)
           : state == COMMAND_ZERO ? hil_zero(e, slot)
                                   : hil_dsm(e, slot);
}

/* In order of arrival: a later write never overtakes one that waits. */
static void start_write(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->front_end->slots);
    if (e->hil->writes_waiting.count != 0 || !resume(e, slot)) {
        queue_write(e, slot);
    }
    FW_ASSERT(e, e->hil->active <= e->front_end->slots);
}

void hil_meta_landed(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const struct nvme_dsm_range* r = ranges_of(e, c);
    FW_ASSERT(e, c->state == COMMAND_DSM);
    for (uint32_t i = 0; i < c->ranges; ++i) {
        if (r[i].slba >= e->geo->sectors || r[i].blocks > e->geo->sectors - r[i].slba) {
            hil_complete(e, slot, NVME_SC_LBA_OUT_OF_RANGE | NVME_STATUS_DNR, 0);
            return;
        }
    }
    FW_ASSERT(e, c->ranges >= 1);
    start_write(e, slot);
}

void hil_retry(struct env* e)
{
    struct hil* h = e->hil;
    uint32_t* links = env_dram(e, h->wait_links);
    uint32_t slot;
    for (uint32_t n = h->reads_waiting.count; n != 0; --n) {
        slot = fifo_pop(&h->reads_waiting, links);
        const enum hil_progress p = hil_read(e, slot);
        if (p == PROGRESS_NO_BUFFER) {
            fifo_push_front(&h->reads_waiting, links, slot);
            break;
        }
        if (p == PROGRESS_NO_DATA) {
            fifo_push(&h->reads_waiting, links, slot);
        }
    }
    while ((slot = fifo_pop(&h->writes_waiting, links)) != INDEX_NONE) {
        if (!resume(e, slot)) {
            fifo_push_front(&h->writes_waiting, links, slot);
            break;
        }
    }
    for (uint32_t n = h->fetched.count; n != 0 && h->meta_free.count != 0; --n) {
        fetch_ranges(e, fifo_pop(&h->fetched, env_dram(e, h->fetch_links)));
    }
    FW_ASSERT(e, h->reads_waiting.count <= e->front_end->slots);
    FW_ASSERT(e, h->writes_waiting.count <= e->front_end->slots);
}

/* ---- Checks and dispatch ---- */

static uint32_t check_range(const struct env* e, const struct command* c, uint32_t opcode)
{
    const uint64_t lba = command_lba(c);
    FW_ASSERT(e, e->geo->sectors != 0);
    FW_ASSERT(e, e->hil->max_sectors != 0);
    if (opcode != NVME_IO_WRITE_ZEROES && c->sectors > e->hil->max_sectors) {
        return NVME_SC_INVALID_FIELD | NVME_STATUS_DNR;
    }
    if (lba >= e->geo->sectors || c->sectors > e->geo->sectors - lba) {
        return NVME_SC_LBA_OUT_OF_RANGE | NVME_STATUS_DNR;
    }
    return NVME_SC_SUCCESS;
}

static uint32_t check_form(const struct env* e, const struct nvme_sqe* q)
{
    const int flush_all = q->opcode == NVME_IO_FLUSH && q->nsid == 0xFFFFFFFFu;
    FW_ASSERT(e, e->geo->user_units != 0);
    switch (q->opcode) {
    case NVME_IO_FLUSH:
    case NVME_IO_READ:
    case NVME_IO_WRITE:
    case NVME_IO_WRITE_ZEROES:
    case NVME_IO_DSM:
        break;
    default:
        return NVME_SC_INVALID_OPCODE | NVME_STATUS_DNR;
    }
    if ((q->flags & 0x3Fu) != 0 || q->flags >> NVME_PSDT_SHIFT > NVME_PSDT_SGL_MPTR) {
        /* Fused operations, reserved bits, a PSDT that there is not. */
        return NVME_SC_INVALID_FIELD | NVME_STATUS_DNR;
    }
    if (q->nsid != 1 && !flush_all) {
        return NVME_SC_INVALID_NAMESPACE | NVME_STATUS_DNR;
    }
    return NVME_SC_SUCCESS;
}

struct host_request hil_parse(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct command* c = command_of(e, slot);
    struct host_request r;
    FW_ASSERT(e, c->state == COMMAND_IDLE && c->sq_id != 0);
    c->lba = q->cdw10;
    c->lba_high = q->cdw11;
    c->sectors = (q->cdw12 & 0xFFFFu) + 1;
    c->fua = (q->cdw12 & NVME_RW_FUA) != 0;
    r.opcode = q->opcode;
    r.range = 0;
    r.status = (uint16_t)check_form(e, q);
    if (r.status == NVME_SC_SUCCESS && q->opcode != NVME_IO_FLUSH && q->opcode != NVME_IO_DSM) {
        r.status = (uint16_t)check_range(e, c, q->opcode);
        r.range = 1;
    }
    return r;
}

/* A drive that is read only refuses what writes, before it looks where to. */
static uint32_t status_of(struct env* e, const struct host_request* r)
{
    const int reads = r->opcode == NVME_IO_READ || r->opcode == NVME_IO_FLUSH;
    FW_ASSERT(e, e->hil->state == HIL_READY);
    if (!reads && e->stats->read_only != 0 && (r->range != 0 || r->status == NVME_SC_SUCCESS)) {
        return NVME_SC_WRITE_FAULT | NVME_STATUS_DNR;
    }
    return r->status;
}

static void start_flush(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_FLUSH);
    c->ticket = cache_flush(e);
    c->journal = journal_flush(e);
    if (cache_flushed(e, c->ticket) && journal_flushed(e, c->journal)) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    c->wait = FE_WAIT_PROGRAM;
    FW_ASSERT(e, h->flushes.count < e->front_end->slots);
    fifo_push(&h->flushes, env_dram(e, h->wait_links), slot);
}

static void start_dsm(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_DSM);
    c->ranges = (c->lba & 0xFFu) + 1;
    FW_ASSERT(e, c->ranges <= 256);
    /* Only Deallocate does anything, and only if the drive does it. */
    if ((c->lba_high & NVME_DSM_DEALLOCATE) == 0 || e->hil->trim == 0) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    fetch_ranges(e, slot);
}

void hil_start_read(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    const uint32_t sectors = command_of(e, slot)->sectors;
    const uint64_t lba = command_lba(command_of(e, slot));
    FW_ASSERT(e, sectors != 0 && command_of(e, slot)->state == COMMAND_READ);
    e->cache->idle.commands = 1;
    ++e->stats->host_read_commands;
    e->stats->host_read_sectors += sectors;
    if (hil_read(e, slot) != PROGRESS_DONE) {
        fifo_push(&h->reads_waiting, env_dram(e, h->wait_links), slot);
    }
    if (e->cache->options.ahead_units != 0) { /* behind what the host waits for */
        hil_read_ahead(e, lba, sectors);
    }
    FW_ASSERT(e, h->reads_waiting.count <= e->front_end->slots);
}

void hil_io(struct env* e, uint32_t slot, const struct host_request* q)
{
    static const uint8_t states[] = {
        [NVME_IO_FLUSH] = COMMAND_FLUSH,
        [NVME_IO_WRITE] = COMMAND_WRITE,
        [NVME_IO_WRITE_ZEROES] = COMMAND_ZERO,
        [NVME_IO_DSM] = COMMAND_DSM,
    };
    struct command* c = command_of(e, slot);
    const uint32_t status = status_of(e, q);
    FW_ASSERT(e, c->sq_id != 0);
    e->cache->idle.commands = 1;
    e->hil->stirred |= q->opcode ^ (uint32_t)NVME_IO_READ;
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
        return;
    }
    if (q->opcode == NVME_IO_READ) {
        hil_start_read(e, slot);
        return;
    }
    FW_ASSERT(e, q->opcode < sizeof states);
    c->state = states[q->opcode];
    c->fua = c->fua != 0 || e->cache->write_through != 0 || e->hil->write_cache == 0;
    switch (q->opcode) {
    case NVME_IO_WRITE:
        ++e->stats->host_write_commands;
        e->stats->host_write_sectors += c->sectors;
        if (c->fua) {
            cache_hold(e, slot);
        }
        start_write(e, slot);
        break;
    case NVME_IO_WRITE_ZEROES:
        start_write(e, slot);
        break;
    case NVME_IO_DSM:
        start_dsm(e, slot);
        break;
    default:
        start_flush(e, slot);
        break;
    }
}
