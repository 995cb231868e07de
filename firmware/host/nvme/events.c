/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous events and Abort. NVM Express base 1.4 sections 5.2 and 5.1. An event that was told
 * keeps others of its log from being told until the host has read that log.
 */
#include "firmware/host/nvme/events.h"

#include "firmware/host/nvme/health.h"
#include "firmware/host/nvme/nvme.h"

/* Tells what there is to tell, as far as requests reach. */
static void tell(struct env* e)
{
    struct nvme* n = nvme_of(e);
    uint32_t i = 0;
    FW_ASSERT(e, n->events <= EVENTS_MOST && n->aers <= AERS_MOST);
    while (i < n->events && n->aers != 0) {
        const struct nvme_event v = n->event[i];
        if (((n->masked >> v.log) & 1u) != 0) {
            ++i;
            continue;
        }
        const uint32_t slot = n->aer[0];
        --n->aers;
        --n->events;
        for (uint32_t k = 0; k < n->aers; ++k) {
            n->aer[k] = n->aer[k + 1];
        }
        for (uint32_t k = i; k < n->events; ++k) {
            n->event[k] = n->event[k + 1];
        }
        n->masked |= 1u << v.log;
        hil_begin(e); /* while it waited it was none that anybody waits for */
        hil_complete(e, slot, NVME_SC_SUCCESS,
                     v.type | (uint32_t)v.info << 8 | (uint32_t)v.log << 16);
    }
}

uint32_t nvme_await_event(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)q;
    (void)dw0;
    struct nvme* n = nvme_of(e);
    if (n->aers == AERS_MOST) {
        return DNR(NVME_SC_ASYNC_EVENT_LIMIT);
    }
    command_of(e, slot)->state = COMMAND_ADMIN;
    if (--e->hil->active == 0) {
        run_quiet(e, hal_time_ns(e->hal));
    }
    n->aer[n->aers++] = (uint16_t)slot;
    nvme_doorbells(e);
    tell(e);
    return NVME_LATER;
}

void nvme_event(struct env* e, uint32_t type, uint32_t info, uint32_t log)
{
    struct nvme* n = nvme_of(e);
    for (uint32_t i = 0; i < n->events; ++i) {
        if (n->event[i].type == type && n->event[i].info == info) {
            return; /* one of them is enough */
        }
    }
    if (n->events < EVENTS_MOST) {
        const struct nvme_event v = {(uint8_t)type, (uint8_t)info, (uint8_t)log};
        n->event[n->events++] = v;
    }
    tell(e);
}

void nvme_notice(struct env* e, uint32_t info, uint32_t log)
{
    const uint32_t bit = info == NVME_EVENT_NAMESPACE_ATTRIBUTE ? 8 : 9;
    if (((nvme_of(e)->feature[FEATURE_EVENTS] >> bit) & 1u) != 0) {
        nvme_event(e, NVME_EVENT_NOTICE, info, log);
    }
}

void nvme_log_read(struct env* e, uint32_t log)
{
    if (log < 32) {
        nvme_of(e)->masked &= ~(1u << log);
        tell(e);
    }
}

void nvme_watch(struct env* e)
{
    struct nvme* n = nvme_of(e);
    const uint32_t now = nvme_warnings(e);
    const uint32_t news = now & ~n->warned & n->feature[FEATURE_EVENTS];
    n->warned = now;
    if ((news & WARN_SPARE) != 0) {
        nvme_event(e, NVME_EVENT_SMART, NVME_EVENT_SPARE, NVME_LOG_SMART);
    }
    if ((news & WARN_TEMPERATURE) != 0) {
        nvme_event(e, NVME_EVENT_SMART, NVME_EVENT_TEMPERATURE, NVME_LOG_SMART);
    }
    if ((news & EVENTS_SMART & ~(uint32_t)(WARN_SPARE | WARN_TEMPERATURE)) != 0) {
        nvme_event(e, NVME_EVENT_SMART, NVME_EVENT_RELIABILITY, NVME_LOG_SMART);
    }
}

/* Asking stalls the core: not for a host that does not want to know. */
void nvme_doorbells(struct env* e)
{
    if (nvme_of(e)->aers == 0) {
        return;
    }
    const uint32_t error = front_end_doorbell_error(e);
    if ((error & FE_DOORBELL_ERROR_REGISTER) != 0) {
        nvme_event(e, NVME_EVENT_ERROR, NVME_EVENT_INVALID_DOORBELL, NVME_LOG_ERROR);
    }
    if ((error & FE_DOORBELL_ERROR_VALUE) != 0) {
        nvme_event(e, NVME_EVENT_ERROR, NVME_EVENT_INVALID_DOORBELL_VALUE, NVME_LOG_ERROR);
    }
}

/* ---- Abort ---- */

static bool unlist(struct env* e, struct fifo* f, uint32_t slot)
{
    return fifo_remove(f, hil_wait_links(e), slot);
}

static bool unlist_event(struct env* e, uint32_t slot)
{
    struct nvme* n = nvme_of(e);
    FW_ASSERT(e, n->aers <= AERS_MOST);
    for (uint32_t i = 0; i < n->aers; ++i) {
        if (n->aer[i] == slot) {
            --n->aers;
            for (; i < n->aers; ++i) {
                n->aer[i] = n->aer[i + 1];
            }
            hil_begin(e);
            return true;
        }
    }
    return false;
}

/* Takes a command out of what it waits in. Of one that has begun nothing is taken back. */
static bool withdraw(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    const struct command* c = command_of(e, slot);
    const bool fresh = c->done == 0 && c->reads == 0 && c->divert <= DIVERT_VERIFY;
    FW_ASSERT(e, c->state != COMMAND_IDLE);
    switch (c->state) {
    case COMMAND_ADMIN:
        return unlist_event(e, slot);
    case COMMAND_READ:
        return fresh && (hil_unpark(e, slot) || unlist(e, &h->reads_waiting, slot));
    case COMMAND_WRITE: /* one with FUA has promises in the buffer */
        cache_not_full(e);
        return fresh && !c->fua && unlist(e, &h->writes_waiting, slot);
    case COMMAND_FLUSH:
        return unlist(e, &h->flushes, slot);
    default:
        return false;
    }
}

uint32_t nvme_abort(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)slot;
    const uint32_t sq = q->cdw10 & 0xFFFFu;
    const uint32_t cid = q->cdw10 >> 16;
    if (sq > e->hil->queue_pairs || (sq != 0 && e->hil->cq_of[sq] == 0)) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    *dw0 = 1; /* not aborted */
    for (uint32_t i = 0; i < front_end_slots(e); ++i) {
        const struct command* c = command_of(e, i);
        if (c->state == COMMAND_IDLE || c->sq_id != sq || c->cid != cid) {
            continue;
        }
        if (withdraw(e, i)) {
            hil_complete(e, i, NVME_SC_ABORT_REQUESTED, 0);
            *dw0 = 0;
        }
        break;
    }
    return NVME_SC_SUCCESS;
}
