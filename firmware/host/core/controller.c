/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the controller: boot, reset, what is to outlive power; data of admin commands.
 */
#include "firmware/host/core/controller.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/zones/zones.h"

#include "firmware/durable/clear.h"
#include "firmware/durable/journal.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/smart.h"

static uint32_t* links_of(struct env* e)
{
    return (uint32_t*)env_dram(e, e->hil->wait_links);
}

int nvme_init(struct env* e)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->max_sectors != 0);
    h->nvme = dram_take(e, sizeof(struct nvme));
    const uint64_t data = dram_take_pages(e, e->front_end->mdts);
    fifo_init(&h->saves);
    fifo_init(&h->transfers);
    if (metadata_init(e) != 0 || e->arenas->absent != 0) {
        return arenas_result(e);
    }
    mem_zero(nvme_of(e), sizeof(struct nvme));
    nvme_of(e)->transfer.data = data;
    return 0;
}

void nvme_boot(struct env* e, uint32_t area, uint32_t again)
{
    FW_ASSERT(e, nvme_of(e)->aers == 0);
    drive_state_boot(e, again);
    zones_boot(e);
    nvme_update_boot(e, area);
    nvme_ns_changed(e);
    nvme_default_features(e);
    e->hil->spoilt = drive_state_of(e)->spoilt_count;
    FW_ASSERT(e, e->hil->spoilt <= DRIVE_SPOILT);
}

/* Commands are gone already. What the host was told of stays told: it reads the logs anew. */
void nvme_reset(struct env* e)
{
    struct nvme* n = nvme_of(e);
    FW_ASSERT(e, e->hil->active == 0);
    n->aers = 0;
    n->events = 0;
    n->masked = 0;
    n->warned = 0;
    n->formatting = 0;
    recovery_clear_stop(e);
    n->transfer.busy = 0;
    n->transfer.step = 0;
    nvme_directives_reset(e);
    host_buffer_reset(e);
    e->hil->stepping = 0;
    metadata_reset(e);
    fifo_init(&e->hil->saves);
    fifo_init(&e->hil->transfers);
    zones_reset(e);
    nvme_ns_changed(e);
    nvme_fw_reset(e);
    power_reset(e);
    nvme_default_features(e);
    nvme_update_reset(e);
}

void nvme_failed(struct env* e, struct command* c)
{
    struct nvme* n = nvme_of(e);
    struct nvme_error* r = &n->error[n->errors % ERRORS_MOST];
    FW_ASSERT(e, c->status != NVME_SC_SUCCESS);
    if (c->state == COMMAND_WIPE) {
        n->formatting &= ~c->wipe.left;
        recovery_clear_stop(e);
        nvme_ns_changed(e);
    }
    if (c->state == COMMAND_SAVE && c->save_next == SAVE_FORMATS) {
        nvme_format_ends(e, c);
    } else if (c->state == COMMAND_ZONE ||
               (c->state == COMMAND_SAVE && c->save_next != SAVE_ENDS)) {
        zones_unreset(e, c);
    }
    ++n->errors;
    r->count = drive_state_of(e)->life.error_entries + n->errors;
    r->lba = c->ns == NS_NONE ? 0 : c->lba;
    r->sq = c->sq_id;
    r->cid = c->cid;
    r->status = (uint16_t)(c->status << 1);
    r->nsid = c->ns == NS_NONE ? 0 : c->ns + 1u;
    e->smart->error_entries = n->errors;
}

void nvme_save(struct env* e, uint32_t slot, uint32_t dw0)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state != COMMAND_IDLE && c->buffer == INDEX_NONE);
    c->state = COMMAND_SAVE;
    c->until.state = drive_state_save(e);
    c->until.dw0 = dw0;
    fifo_push(&e->hil->saves, links_of(e), slot);
    e->hil->more = 1;
}

static bool is_saved(struct env* e, const struct command* c)
{
    FW_ASSERT(e, c->state == COMMAND_SAVE);
    return drive_state_saved(e, c->until.state) && cache_flushed(e, c->until.ticket) &&
           journal_flushed(e, c->until.journal);
}

static void end_saves(struct env* e)
{
    struct fifo* f = &e->hil->saves;
    for (uint32_t count = f->count; count != 0; --count) {
        const uint32_t slot = fifo_pop(f, links_of(e));
        const struct command* c = command_of(e, slot);
        if (is_saved(e, c)) {
            if (c->save_next != SAVE_ENDS && zone_saved(e, slot)) {
                continue;
            }
            hil_complete(e, slot, NVME_SC_SUCCESS, c->until.dw0);
        } else if (drive_state_stuck(e)) {
            hil_complete(e, slot, DNR(NVME_SC_INTERNAL_ERROR), 0);
        } else {
            fifo_push(f, links_of(e), slot);
        }
    }
    if (e->hil->unspoilt != 0 && drive_state_saved(e, e->hil->unspoilt)) {
        e->hil->unspoilt = 0;
    }
    FW_ASSERT(e, f->count <= e->front_end->slots);
}

void nvme_resume(struct env* e)
{
    FW_ASSERT(e, e->hil->state <= HIL_RESETTING);
    if (e->hil->saves.count != 0) {
        end_saves(e);
    }
    if (e->hil->stepping != 0 || e->hil->transfers.count != 0) {
        nvme_transfers(e);
    }
    if ((e->hil->watch & WATCH_HEALTH) != 0) {
        nvme_watch(e);
    }
    if ((e->hil->watch & WATCH_UPDATE) != 0) {
        nvme_update_step(e);
    }
}

/* ---- Data of admin commands ---- */

uint32_t nvme_fetch(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t bytes)
{
    struct command* c = command_of(e, slot);
    struct fe_move move;
    FW_ASSERT(e, bytes != 0 && bytes <= META_SIZE);
    if (c->buffer == INDEX_NONE) {
        c->buffer = hil_meta_take(e);
    }
    if (c->buffer == INDEX_NONE) {
        return NVME_NO_PAGE;
    }
    c->state = COMMAND_ADMIN;
    nvme_of(e)->waiting[c->buffer] = *q;
    mem_zero(&move, sizeof move);
    move.op = FE_MOVE_FROM_HOST;
    move.slot = (uint16_t)slot;
    move.flags = FE_MOVE_METADATA | FE_MOVE_IRQ;
    move.buffer = hil_meta_address(e, c->buffer);
    move.offset = c->done;
    move.length = bytes;
    move.tag = ((uint32_t)MOVE_META_IN << MOVE_KIND_SHIFT) | slot;
    hil_finish_move(e, &move, false);
    return NVME_LATER;
}

/* Of commands that fetch nothing. */
uint32_t nvme_no_data(struct env* e, uint32_t slot, const struct nvme_sqe* q, const uint8_t* data)
{
    (void)slot;
    (void)q;
    FW_ASSERT(e, data == NULL);
    return DNR(NVME_SC_INTERNAL_ERROR);
}

#define LAND(ID, opcode, handler, landed, ...)                                                     \
    case NVME_ADMIN_##ID:                                                                          \
        return nvme_##landed(e, slot, q, data);
static uint32_t land(struct env* e, uint32_t slot, const struct nvme_sqe* q, const uint8_t* data)
{
    switch (q->opcode) {
        NVME_ADMIN_COMMANDS(LAND)
    default:
        return nvme_no_data(e, slot, q, data);
    }
}
#undef LAND

void nvme_landed(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const struct nvme_sqe* q = &nvme_of(e)->waiting[c->buffer];
    const uint8_t* data = env_dram(e, hil_meta_address(e, c->buffer));
    FW_ASSERT(e, c->state == COMMAND_ADMIN && c->buffer < META_BUFFERS);
    const uint32_t status = land(e, slot, q, data);
    if (status != NVME_LATER) {
        hil_complete(e, slot, status, 0);
    }
}

uint8_t* nvme_page(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->buffer == INDEX_NONE);
    c->buffer = hil_meta_take(e);
    return c->buffer == INDEX_NONE ? NULL : env_dram(e, hil_meta_address(e, c->buffer));
}

static void send_buffer(struct env* e, uint32_t slot, struct fe_move* move)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->buffer != INDEX_NONE);
    move->op = FE_MOVE_TO_HOST;
    move->slot = (uint16_t)slot;
    move->flags = FE_MOVE_METADATA;
    move->buffer += hil_meta_address(e, c->buffer);
    move->tag = ((uint32_t)MOVE_META_OUT << MOVE_KIND_SHIFT) | c->buffer;
    c->buffer = INDEX_NONE;
    hil_finish_move(e, move, true);
}

void nvme_send_page(struct env* e, uint32_t slot, uint32_t offset, uint32_t length)
{
    struct fe_move move = {.buffer = offset, .length = length};
    FW_ASSERT(e, offset <= META_SIZE && length <= META_SIZE - offset);
    send_buffer(e, slot, &move);
}

void nvme_send_answer(struct env* e, uint32_t slot, uint32_t length, uint32_t dw0)
{
    struct fe_move move = {.length = length, .dw0 = dw0};
    FW_ASSERT(e, length <= META_SIZE);
    send_buffer(e, slot, &move);
}
