/* SPDX-License-Identifier: Apache-2.0
 *
 * Dataset Management. NVM Express base 1.4 section 6.7. Its ranges are fetched first.
 */
#include "firmware/host/core/controller.h"
#include "firmware/host/nvme/nvme_io.h"

enum { UNMAP_BUDGET = 4096 }; /* units that one round unmaps */

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
    uint32_t budget = UNMAP_BUDGET;
    FW_ASSERT(e, c->state == COMMAND_DSM);
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
    hil_end_zeroing(e, slot);
    FW_ASSERT(e, budget <= UNMAP_BUDGET);
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
    FW_ASSERT(e, c->state == COMMAND_DSM);
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
    const struct drive_namespace* n = &drive_state_of(e)->ns[c->ns];
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
    FW_ASSERT(e, c->dsm.ranges >= 1);
    return NVME_SC_SUCCESS;
}

void hil_dsm_landed(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_DSM);
    if (e->hil->ata.on != 0) {
        ata_ranges(e, c);
    }
    const uint32_t status = place_ranges(e, c);
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
        return;
    }
    FW_ASSERT(e, c->dsm.ranges >= 1);
    hil_start_write(e, slot);
}

void hil_dsm_start(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_DSM);
    c->dsm.ranges = (c->dword10 & 0xFFu) + 1;
    FW_ASSERT(e, c->dsm.ranges <= 256);
    /* Only Deallocate does anything, if the drive does it; in zones only a reset does. */
    if ((c->dword11 & NVME_DSM_DEALLOCATE) == 0 || e->hil->trim == 0 ||
        ((e->hil->zoned_mask >> c->ns) & 1u) != 0) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    hil_dsm_fetch(e, slot);
}
