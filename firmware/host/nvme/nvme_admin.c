/* SPDX-License-Identifier: Apache-2.0
 *
 * NVM Express base 1.4 section 5.
 */
#include "firmware/host/nvme/nvme_admin.h"

#include "firmware/host/ata/ata_admin.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/mem.h"

/* ---- Queues ---- */

enum { PAGE_MASK = 4095 };

void hil_reset_queues(struct env* e)
{
    struct hil* h = e->hil;
    mem_zero(h->cq_of, sizeof h->cq_of);
    mem_zero(h->cq_exists, sizeof h->cq_exists);
    FW_ASSERT(e, h->active == 0);
}

static uint32_t submit_queue_request(struct env* e, const struct queue_request* r)
{
    FW_ASSERT(e, r->id >= 1 && r->id <= e->hil->queue_pairs);
    return front_end_queue(e, r) == 0 ? (uint32_t)NVME_SC_SUCCESS : DNR(NVME_SC_INTERNAL_ERROR);
}

/* What both kinds of creation check: identifier, size, contiguity and alignment. */
static uint32_t check_creation(struct env* e, const struct nvme_sqe* q, bool exists)
{
    const uint32_t id = q->cdw10 & 0xFFFFu;
    const uint32_t entries = (q->cdw10 >> 16) + 1;
    FW_ASSERT(e, front_end_queues(e)->entries >= 2);
    if (id == 0 || id > e->hil->queue_pairs || exists) {
        return DNR(NVME_SC_QID_INVALID);
    }
    if (entries < 2 || entries > front_end_queues(e)->entries) {
        return DNR(NVME_SC_QUEUE_SIZE_INVALID);
    }
    if ((q->cdw11 & 1u) == 0) { /* PC: CAP.CQR asks for contiguous queues */
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if ((q->prp1 & PAGE_MASK) != 0) {
        return DNR(NVME_SC_PRP_OFFSET_INVALID);
    }
    return NVME_SC_SUCCESS;
}

static uint32_t id_in_reach(const struct hil* h, uint32_t id)
{
    return id >= 1 && id <= h->queue_pairs;
}

uint32_t nvme_create_cq(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)slot;
    (void)dw0;
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    const uint32_t vector = q->cdw11 >> 16;
    const bool exists = id_in_reach(h, id) && h->cq_exists[id];
    struct queue_request r;
    uint32_t status = check_creation(e, q, exists);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (vector >= front_end_queues(e)->vectors) {
        return DNR(NVME_SC_INTERRUPT_VECTOR_INVALID);
    }
    mem_zero(&r, sizeof r);
    r.command = FE_Q_CREATE_CQ;
    r.id = id;
    r.entries = (q->cdw10 >> 16) + 1;
    r.vector = vector | ((q->cdw11 & 2u) != 0 ? FE_Q_VECTOR_IEN : 0u);
    r.base = q->prp1;
    status = submit_queue_request(e, &r);
    h->cq_exists[id] = status == NVME_SC_SUCCESS;
    return status;
}

uint32_t nvme_create_sq(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)slot;
    (void)dw0;
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    const uint32_t cq = q->cdw11 >> 16;
    const bool exists = id_in_reach(h, id) && h->cq_of[id] != 0;
    struct queue_request r;
    uint32_t status = check_creation(e, q, exists);
    if (cq == 0 || cq > h->queue_pairs) {
        /* An identifier that cannot be a completion queue, before one that is none. */
        return status != NVME_SC_SUCCESS ? status : DNR(NVME_SC_QID_INVALID);
    }
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (!h->cq_exists[cq]) {
        return DNR(NVME_SC_CQ_INVALID);
    }
    mem_zero(&r, sizeof r);
    r.command = FE_Q_CREATE_SQ;
    r.id = id;
    r.cqid = cq;
    r.priority = (q->cdw11 >> 1) & 3u; /* QPRIO */
    r.entries = (q->cdw10 >> 16) + 1;
    r.base = q->prp1;
    status = submit_queue_request(e, &r);
    h->cq_of[id] = (uint8_t)(status == NVME_SC_SUCCESS ? cq : 0);
    return status;
}

uint32_t nvme_delete_cq(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)slot;
    (void)dw0;
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    struct queue_request r;
    if (!id_in_reach(h, id) || h->cq_exists[id] == 0) {
        return DNR(NVME_SC_QID_INVALID);
    }
    for (uint32_t i = 1; i <= h->queue_pairs; ++i) {
        if (h->cq_of[i] == id) {
            return DNR(NVME_SC_INVALID_QUEUE_DELETION);
        }
    }
    mem_zero(&r, sizeof r);
    r.command = FE_Q_DELETE_CQ;
    r.id = id;
    h->cq_exists[id] = 0;
    return submit_queue_request(e, &r);
}

/* true = a deletion of the queue waits for its commands: it is gone for who asks again. */
static bool being_deleted(struct env* e, uint32_t id)
{
    const uint32_t* links = hil_wait_links(e);
    FW_ASSERT(e, id < QUEUES_MAX);
    for (uint32_t slot = e->hil->deletes.head; slot != INDEX_NONE; slot = links[slot]) {
        FW_ASSERT(e, slot < front_end_slots(e));
        if (command_of(e, slot)->deletion.queue == id) {
            return true;
        }
    }
    return false;
}

/* Deletion completes after the commands of the queue (base 1.4 section 5.6). New ones stop with the
 * hardware queue, so that is deleted first. */
uint32_t nvme_delete_sq(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    struct command* c = command_of(e, slot);
    struct queue_request r;
    if (!id_in_reach(h, id) || h->cq_of[id] == 0 || being_deleted(e, id)) {
        return DNR(NVME_SC_QID_INVALID);
    }
    mem_zero(&r, sizeof r);
    r.command = FE_Q_DELETE_SQ;
    r.id = id;
    (void)submit_queue_request(e, &r);
    c->state = COMMAND_DELETE_SQ;
    c->deletion.queue = id;
    FW_ASSERT(e, c->buffer == INDEX_NONE);
    fifo_push(&h->deletes, hil_wait_links(e), slot);
    return NVME_LATER;
}

void hil_retry_deletes(struct env* e)
{
    struct hil* h = e->hil;
    uint32_t* links = hil_wait_links(e);
    for (uint32_t n = h->deletes.count; n != 0; --n) {
        const uint32_t slot = fifo_pop(&h->deletes, links);
        const uint32_t id = command_of(e, slot)->deletion.queue;
        FW_ASSERT(e, id >= 1 && id < QUEUES_MAX);
        if (h->commands_of[id] != 0) {
            fifo_push(&h->deletes, links, slot);
            continue;
        }
        h->cq_of[id] = 0;
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
    }
}

/* ---- Dispatch ---- */

/* More data than a command may have: the hardware has not looked for its pages. */
static bool is_too_long(const struct env* e, const struct nvme_sqe* q, enum nvme_data data)
{
    const uint64_t bytes = ((uint64_t)q->cdw10 + 1) * 4;
    return data == NVME_DATA_DWORDS && bytes > front_end_mdts(e);
}

#define EXECUTE(ID, opcode, handler, landed, data, effects, oacs)                                  \
    case NVME_ADMIN_##ID:                                                                          \
        if ((oacs) != 0 && (nvme_oacs(e) & (uint32_t)(oacs)) == 0) {                               \
            break;                                                                                 \
        }                                                                                          \
        if (is_too_long(e, q, NVME_DATA_##data)) {                                                 \
            return DNR(NVME_SC_INVALID_FIELD);                                                     \
        }                                                                                          \
        return nvme_##handler(e, slot, q, dw0);
/* The status, NVME_LATER or NVME_NO_PAGE. */
static uint32_t execute(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    switch (q->opcode) {
        NVME_ADMIN_COMMANDS(EXECUTE)
    default:
        break;
    }
    return DNR(NVME_SC_INVALID_OPCODE);
}
#undef EXECUTE

/* The buffers are with other commands, which give them back. What the command asks for stays in its
 * context until then. */
static void wait_for_page(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->buffer == INDEX_NONE && e->hil->meta_free.count == 0);
    c->state = COMMAND_ADMIN;
    c->dword10 = q->cdw10;
    c->dword11 = q->cdw11;
    c->dwords = q->cdw12;
    c->request = (struct command_request){.dword13 = q->cdw13,
                                          .dword14 = q->cdw14,
                                          .dword15 = q->cdw15,
                                          .nsid = q->nsid,
                                          .opcode = q->opcode};
    fifo_push(&e->hil->fetched, env_dram(e, e->hil->fetch_links), slot);
}

static void start(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    uint32_t dw0 = 0;
    const uint32_t status = execute(e, slot, q, &dw0);
    if (status == NVME_NO_PAGE) {
        wait_for_page(e, slot, q);
    } else if (status != NVME_LATER) {
        hil_complete(e, slot, status, dw0);
    }
}

void nvme_execute_again(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const struct nvme_sqe q = {.opcode = c->request.opcode,
                               .nsid = c->request.nsid,
                               .cdw10 = c->dword10,
                               .cdw11 = c->dword11,
                               .cdw12 = c->dwords,
                               .cdw13 = c->request.dword13,
                               .cdw14 = c->request.dword14,
                               .cdw15 = c->request.dword15};
    FW_ASSERT(e, c->state == COMMAND_ADMIN && c->buffer == INDEX_NONE);
    c->state = COMMAND_READ; /* as when it came (rounds.c) */
    c->lba = 0;
    c->sectors = 0;
    c->request = (struct command_request){0};
    start(e, slot, &q);
}

void hil_admin(struct env* e, const struct fe_command* command)
{
    const struct nvme_sqe* q = &command->sqe;
    command_of(e, command->slot)->ns = NS_NONE;
    if (e->hil->ata.on != 0) {
        ata_admin(e, command->slot, q);
        return;
    }
    FW_ASSERT(e, command->sq_id == 0);
    if (q->flags != 0) { /* fused or, of an admin command, SGLs (section 4.2) */
        hil_complete(e, command->slot, DNR(NVME_SC_INVALID_FIELD), 0);
        return;
    }
    start(e, command->slot, q);
}

/* ---- Data ---- */

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
