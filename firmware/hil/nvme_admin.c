/* SPDX-License-Identifier: Apache-2.0
 *
 * Admin commands: queues, features, log pages. NVM Express base 1.4 section 5.
 */
#include "firmware/hil/hil.h"
#include "firmware/hil/nvme_pages.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/stats.h"

#define DNR(status) ((uint32_t)(status) | NVME_STATUS_DNR)

enum { PAGE_MASK = 4095 };

void hil_reset_queues(struct env* e)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->queue_pairs < QUEUES_MAX);
    mem_zero(h->cq_of, sizeof h->cq_of);
    mem_zero(h->cq_exists, sizeof h->cq_exists);
    FW_ASSERT(e, h->active == 0);
}

static uint32_t submit_queue_request(struct env* e, const struct queue_request* r)
{
    FW_ASSERT(e, r->id >= 1 && r->id <= e->hil->queue_pairs);
    FW_ASSERT(e, r->command != 0);
    return front_end_queue(e, r) == 0 ? (uint32_t)NVME_SC_SUCCESS : DNR(NVME_SC_INTERNAL_ERROR);
}

/* What both kinds of creation check: identifier, size, contiguity and alignment. */
static uint32_t check_creation(struct env* e, const struct nvme_sqe* q, int exists)
{
    const uint32_t id = q->cdw10 & 0xFFFFu;
    const uint32_t entries = (q->cdw10 >> 16) + 1;
    FW_ASSERT(e, e->hil->queue_pairs >= 1);
    FW_ASSERT(e, e->front_end->queue_entries >= 2);
    if (id == 0 || id > e->hil->queue_pairs || exists) {
        return DNR(NVME_SC_QID_INVALID);
    }
    if (entries < 2 || entries > e->front_end->queue_entries) {
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

static uint32_t create_cq(struct env* e, const struct nvme_sqe* q)
{
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    const uint32_t vector = q->cdw11 >> 16;
    const int exists = id_in_reach(h, id) && h->cq_exists[id] != 0;
    struct queue_request r;
    uint32_t status = check_creation(e, q, exists);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (vector >= e->front_end->vectors) {
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
    FW_ASSERT(e, id < QUEUES_MAX);
    FW_ASSERT(e, r.entries >= 2);
    return status;
}

static uint32_t create_sq(struct env* e, const struct nvme_sqe* q)
{
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    const uint32_t cq = q->cdw11 >> 16;
    const int exists = id_in_reach(h, id) && h->cq_of[id] != 0;
    struct queue_request r;
    uint32_t status = check_creation(e, q, exists);
    if (cq == 0 || cq > h->queue_pairs) {
        /* An identifier that cannot be a completion queue, before one that is none. */
        return status != NVME_SC_SUCCESS ? status : DNR(NVME_SC_QID_INVALID);
    }
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (h->cq_exists[cq] == 0) {
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
    FW_ASSERT(e, id < QUEUES_MAX && cq < QUEUES_MAX);
    FW_ASSERT(e, r.entries >= 2);
    return status;
}

static uint32_t delete_cq(struct env* e, const struct nvme_sqe* q)
{
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    struct queue_request r;
    FW_ASSERT(e, h->queue_pairs < QUEUES_MAX);
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
    FW_ASSERT(e, id < QUEUES_MAX);
    return submit_queue_request(e, &r);
}

/* 1 = a deletion of the queue waits for its commands: it is gone for who asks again. */
static int being_deleted(struct env* e, uint32_t id)
{
    const uint32_t* links = env_dram(e, e->hil->wait_links);
    FW_ASSERT(e, id < QUEUES_MAX);
    for (uint32_t slot = e->hil->deletes.head; slot != INDEX_NONE; slot = links[slot]) {
        FW_ASSERT(e, slot < e->front_end->slots);
        if (command_of(e, slot)->range == id) {
            return 1;
        }
    }
    return 0;
}

/* Deletion completes after the commands of the queue (base 1.4 section 5.6). New ones stop with the
 * hardware queue, so that is deleted first. */
static void delete_sq(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct hil* h = e->hil;
    const uint32_t id = q->cdw10 & 0xFFFFu;
    struct command* c = command_of(e, slot);
    struct queue_request r;
    if (!id_in_reach(h, id) || h->cq_of[id] == 0 || being_deleted(e, id)) {
        hil_complete(e, slot, DNR(NVME_SC_QID_INVALID), 0);
        return;
    }
    mem_zero(&r, sizeof r);
    r.command = FE_Q_DELETE_SQ;
    r.id = id;
    (void)submit_queue_request(e, &r);
    c->state = COMMAND_DELETE_SQ;
    c->range = id;
    FW_ASSERT(e, c->buffer == INDEX_NONE);
    FW_ASSERT(e, h->deletes.count < e->front_end->slots);
    fifo_push(&h->deletes, env_dram(e, h->wait_links), slot);
}

void hil_retry_deletes(struct env* e)
{
    struct hil* h = e->hil;
    uint32_t* links = env_dram(e, h->wait_links);
    for (uint32_t n = h->deletes.count; n != 0; --n) {
        const uint32_t slot = fifo_pop(&h->deletes, links);
        const uint32_t id = command_of(e, slot)->range;
        FW_ASSERT(e, id >= 1 && id < QUEUES_MAX);
        if (h->commands_of[id] != 0) {
            fifo_push(&h->deletes, links, slot);
            continue;
        }
        h->cq_of[id] = 0;
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
    }
    FW_ASSERT(e, h->deletes.count <= e->front_end->slots);
}

static uint32_t set_features(struct env* e, const struct nvme_sqe* q, uint32_t* dw0)
{
    struct hil* h = e->hil;
    const uint32_t pairs = h->queue_pairs - 1;
    FW_ASSERT(e, dw0 != NULL);
    FW_ASSERT(e, h->queue_pairs >= 1);
    if ((q->cdw10 & 0x80000000u) != 0) { /* SV: nothing can be saved */
        return DNR(NVME_SC_INVALID_FIELD);
    }
    switch (q->cdw10 & 0xFFu) {
    case NVME_FEATURE_NUMBER_OF_QUEUES:
        if ((q->cdw11 & 0xFFFFu) == 0xFFFFu || q->cdw11 >> 16 == 0xFFFFu) {
            return DNR(NVME_SC_INVALID_FIELD);
        }
        *dw0 = (pairs << 16) | pairs; /* what is allocated, whatever was asked for */
        return NVME_SC_SUCCESS;
    case NVME_FEATURE_VOLATILE_WRITE_CACHE:
        h->write_cache = q->cdw11 & 1u;
        return NVME_SC_SUCCESS;
    case NVME_FEATURE_ARBITRATION:
        front_end_arbitration(e, q->cdw11);
        return NVME_SC_SUCCESS;
    case NVME_FEATURE_COALESCING:
        front_end_coalescing(e, q->cdw11 & 0xFFFFu);
        return NVME_SC_SUCCESS;
    case NVME_FEATURE_VECTOR: /* admin completions, vector 0, are never coalesced */
        if ((q->cdw11 & 0xFFFFu) == 0 || (q->cdw11 & 0xFFFFu) >= e->front_end->vectors) {
            return DNR(NVME_SC_INVALID_FIELD);
        }
        front_end_vector(e, q->cdw11 & 0x1FFFFu);
        return NVME_SC_SUCCESS;
    default:
        return DNR(NVME_SC_INVALID_FIELD);
    }
}

static uint32_t get_features(struct env* e, const struct nvme_sqe* q, uint32_t* dw0)
{
    const struct hil* h = e->hil;
    const uint32_t pairs = h->queue_pairs - 1;
    FW_ASSERT(e, dw0 != NULL);
    FW_ASSERT(e, h->queue_pairs >= 1);
    if (((q->cdw10 >> 8) & 7u) > 2u) { /* current, default and saved values only */
        return DNR(NVME_SC_INVALID_FIELD);
    }
    switch (q->cdw10 & 0xFFu) {
    case NVME_FEATURE_NUMBER_OF_QUEUES:
        *dw0 = (pairs << 16) | pairs;
        return NVME_SC_SUCCESS;
    case NVME_FEATURE_VOLATILE_WRITE_CACHE:
        *dw0 = ((q->cdw10 >> 8) & 7u) == 0 ? h->write_cache : 1u;
        return NVME_SC_SUCCESS;
    default:
        return DNR(NVME_SC_INVALID_FIELD);
    }
}

/* Sends a page that firmware made, from offset on. Bytes beyond the page are not transferred. */
static void send_page(struct env* e, uint32_t slot, uint32_t offset, uint32_t length)
{
    struct command* c = command_of(e, slot);
    struct fe_move move;
    FW_ASSERT(e, c->buffer != INDEX_NONE);
    FW_ASSERT(e, offset <= META_SIZE && length <= META_SIZE - offset);
    mem_zero(&move, sizeof move);
    move.op = FE_MOVE_TO_HOST;
    move.slot = (uint16_t)slot;
    move.flags = FE_MOVE_METADATA;
    move.buffer = hil_meta_address(e, c->buffer) + offset;
    move.length = length;
    move.tag = ((uint32_t)MOVE_META_OUT << MOVE_KIND_SHIFT) | c->buffer;
    c->buffer = INDEX_NONE;
    hil_finish_move(e, &move, 1);
}

static void identify(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct command* c = command_of(e, slot);
    uint8_t* page = env_dram(e, hil_meta_address(e, c->buffer));
    uint32_t status = NVME_SC_SUCCESS;
    FW_ASSERT(e, c->buffer < META_BUFFERS);
    switch (q->cdw10 & 0xFFu) {
    case 0x00:
        /* The broadcast value asks for what namespaces have in common (section 5.15.2.1). */
        if (q->nsid != 1 && q->nsid != 0xFFFFFFFFu) {
            status = DNR(NVME_SC_INVALID_NAMESPACE);
        } else {
            nvme_identify_namespace(e, page);
        }
        break;
    case 0x01:
        nvme_identify_controller(e, page);
        break;
    case 0x02:
        if (q->nsid >= 0xFFFFFFFEu) {
            status = DNR(NVME_SC_INVALID_NAMESPACE);
        } else {
            nvme_namespace_list(q->nsid, page);
        }
        break;
    default:
        status = DNR(NVME_SC_INVALID_FIELD);
        break;
    }
    if (status != NVME_SC_SUCCESS) {
        hil_complete(e, slot, status, 0);
        return;
    }
    FW_ASSERT(e, c->state != COMMAND_IDLE);
    send_page(e, slot, 0, META_SIZE);
}

static void get_log_page(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct command* c = command_of(e, slot);
    uint8_t* page = env_dram(e, hil_meta_address(e, c->buffer));
    const uint64_t words = (((uint64_t)(q->cdw11 & 0xFFFFu) << 16) | (q->cdw10 >> 16)) + 1;
    const uint64_t offset = ((uint64_t)q->cdw13 << 32) | q->cdw12;
    uint32_t size = 0;
    FW_ASSERT(e, c->buffer < META_BUFFERS);
    switch (q->cdw10 & 0xFFu) {
    case NVME_LOG_ERROR:
        size = nvme_log_error(e, page);
        break;
    case NVME_LOG_SMART:
        size = nvme_log_smart(e, page);
        break;
    case NVME_LOG_VENDOR:
        size = nvme_log_vendor(e, page);
        break;
    default:
        hil_complete(e, slot, DNR(NVME_SC_INVALID_LOG_PAGE), 0);
        return;
    }
    FW_ASSERT(e, size != 0 && size <= META_SIZE);
    if (offset > size || (offset & 3u) != 0 || words > META_SIZE / 4) {
        hil_complete(e, slot, DNR(NVME_SC_INVALID_FIELD), 0);
        return;
    }
    const uint32_t length = (uint32_t)words * 4;
    send_page(e, slot, (uint32_t)offset,
              length > size - (uint32_t)offset ? size - (uint32_t)offset : length);
}

static void with_page(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct command* c = command_of(e, slot);
    c->buffer = hil_meta_take(e);
    FW_ASSERT(e, q->opcode == NVME_ADMIN_IDENTIFY || q->opcode == NVME_ADMIN_GET_LOG_PAGE);
    FW_ASSERT(e, c->state != COMMAND_IDLE);
    if (c->buffer == INDEX_NONE) {
        /* Every buffer is on its way to or from the host: the host may ask again. */
        hil_complete(e, slot, NVME_SC_INTERNAL_ERROR, 0);
        return;
    }
    if (q->opcode == NVME_ADMIN_IDENTIFY) {
        identify(e, slot, q);
    } else {
        get_log_page(e, slot, q);
    }
}

void hil_admin(struct env* e, const struct fe_command* command)
{
    const struct nvme_sqe* q = &command->sqe;
    const uint32_t slot = command->slot;
    uint32_t dw0 = 0;
    uint32_t status = NVME_SC_SUCCESS;
    FW_ASSERT(e, command->sq_id == 0);
    FW_ASSERT(e, slot < e->front_end->slots);
    switch (q->opcode) {
    case NVME_ADMIN_IDENTIFY:
    case NVME_ADMIN_GET_LOG_PAGE:
        if (q->flags != 0) {
            status = DNR(NVME_SC_INVALID_FIELD);
            break;
        }
        with_page(e, slot, q);
        return;
    case NVME_ADMIN_DELETE_SQ:
        delete_sq(e, slot, q);
        return;
    case NVME_ADMIN_CREATE_SQ:
        status = create_sq(e, q);
        break;
    case NVME_ADMIN_CREATE_CQ:
        status = create_cq(e, q);
        break;
    case NVME_ADMIN_DELETE_CQ:
        status = delete_cq(e, q);
        break;
    case NVME_ADMIN_SET_FEATURES:
        status = set_features(e, q, &dw0);
        break;
    case NVME_ADMIN_GET_FEATURES:
        status = get_features(e, q, &dw0);
        break;
    default:
        status = DNR(NVME_SC_INVALID_OPCODE);
        break;
    }
    hil_complete(e, slot, status, dw0);
}
