/* SPDX-License-Identifier: Apache-2.0
 *
 * NVM command set: Read, Write, Flush, Write Zeroes, Dataset Management. NVM Express base 1.4
 * section 6. A command is worked on unit by unit and can stop and go on at any unit. Reads are
 * worked on in nvme_read.c, commands made of reads and writes in transfers.c.
 */
#include "firmware/host/nvme/nvme_io.h"
#include "firmware/buffer/merged.h"
#include "firmware/buffer/waiters.h"
#include "firmware/durable/journal.h"
#include "firmware/durable/recovery.h"
#include "firmware/host/core/controller.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/smart.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/blocks.h"
#include "firmware/space/reserve.h"
#include "firmware/space/retention.h"

enum { ZERO_BUDGET = 4096 }; /* units that one round zeroes or unmaps */

/* ---- Write ---- */

void hil_note_wait(struct env* e, struct command* c)
{
    const enum cache_wait why = cache_waits_for(e);
    FW_ASSERT(e, c->state != COMMAND_IDLE);
    if (why == CACHE_WAIT_GC || (why != CACHE_WAIT_PROGRAM && e->hil->unmap == UNMAP_WAITS)) {
        c->wait = FE_WAIT_GC;
    } else if (why == CACHE_WAIT_MAP) {
        c->wait = FE_WAIT_MAP;
    } else {
        c->wait = c->state == COMMAND_WRITE && !cache_writes_through(e) ? FE_WAIT_BUFFER
                                                                        : FE_WAIT_PROGRAM;
    }
}

/* Returns true when all data are on their way; a write that must be durable then waits for the
 * programs. */
bool hil_write(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint32_t sectors = c->sectors;
    const bool fua = c->fua;
    FW_ASSERT(e, c->state == COMMAND_WRITE);
    for (uint32_t done = c->done; done < sectors;) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t to = cache_write(e, p.unit, p.mask);
        struct fe_move move;
        if (to == INDEX_NONE) {
            hil_note_wait(e, c);
            return false;
        }
        cache_tell_command(e, to, (uint64_t)sectors << SECTOR_SHIFT, c->stream);
        const uint32_t number = (uint32_t)(p.unit - (c->lba >> e->geo->sector_shift));
        const uint32_t arrival = cache_expect(e, to, p.mask, slot, number);
        if (cache_keeps_whole(e)) {
            cache_fill(e, to); /* if it cannot, it is completed before it leaves */
        }
        if (fua) {
            cache_wait_for(e, to, slot, number);
        }
        hil_clear_move(&move, FE_MOVE_FROM_HOST, slot);
        move.wait = hil_waited(c);
        move.buffer = cache_data(e, to) + ((uint64_t)p.first << SECTOR_SHIFT);
        move.offset = done << SECTOR_SHIFT;
        move.length = p.count << SECTOR_SHIFT;
        move.tag = ((uint32_t)MOVE_BUFFER_IN << MOVE_KIND_SHIFT) | arrival;
        move.dw0 = c->io.dw0;
        done += p.count;
        c->done = done;
        if (fua && done == sectors) {
            move.flags = FE_MOVE_IRQ; /* the program waits for it */
        }
        hil_finish_move(e, &move, done == sectors && !fua);
    }
    if (fua) {
        c->state = COMMAND_DURABLE;
        c->wait = FE_WAIT_PROGRAM;
        cache_unhold(e, slot);
    }
    FW_ASSERT(e, c->state != COMMAND_WRITE || !fua);
    return true;
}

/* ---- Write Zeroes, Dataset Management ---- */

void hil_end_zeroing(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->done == c->sectors);
    /* What was zero already may be so by a trim whose record is not on the flash yet. */
    c->until.ticket = c->zero_io && c->fua ? cache_flush(e) : 0;
    c->until.journal = c->fua ? journal_flush(e) : 0;
    if (cache_flushed(e, c->until.ticket) && journal_flushed(e, c->until.journal)) {
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
}

bool hil_zero(struct env* e, uint32_t slot)
{
    uint32_t budget = ZERO_BUDGET;
    FW_ASSERT(e, command_of(e, slot)->state == COMMAND_ZERO);
    if (!hil_zero_run(e, command_of(e, slot), &budget)) {
        return false;
    }
    hil_end_zeroing(e, slot);
    FW_ASSERT(e, budget < ZERO_BUDGET);
    return true;
}

static void queue_write(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, slot < e->front_end->slots);
    FW_ASSERT(e, h->writes_waiting.count < e->front_end->slots);
    hil_note_wait(e, command_of(e, slot));
    fifo_push(&h->writes_waiting, env_dram(e, h->wait_links), slot);
    /* Else the end of a program comes, and is announced. */
    if (e->flash->owned[OWNER_PROGRAM] == 0 || e->flash->passes.held != 0) {
        run_due(e, DUE_STEPS);
    }
    hal_mark(e->hal, HAL_WAITS);
}

static bool resume(struct env* e, uint32_t slot)
{
    const uint32_t state = command_of(e, slot)->state;
    FW_ASSERT(e, slot < e->front_end->slots);
    switch (state) {
    case COMMAND_WRITE:
        return hil_write(e, slot);
    case COMMAND_ZERO:
        return hil_zero(e, slot);
    case COMMAND_DSM:
        return hil_dsm(e, slot);
    case COMMAND_ZONE:
        return zone_wipe(e, slot);
    default:
        FW_ASSERT(e, state == COMMAND_WIPE);
        return nvme_wipe(e, slot);
    }
}

/* In order of arrival: a later write never overtakes one that waits. */
void hil_start_write(struct env* e, uint32_t slot)
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
    if (c->state == COMMAND_ADMIN) {
        nvme_landed(e, slot);
        return;
    }
    if (c->divert != DIVERT_NOT) {
        nvme_transfer_landed(e, slot);
        return;
    }
    FW_ASSERT(e, c->state == COMMAND_DSM);
    hil_dsm_landed(e, slot);
}

/* What comes into the buffer is announced, and free flash reads are; entries of the map are not. */
static void wait_for_data(struct env* e, uint32_t slot)
{
    if (command_of(e, slot)->wait == FE_WAIT_MAP) {
        e->hil->asks_map = 1;
        run_due(e, DUE_STEPS);
    }
    hil_park(e, slot);
}

/* The first that waits. false = there is no flash read for it, and so for no other. */
static bool read_next(struct env* e)
{
    uint32_t* links = env_dram(e, e->hil->wait_links);
    struct fifo* from = &e->hil->reads_waiting;
    const uint32_t slot = fifo_pop(from, links);
    FW_ASSERT(e, slot < e->front_end->slots);
    hal_mark(e->hal, slot);
    const enum hil_progress p = hil_read(e, slot);
    hal_mark(e->hal, p == PROGRESS_DONE ? HAL_NO_COMMAND : HAL_IN_VAIN);
    if (p == PROGRESS_NO_BUFFER) {
        e->hil->queue_up = 1;
        fifo_push_front(from, links, slot);
    } else if (p == PROGRESS_NO_DATA) {
        wait_for_data(e, slot);
    }
    return p != PROGRESS_NO_BUFFER;
}

void hil_retry(struct env* e)
{
    struct hil* h = e->hil;
    uint32_t* links = env_dram(e, h->wait_links);
    uint32_t slot;
    const uint32_t asked = h->asks_map;
    h->asks_map = 0;
    h->queue_up = 0;
    uint32_t n = h->parked.asking;
    while (n != 0 && hil_park_ask(e) && read_next(e)) {
        --n;
    }
    (void)hil_park_joined(e); /* they are in the list by now */
    n = h->reads_waiting.count;
    while (n != 0 && h->queue_up == 0 && read_next(e)) {
        n += hil_park_joined(e);
        --n;
    }
    h->asks_map |= h->queue_up != 0 ? asked : 0; /* of those behind */
    while ((slot = fifo_pop(&h->writes_waiting, links)) != INDEX_NONE) {
        hal_mark(e->hal, slot);
        if (!resume(e, slot)) {
            fifo_push_front(&h->writes_waiting, links, slot);
            hal_mark(e->hal, HAL_IN_VAIN);
            break;
        }
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    for (n = h->fetched.count; n != 0 && h->meta_free.count != 0; --n) {
        slot = fifo_pop(&h->fetched, env_dram(e, h->fetch_links));
        switch (command_of(e, slot)->state) {
        case COMMAND_ADMIN:
            nvme_execute_again(e, slot);
            break;
        case COMMAND_REPORT:
            zone_report(e, slot);
            break;
        default:
            hil_dsm_fetch(e, slot);
            break;
        }
    }
    FW_ASSERT(e, h->writes_waiting.count <= e->front_end->slots);
}

/* ---- Checks and dispatch ---- */

/* Commands, and what they do. */
enum { KNOWN = 1, WRITES = 2, RANGED = 4, BOUNDED = 8, ZONED = 16 };
static const uint8_t kinds[] = {
    [NVME_IO_FLUSH] = KNOWN,
    [NVME_IO_WRITE] = KNOWN | WRITES | RANGED | BOUNDED,
    [NVME_IO_READ] = KNOWN | RANGED | BOUNDED,
    [NVME_IO_WRITE_UNCORRECTABLE] = KNOWN | WRITES | RANGED,
    [NVME_IO_COMPARE] = KNOWN | RANGED | BOUNDED,
    [NVME_IO_WRITE_ZEROES] = KNOWN | WRITES | RANGED,
    [NVME_IO_DSM] = KNOWN | WRITES,
    [NVME_IO_VERIFY] = KNOWN | RANGED,
    [NVME_IO_COPY] = KNOWN | WRITES,
    [NVME_IO_ZONE_SEND] = KNOWN | ZONED,
    [NVME_IO_ZONE_RECEIVE] = KNOWN | ZONED,
    [NVME_IO_ZONE_APPEND] = KNOWN | WRITES | RANGED | BOUNDED | ZONED,
};

static bool reads(uint32_t opcode)
{
    return (kinds[opcode] & (WRITES | RANGED)) == RANGED;
}

/* From blocks of its namespace to sectors of the drive. Of a command without a range only the
 * namespace. */
static uint32_t place(struct env* e, struct command* c, uint32_t opcode)
{
    const uint32_t kind = kinds[opcode];
    const uint32_t plain = e->hil->plain;
    FW_ASSERT(e, e->geo->sectors != 0);
    if (c->nsid != 1 || plain == 0) {
        const uint32_t status =
            nvme_translate(e, c, opcode, (kind & RANGED) != 0, (kind & BOUNDED) != 0);
        if (status != NVME_SC_SUCCESS) {
            return status;
        }
    }
    if ((kind & BOUNDED) != 0 && plain != 0 && c->sectors > e->hil->max_sectors) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (plain != 0) {
        c->lba = c->ns_lba; /* the blocks of the only namespace are the drive's sectors */
    }
    const uint64_t lba = c->lba;
    if ((kind & RANGED) != 0 && plain != 0 &&
        (lba >= e->geo->sectors || c->sectors > e->geo->sectors - lba)) {
        return DNR(NVME_SC_LBA_OUT_OF_RANGE);
    }
    if (plain == 0 && ((e->hil->zoned_mask >> c->ns) & 1u) != 0) {
        return (kind & RANGED) != 0 ? zone_access(e, c, opcode) : (uint32_t)NVME_SC_SUCCESS;
    }
    return (kind & ZONED) == 0 ? (uint32_t)NVME_SC_SUCCESS : DNR(NVME_SC_INVALID_OPCODE);
}

static uint32_t check_form(const struct env* e, const struct nvme_sqe* q)
{
    if (q->opcode >= sizeof kinds || kinds[q->opcode] == 0 ||
        ((kinds[q->opcode] & ZONED) != 0 && e->hil->zoned == 0)) {
        return DNR(NVME_SC_INVALID_OPCODE);
    }
    /* Fused operations, reserved bits, a PSDT that there is not. */
    if (q->opcode == NVME_IO_COPY && e->geo->partition.bits != 0) {
        return DNR(NVME_SC_INVALID_OPCODE);
    }
    return (q->flags & 0x3Fu) != 0 || q->flags >> NVME_PSDT_SHIFT > NVME_PSDT_SGL_MPTR
               ? DNR(NVME_SC_INVALID_FIELD)
               : (uint32_t)NVME_SC_SUCCESS;
}

struct host_request hil_parse(struct env* e, const struct fe_command* f)
{
    const struct nvme_sqe* q = &f->sqe;
    struct command* c = command_of(e, f->slot);
    struct host_request r;
    FW_ASSERT(e, c->state == COMMAND_IDLE && c->sq_id != 0);
    if (e->hil->ata.on != 0) {
        return ata_parse(e, c, q);
    }
    c->dword10 = q->cdw10;
    c->dword11 = q->cdw11;
    c->sectors = (q->cdw12 & 0xFFFFu) + 1;
    c->fua = (q->cdw12 & NVME_RW_FUA) != 0;
    c->request.directive = e->hil->streams != 0 ? nvme_directive_of(q) : 0;
    c->stream = 0;
    if (e->hil->protect != 0) {
        metadata_parse(e, f->slot, q);
    }
    c->nsid = (uint16_t)(q->nsid < NSID_SHORT_NONE ? q->nsid : nvme_short_nsid(q->nsid));
    r.opcode = q->opcode;
    r.reserved = 0;
    r.status = (uint16_t)check_form(e, q);
    /* Wrong data pointers: nothing is read or written first. */
    r.status = r.status != NVME_SC_SUCCESS ? r.status : f->status;
    if (q->opcode == NVME_IO_ZONE_SEND || q->opcode == NVME_IO_ZONE_RECEIVE) {
        c->dwords = q->cdw12;
        c->request.dword13 = q->cdw13;
    }
    return r;
}

/* Zones have their own word for a drive that is read only. */
static bool names_zones(const struct env* e, const struct command* c)
{
    FW_ASSERT(e, DRIVE_NAMESPACES < 32);
    return c->nsid >= 1 && c->nsid <= DRIVE_NAMESPACES &&
           ((e->hil->zoned_mask >> (c->nsid - 1u)) & 1u) != 0;
}

/* A drive that is read only refuses what writes, before it looks where to. */
static uint32_t status_of(struct env* e, struct command* c, const struct host_request* r)
{
    FW_ASSERT(e, e->hil->state == HIL_READY || e->hil->state == HIL_STOPPING);
    if (r->status != NVME_SC_SUCCESS) {
        return r->status;
    }
    if (e->telemetry->read_only != 0 && (kinds[r->opcode] & WRITES) != 0 && !names_zones(e, c)) {
        return DNR(NVME_SC_WRITE_FAULT);
    }
    const uint32_t status = place(e, c, r->opcode);
    return status == NVME_SC_SUCCESS && c->request.directive != 0 ? nvme_direct(e, c) : status;
}

void hil_io_read(struct env* e, uint32_t slot)
{
    const uint32_t status = place(e, command_of(e, slot), NVME_IO_READ);
    FW_ASSERT(e, e->host_remote != 0);
    command_of(e, slot)->media = command_of(e, slot)->fua;
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
    } else if (e->hil->protect == 0 || !metadata_io(e, slot, NVME_IO_READ)) {
        hil_start_read(e, slot);
    } else {
        run_due(e, DUE_STEPS);
    }
}

static void start_flush(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_FLUSH);
    c->until.ticket = cache_flush(e);
    c->until.journal = journal_flush(e);
    if (h->unspoilt != 0) {
        nvme_save(e, slot, 0);
        return;
    }
    if (cache_flushed(e, c->until.ticket) && journal_flushed(e, c->until.journal)) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    c->wait = FE_WAIT_PROGRAM;
    FW_ASSERT(e, h->flushes.count < e->front_end->slots);
    fifo_push(&h->flushes, env_dram(e, h->wait_links), slot);
}

static void read_or_wait(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    const enum hil_progress p = hil_read(e, slot);
    FW_ASSERT(e, slot < e->front_end->slots);
    if (p == PROGRESS_NO_BUFFER) {
        h->queue_up = 1;
        fifo_push(&h->reads_waiting, env_dram(e, h->wait_links), slot);
    } else if (p == PROGRESS_NO_DATA) {
        wait_for_data(e, slot);
    }
    if (p != PROGRESS_DONE) {
        hal_mark(e->hal, HAL_WAITS);
    }
    FW_ASSERT(e, h->reads_waiting.count <= e->front_end->slots);
}

void hil_start_read(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    const uint32_t sectors = c->sectors;
    const uint64_t lba = c->lba;
    FW_ASSERT(e, sectors != 0 && c->state == COMMAND_READ);
    ++e->smart->host_read_commands;
    e->smart->host_read_sectors += sectors;
    if (e->hil->spoilt != 0 && nvme_is_spoilt(e, lba, sectors)) {
        hil_complete(e, slot, NVME_SC_UNRECOVERED_READ_ERROR, 0);
        return;
    }
    if (c->media && !hil_commit(e, slot)) {
        hal_mark(e->hal, HAL_WAITS);
        return;
    }
    read_or_wait(e, slot);
    if (cache_ahead_units(e) != 0) { /* behind what the host waits for */
        hil_read_ahead(e, lba, sectors);
    }
}

/* A write that had to be durable ends; of a read from the flash alone all is there, or more waits.
 */
void hil_programmed(struct env* e, const struct cache_done* d)
{
    struct command* c = command_of(e, d->command);
    if (c->state == COMMAND_COMMIT) {
        FW_ASSERT(e, c->media);
        c->state = COMMAND_READ;
        if (hil_commit(e, d->command)) {
            read_or_wait(e, d->command);
        }
        return;
    }
    FW_ASSERT(e, c->state == COMMAND_DURABLE);
    c->io.operation = d->operation;
    hil_complete(e, d->command, d->failed ? NVME_SC_WRITE_FAULT : NVME_SC_SUCCESS, c->io.dw0);
}

void hil_begin_write(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_WRITE);
    ++e->smart->host_write_commands;
    e->smart->host_write_sectors += c->sectors;
    if (e->hil->spoilt != 0 && !nvme_unspoil(e, c->lba, c->sectors)) {
        hil_complete(e, slot, NVME_SC_INTERNAL_ERROR, 0);
        return;
    }
    if (c->fua) {
        cache_hold(e, slot);
    }
    hil_start_write(e, slot);
}

/* What is neither read nor written nearly all of the time. */
static void start_other(struct env* e, uint32_t slot, const struct host_request* q)
{
    struct command* c = command_of(e, slot);
    uint32_t status;
    FW_ASSERT(e, c->state == COMMAND_READ);
    switch (q->opcode) {
    case NVME_IO_WRITE_UNCORRECTABLE:
        status = nvme_spoil(e, c->lba, c->sectors);
        if (status != NVME_SC_SUCCESS) {
            hil_complete(e, slot, status, 0);
        } else {
            nvme_save(e, slot, 0);
        }
        break;
    case NVME_IO_COMPARE:
        c->divert = DIVERT_COMPARE;
        nvme_transfer_start(e, slot);
        break;
    case NVME_IO_ZONE_APPEND:
        c->state = COMMAND_WRITE;
        hil_begin_write(e, slot);
        break;
    case NVME_IO_ZONE_SEND:
        zone_send(e, slot);
        break;
    case NVME_IO_ZONE_RECEIVE:
        zone_receive(e, slot);
        break;
    case NVME_IO_VERIFY:
        c->divert = DIVERT_VERIFY;
        hil_start_read(e, slot);
        break;
    default:
        FW_ASSERT(e, q->opcode == NVME_IO_COPY);
        c->divert = DIVERT_COPY;
        nvme_copy_start(e, slot, c->sectors - 1);
        break;
    }
}

static void start_zeroes(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_ZERO);
    if (e->hil->spoilt != 0 && !nvme_unspoil(e, c->lba, c->sectors)) {
        hil_complete(e, slot, NVME_SC_INTERNAL_ERROR, 0);
        return;
    }
    hil_start_write(e, slot);
}

/* Not a read, nor a write that may lie in the buffer until something has to leave. */
static bool stirs(const struct env* e, const struct command* c, uint32_t opcode)
{
    const struct hil* h = e->hil;
    const bool durable = c->fua || cache_writes_through(e) || h->write_cache == 0;
    return opcode != NVME_IO_READ &&
           (opcode != NVME_IO_WRITE || durable || (h->spoilt | h->protect | h->zoned) != 0);
}

void hil_io(struct env* e, uint32_t slot, const struct host_request* q)
{
    struct command* c = command_of(e, slot);
    const uint32_t status = status_of(e, c, q);
    FW_ASSERT(e, c->sq_id != 0);
    if (stirs(e, c, q->opcode)) {
        run_due(e, DUE_STEPS);
    }
    if (e->hil->ata.standby != 0) {
        ata_wake(e);
    }
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
        return;
    }
    c->media = c->fua && reads(q->opcode);
    c->fua = c->fua || cache_writes_through(e) || e->hil->write_cache == 0;
    if (e->hil->protect != 0 && metadata_io(e, slot, q->opcode)) {
        run_due(e, DUE_STEPS);
        return;
    }
    switch (q->opcode) {
    case NVME_IO_READ:
        hil_start_read(e, slot); /* COMMAND_READ, as it was accepted */
        break;
    case NVME_IO_WRITE:
        c->state = COMMAND_WRITE;
        hil_begin_write(e, slot);
        break;
    case NVME_IO_WRITE_ZEROES:
        c->state = COMMAND_ZERO;
        c->zeroes.maps = (e->hil->zoned_mask >> c->ns) & 1u;
        start_zeroes(e, slot);
        break;
    case NVME_IO_DSM:
        c->state = COMMAND_DSM;
        hil_dsm_start(e, slot);
        break;
    case NVME_IO_FLUSH:
        c->state = COMMAND_FLUSH;
        start_flush(e, slot);
        break;
    default:
        start_other(e, slot, q);
        break;
    }
}
