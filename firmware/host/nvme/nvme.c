/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/nvme.h"

#include "firmware/lib/telemetry.h"

void nvme_note_error(struct env* e, const struct command* c)
{
    struct nvme* n = nvme_of(e);
    struct nvme_error* r = &n->error[n->errors % ERRORS_MOST];
    ++n->errors;
    r->count = drive_state_of(e)->life.error_entries + n->errors;
    r->lba = c->ns == NS_NONE ? 0 : c->lba;
    r->sq = c->sq_id;
    r->cid = c->cid;
    r->status = (uint16_t)(c->status << 1);
    r->nsid = c->ns == NS_NONE ? 0 : c->ns + 1u;
    e->smart->error_entries = n->errors;
}

#define OACS_OF(ID, opcode, handler, landed, data, effects, oacs) | (oacs)
enum { OACS_ALL = 0 NVME_ADMIN_COMMANDS(OACS_OF) };
#undef OACS_OF

uint32_t nvme_oacs(const struct env* e)
{
    uint32_t bits = OACS_ALL;
    if (!drive_state_fits(e)) { /* what they change would not outlive power */
        bits &= ~(uint32_t)(NVME_OACS_FORMAT | NVME_OACS_NAMESPACES);
    }
    if (e->hil->streams == 0) {
        bits &= ~(uint32_t)NVME_OACS_DIRECTIVES;
    }
    if (e->geo->partition.bits != 0) { /* they are about all partitions at once */
        bits &= ~(uint32_t)(NVME_OACS_FORMAT | NVME_OACS_NAMESPACES | NVME_OACS_FIRMWARE);
    }
    return bits;
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

void nvme_send_page(struct env* e, uint32_t slot, uint32_t offset, uint32_t length)
{
    struct fe_move move = {.buffer = offset, .length = length};
    hil_send_page(e, slot, &move);
}

void nvme_send_answer(struct env* e, uint32_t slot, uint32_t length, uint32_t dw0)
{
    struct fe_move move = {.length = length, .dw0 = dw0};
    hil_send_page(e, slot, &move);
}
