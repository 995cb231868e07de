/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/nvme_io.h"

#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/directives.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/nvme/namespaces.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/nvme_read.h"
#include "firmware/host/nvme/nvme_write.h"
#include "firmware/host/nvme/transfers.h"
#include "firmware/host/nvme/uncorrectable.h"
#include "firmware/host/nvme/unmap.h"
#include "firmware/host/zones/zone_commands.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/telemetry.h"

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
    if (c->nsid != 1 || plain == 0) {
        const uint32_t status =
            nvme_translate(e, c, opcode, (kind & RANGED) != 0, (kind & BOUNDED) != 0);
        if (status != NVME_SC_SUCCESS) {
            return status;
        }
    }
    if (plain == 0 && hil_in_zones(e, c)) {
        return (kind & RANGED) != 0 ? zone_access(e, c, opcode) : (uint32_t)NVME_SC_SUCCESS;
    }
    if (plain != 0) {
        const uint64_t lba = c->lba = c->ns_lba; /* its blocks are the drive's sectors */
        if ((kind & BOUNDED) != 0 && c->sectors > e->hil->max_sectors) {
            return DNR(NVME_SC_INVALID_FIELD);
        }
        if ((kind & RANGED) != 0 &&
            (lba >= e->geo->sectors || c->sectors > e->geo->sectors - lba)) {
            return DNR(NVME_SC_LBA_OUT_OF_RANGE);
        }
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
    command_of(e, slot)->media = command_of(e, slot)->fua;
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
    } else if (e->hil->protect == 0 || !metadata_io(e, slot, NVME_IO_READ)) {
        hil_start_read(e, slot);
    } else {
        run_due(e, DUE_STEPS);
    }
}

/* What is neither read nor written nearly all of the time. */
static void start_other(struct env* e, uint32_t slot, const struct host_request* q)
{
    struct command* c = command_of(e, slot);
    uint32_t status;
    switch (q->opcode) {
    case NVME_IO_WRITE_UNCORRECTABLE:
        status = nvme_spoil(e, c->lba, c->sectors);
        if (status != NVME_SC_SUCCESS) {
            hil_complete(e, slot, status, 0);
        } else {
            hil_save(e, slot, 0);
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

/* Not a read, nor a write that may lie in the buffer until something has to leave. */
static bool stirs(const struct env* e, const struct command* c, uint32_t opcode)
{
    const struct hil* h = e->hil;
    return opcode != NVME_IO_READ &&
           (opcode != NVME_IO_WRITE || c->fua || (h->spoilt | h->protect | h->zoned) != 0);
}

void hil_io(struct env* e, uint32_t slot, const struct host_request* q)
{
    struct command* c = command_of(e, slot);
    if (hil_only_reads(e, q)) {
        hil_io_read(e, slot);
        return;
    }
    const uint32_t status = status_of(e, c, q);
    FW_ASSERT(e, c->sq_id != 0);
    if (e->hil->ata.standby != 0) {
        ata_wake(e);
    }
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
        return;
    }
    c->media = c->fua && reads(q->opcode);
    c->fua = c->fua || cache_writes_through(e) || e->hil->write_cache == 0;
    if (stirs(e, c, q->opcode)) {
        run_due(e, DUE_STEPS);
    }
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
        c->zeroes.maps = hil_in_zones(e, c) ? 1 : 0;
        hil_start_zeroes(e, slot);
        break;
    case NVME_IO_DSM:
        c->state = COMMAND_DSM;
        hil_dsm_start(e, slot);
        break;
    case NVME_IO_FLUSH:
        c->state = COMMAND_FLUSH;
        hil_start_flush(e, slot);
        break;
    default:
        start_other(e, slot, q);
        break;
    }
}
