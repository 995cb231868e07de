/* SPDX-License-Identifier: Apache-2.0
 *
 * NVM Express base 1.4 section 6, NVM command set 1.0 section 3.2 (Copy).
 *
 * Both are reads whose data do not go to the host: each move of such a read is diverted when it is
 * ordered, for then the data are in memory. Compare has the host's data, and Copy its sources, in a
 * buffer of one transfer; one command has it at a time. Copy then is a write whose data come from
 * there.
 */
#include "firmware/host/nvme/transfers.h"

#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/nvme_read.h"
#include "firmware/host/nvme/nvme_write.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"

static struct nvme_transfer* transfer_of(const struct env* e)
{
    return &nvme_of(e)->transfer;
}

void nvme_transfer_start(struct env* e, uint32_t slot)
{
    struct nvme_transfer* t = transfer_of(e);
    struct command* c = command_of(e, slot);
    struct fe_move move;
    FW_ASSERT(e, c->divert == DIVERT_COMPARE || c->divert == DIVERT_COPY);
    if (t->busy != 0) {
        fifo_push(&e->hil->transfers, hil_wait_links(e), slot);
        return;
    }
    t->busy = 1;
    t->slot = slot;
    t->phase = TRANSFER_FETCH;
    t->step = 0;
    t->next = 0;
    t->filled = 0;
    hil_clear_move(&move, FE_MOVE_FROM_HOST, slot);
    move.flags = FE_MOVE_IRQ | (c->divert == DIVERT_COPY ? FE_MOVE_METADATA : 0u);
    move.buffer = t->data;
    move.length = c->divert == DIVERT_COPY
                      ? c->io.copy_ranges * (uint32_t)sizeof(struct nvme_copy_range)
                      : c->sectors << SECTOR_SHIFT;
    move.tag = ((uint32_t)MOVE_META_IN << MOVE_KIND_SHIFT) | slot;
    FW_ASSERT(e, move.length <= front_end_mdts(e));
    hil_finish_move(e, &move, false);
}

/* ---- Copy ---- */

void nvme_copy_start(struct env* e, uint32_t slot, uint32_t dword12)
{
    struct command* c = command_of(e, slot);
    const uint32_t ranges = (dword12 & 0xFFu) + 1;
    if (((dword12 >> 8) & 0xFu) != 0) { /* formats of source ranges beyond 0 */
        hil_complete(e, slot, DNR(NVME_SC_INVALID_FIELD), 0);
    } else if (ranges > COPY_RANGES_MOST) {
        hil_complete(e, slot, DNR(NVME_SC_COPY_SIZE_LIMIT), 0);
    } else {
        c->io.copy_ranges = ranges;
        nvme_transfer_start(e, slot);
    }
}

static void read_source(struct env* e)
{
    const struct nvme_transfer* t = transfer_of(e);
    struct command* c = command_of(e, t->slot);
    const struct drive_spoilt* s = &t->source[t->next];
    FW_ASSERT(e, t->next < t->ranges && c->reads == 0);
    c->lba = s->lba;
    c->sectors = (uint32_t)s->sectors;
    c->done = 0;
    c->state = COMMAND_READ;
    hil_start_read(e, t->slot);
}

static void write_copy(struct env* e)
{
    struct nvme_transfer* t = transfer_of(e);
    struct command* c = command_of(e, t->slot);
    FW_ASSERT(e, t->filled != 0);
    if (hil_in_zones(e, c)) {
        const uint32_t status = zone_take(e, c->ns, t->to, t->filled >> SECTOR_SHIFT);
        if (status != NVME_SC_SUCCESS) {
            hil_complete(e, t->slot, DNR(status), 0);
            return;
        }
    }
    t->phase = TRANSFER_WRITE;
    c->lba = t->to;
    c->sectors = t->filled >> SECTOR_SHIFT;
    c->done = 0;
    c->state = COMMAND_WRITE;
    hil_begin_write(e, t->slot);
}

/* The sources, in sectors of the drive: what is wrong with them. */
static uint32_t take_sources(struct env* e, struct command* c)
{
    struct nvme_transfer* t = transfer_of(e);
    const struct nvme_copy_range* r = env_dram(e, t->data);
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    const uint32_t up = drive_ns_up(n);
    uint64_t total = 0;
    FW_ASSERT(e, c->io.copy_ranges <= COPY_RANGES_MOST);
    for (uint32_t i = 0; i < c->io.copy_ranges; ++i) {
        const uint64_t sectors = ((uint64_t)r[i].blocks + 1) << up;
        const uint64_t size = n->sectors >> up;
        total += sectors;
        if (total > e->hil->max_sectors) {
            return DNR(NVME_SC_COPY_SIZE_LIMIT);
        }
        if (r[i].slba >= size || sectors >> up > size - r[i].slba) {
            return DNR(NVME_SC_LBA_OUT_OF_RANGE);
        }
        t->source[i].lba = n->start + (r[i].slba << up);
        t->source[i].sectors = sectors;
    }
    const uint64_t to = c->ns_lba;
    if (to >= n->sectors >> up || total > n->sectors - (to << up)) {
        return DNR(NVME_SC_LBA_OUT_OF_RANGE);
    }
    t->to = n->start + (to << up);
    t->ranges = c->io.copy_ranges;
    return NVME_SC_SUCCESS;
}

void nvme_transfer_landed(struct env* e, uint32_t slot)
{
    struct nvme_transfer* t = transfer_of(e);
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, t->busy != 0 && t->slot == slot);
    t->phase = TRANSFER_READ;
    if (c->divert == DIVERT_COMPARE) {
        hil_start_read(e, slot);
        return;
    }
    const uint32_t status = take_sources(e, c);
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
    } else {
        read_source(e);
    }
}

void nvme_transfers(struct env* e)
{
    struct nvme_transfer* t = transfer_of(e);
    if (t->step != 0) {
        t->step = 0;
        if (++t->next < t->ranges) {
            read_source(e);
        } else {
            write_copy(e);
        }
    }
    if (t->busy == 0 && e->hil->transfers.count != 0) {
        nvme_transfer_start(e, fifo_pop(&e->hil->transfers, hil_wait_links(e)));
    }
    FW_ASSERT(e, t->busy != 0 || t->step == 0);
}

/* ---- Diverted moves ---- */

static bool differ(const struct env* e, const uint8_t* a, const uint8_t* b, uint32_t bytes)
{
    const uint32_t stride = e->geo->data_mode == DATA_FULL ? 8 : SECTOR_SIZE;
    uint64_t other = 0;
    FW_ASSERT(e, (bytes & (SECTOR_SIZE - 1)) == 0);
    if (e->geo->data_mode == DATA_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < bytes; i += stride) { /* of a tag its eight bytes */
        other |= *(const uint64_t*)(const void*)(a + i) ^ *(const uint64_t*)(const void*)(b + i);
    }
    return other != 0;
}

static void divert_data(struct env* e, struct command* c, const struct fe_move* move)
{
    const struct nvme_transfer* t = transfer_of(e);
    const uint32_t at = (t->phase == TRANSFER_WRITE ? 0 : t->filled) + move->offset;
    uint8_t* kept = (uint8_t*)env_dram(e, t->data) + at;
    uint8_t* buffer = env_dram(e, move->buffer);
    if (move->op == FE_MOVE_FROM_HOST) {
        FW_ASSERT(e, t->phase == TRANSFER_WRITE);
        mem_copy(buffer, kept, move->length);
    } else if (c->divert == DIVERT_COPY) {
        mem_copy(kept, buffer, move->length);
    } else if (differ(e, kept, buffer, move->length) && c->status == NVME_SC_SUCCESS) {
        c->status = NVME_SC_COMPARE_FAILURE;
    }
    FW_ASSERT(e, at + move->length <= front_end_mdts(e));
}

bool nvme_divert(struct env* e, struct command* c, struct fe_move* move, bool last)
{
    struct nvme_transfer* t = transfer_of(e);
    if (t->busy == 0 || t->slot != move->slot) { /* it ends before its turn has come */
        return last;
    }
    if (t->phase != TRANSFER_FETCH && move->op != FE_MOVE_COMPLETE) {
        divert_data(e, c, move);
        move->op = FE_MOVE_COMPLETE;
    }
    if (!last) {
        return false;
    }
    if (c->divert == DIVERT_COPY && t->phase == TRANSFER_READ && c->status == NVME_SC_SUCCESS) {
        t->filled += c->sectors << SECTOR_SHIFT;
        t->step = 1; /* the next source, in a round of its own */
        hil_steps_on(e);
        return false;
    }
    t->busy = 0;
    if (e->hil->transfers.count != 0) {
        e->hil->more = 1;
        run_due(e, DUE_STEPS);
    }
    FW_ASSERT(e, t->step == 0);
    return true;
}
