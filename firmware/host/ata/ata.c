/* SPDX-License-Identifier: Apache-2.0
 *
 * ATA: commands that read, write, flush and trim; how commands end.
 */
#include "firmware/host/ata/ata.h"

#include "firmware/durable/recovery.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/patrol.h"
#include "firmware/host/core/hil.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"

_Static_assert(sizeof(struct sata_fe_request) == sizeof(struct nvme_sqe), "one ring entry");
_Static_assert(SFE_LINK_ENABLE == NVME_CC_EN && SFE_READY_RDY == NVME_CSTS_RDY, "one reset");

/* Transfer modes of SET FEATURES 03h that a SATA drive takes are all alike to it. */
enum { MODE_UDMA6 = 0x46 };

static const struct sata_fe_request* request_of(const struct nvme_sqe* q)
{
    return (const struct sata_fe_request*)(const void*)q;
}

static void set_defaults(struct env* e)
{
    struct ata* a = &e->hil->ata;
    a->smart = 1;
    a->preserves = 1;
    a->auto_activate = 0;
    a->transfer_mode = MODE_UDMA6;
    e->hil->write_cache = 1;
    cache_look_ahead(e, true);
}

void ata_init(struct env* e, bool on)
{
    struct ata* a = &e->hil->ata;
    a->on = on != 0 ? 1 : 0;
    if (a->on != 0) {
        set_defaults(e);
    }
    FW_ASSERT(e, a->stopper == 0);
}

void ata_reset(struct env* e)
{
    struct ata* a = &e->hil->ata;
    const uint32_t keeps = a->preserves;
    FW_ASSERT(e, e->hil->active == 0);
    if (keeps == 0) {
        set_defaults(e);
        front_end_option(e, 0);
    }
    a->preserves = 1; /* enabled after each COMRESET */
    a->standby = 0;
    a->stopper = 0;
    a->result = 0;
    a->result_error = 0;
}

static uint32_t word_at(const uint8_t* at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

/* ---- Reads, writes, flushes, trims ---- */

bool ata_is_io(const struct nvme_sqe* q)
{
    const struct sata_fe_request* r = request_of(q);
    if (r->notes != 0) {
        return false;
    }
    switch (r->fis[2]) {
    case ATA_DATA_SET_MANAGEMENT:
    case ATA_READ_SECTORS:
    case ATA_READ_SECTORS_EXT:
    case ATA_READ_DMA_EXT:
    case ATA_WRITE_SECTORS:
    case ATA_WRITE_SECTORS_EXT:
    case ATA_WRITE_DMA_EXT:
    case ATA_WRITE_DMA_FUA_EXT:
    case ATA_READ_VERIFY:
    case ATA_READ_VERIFY_EXT:
    case ATA_READ_FPDMA_QUEUED:
    case ATA_WRITE_FPDMA_QUEUED:
    case ATA_READ_DMA:
    case ATA_WRITE_DMA:
    case ATA_FLUSH_CACHE:
    case ATA_FLUSH_CACHE_EXT:
        return true;
    default:
        return false;
    }
}

/* First sector and count of a command with 28 bits of address, 48, or a queue's. A count of 0 is
 * the largest there is. */
static void take_range(struct command* c, const uint8_t* f, uint32_t bits, uint32_t count)
{
    const uint64_t lba = bits == 28 ? ata_fis_lba28(f) : ata_fis_lba48(f);
    const uint32_t most = bits == 28 ? 256u : 65536u;
    c->ns_lba = lba;
    c->sectors = count == 0 ? most : count;
}

static uint32_t check_range(const struct env* e, const struct command* c, const uint8_t* f)
{
    const uint64_t lba = c->ns_lba;
    FW_ASSERT(e, c->sectors != 0);
    if ((f[7] & ATA_DEVICE_LBA) == 0 || c->sectors > e->hil->max_sectors) {
        return NVME_SC_INVALID_FIELD;
    }
    if (lba >= e->geo->sectors || c->sectors > e->geo->sectors - lba) {
        return NVME_SC_LBA_OUT_OF_RANGE;
    }
    return NVME_SC_SUCCESS;
}

/* A trim's request is that of a Dataset Management command: ranges, 0-based, and what it does. */
static void take_trim(const struct env* e, struct command* c, struct host_request* r,
                      const uint8_t* f)
{
    const uint32_t blocks = ata_fis_count(f);
    const uint32_t each = ATA_SECTOR_BYTES / ATA_DSM_RANGE_BYTES;
    r->opcode = NVME_IO_DSM;
    if (e->hil->trim == 0 || (f[3] & ATA_DSM_TRIM) == 0 || blocks == 0 || blocks > ATA_DSM_BLOCKS) {
        r->status = NVME_SC_INVALID_FIELD;
        return;
    }
    c->dword10 = blocks * each - 1;
    c->dword11 = NVME_DSM_DEALLOCATE;
}

struct host_request ata_parse(const struct env* e, struct command* c, const struct nvme_sqe* q)
{
    const uint8_t* f = request_of(q)->fis;
    struct host_request r;
    mem_zero(&r, sizeof r);
    c->nsid = 1;
    r.opcode = NVME_IO_READ;
    switch (f[2]) {
    case ATA_DATA_SET_MANAGEMENT:
        take_trim(e, c, &r, f);
        return r;
    case ATA_FLUSH_CACHE:
    case ATA_FLUSH_CACHE_EXT:
        r.opcode = NVME_IO_FLUSH;
        return r;
    case ATA_WRITE_SECTORS:
    case ATA_WRITE_DMA:
        r.opcode = NVME_IO_WRITE;
        take_range(c, f, 28, f[12]);
        break;
    case ATA_READ_SECTORS:
    case ATA_READ_VERIFY:
    case ATA_READ_DMA:
        take_range(c, f, 28, f[12]);
        break;
    case ATA_WRITE_FPDMA_QUEUED:
    case ATA_READ_FPDMA_QUEUED:
        r.opcode = f[2] == ATA_WRITE_FPDMA_QUEUED ? NVME_IO_WRITE : NVME_IO_READ;
        c->fua = (f[7] & ATA_DEVICE_FUA) != 0;
        take_range(c, f, 48, ata_fis_features(f));
        break;
    case ATA_WRITE_SECTORS_EXT:
    case ATA_WRITE_DMA_EXT:
    case ATA_WRITE_DMA_FUA_EXT:
        r.opcode = NVME_IO_WRITE;
        c->fua = f[2] == ATA_WRITE_DMA_FUA_EXT;
        take_range(c, f, 48, ata_fis_count(f));
        break;
    default:
        take_range(c, f, 48, ata_fis_count(f));
        break;
    }
    r.status = (uint16_t)check_range(e, c, f);
    return r;
}

void ata_ranges(uint8_t* page, uint32_t ranges)
{
    struct nvme_dsm_range* to = (struct nvme_dsm_range*)(void*)page;
    /* From the last one on: each takes the place of two that are done already. */
    for (uint32_t i = ranges; i-- > 0;) {
        const uint8_t* at = page + (size_t)i * ATA_DSM_RANGE_BYTES;
        const uint32_t low = word_at(at) | word_at(at + 2) << 16;
        const uint64_t lba = (uint64_t)word_at(at + 4) << 32 | low;
        const uint32_t blocks = word_at(at + 6);
        to[i].attributes = 0;
        to[i].blocks = blocks;
        to[i].slba = blocks != 0 ? lba : 0; /* no range: filler */
    }
}

/* ---- How commands end ---- */

/* Status in the low byte, Error in the next. */
static uint32_t ata_status(uint32_t status)
{
    const uint32_t failed = ATA_STATUS_GOOD | ATA_STATUS_ERR;
    switch (status & ~(uint32_t)NVME_STATUS_DNR) {
    case NVME_SC_SUCCESS:
        return ATA_STATUS_GOOD;
    case NVME_SC_LBA_OUT_OF_RANGE:
        return failed | ATA_ERROR_IDNF << 8;
    case NVME_SC_UNRECOVERED_READ_ERROR:
        return failed | ATA_ERROR_UNC << 8;
    case NVME_SC_DATA_TRANSFER_ERROR:
        return failed | (ATA_ERROR_ICRC | ATA_ERROR_ABRT) << 8;
    case NVME_SC_WRITE_FAULT:
    case NVME_SC_INTERNAL_ERROR:
        return failed | ATA_STATUS_DF | ATA_ERROR_ABRT << 8;
    default:
        return failed | ATA_ERROR_ABRT << 8;
    }
}

void ata_finish(struct env* e, const struct command* c, struct fe_move* move)
{
    struct ata* a = &e->hil->ata;
    const uint32_t status = ata_status(c->status);
    move->status = (uint16_t)status;
    if (c->status == NVME_SC_UNRECOVERED_READ_ERROR) {
        move->result = SFE_RESULT(c->lba + c->io.failed, 0);
    } else if (move->slot == SFE_SLOT_SINGLE) {
        move->result = a->result;
        move->status |= (uint16_t)(a->result_error << 8);
    }
    if (move->slot == SFE_SLOT_SINGLE) {
        a->result = 0;
        a->result_error = 0;
    }
}

void ata_wake(struct env* e)
{
    struct ata* a = &e->hil->ata;
    FW_ASSERT(e, a->stopper == 0);
    a->standby = 0;
    recovery_go_on(e);
    gc_patrol_run(e, 1);
}
