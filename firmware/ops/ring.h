/* SPDX-License-Identifier: Apache-2.0
 *
 * Between requests and the channels' rings (ops alone includes this): queues of the LUNs, what a
 * channel is told of a request, and what its owner is told of a completion.
 */
#ifndef SSDVP_FIRMWARE_OPS_RING_H
#define SSDVP_FIRMWARE_OPS_RING_H

#include "firmware/ops/requests.h"

struct lun_queue {
    struct fifo host;
    struct fifo background;
    uint8_t running;  /* operations other than host reads in hardware: one, or programs only */
    uint8_t programs; /* how many of them are programs */
    bool turn;        /* true = background goes first */
    uint8_t holds;    /* enum fe_wait: what waits behind the last of them */
    uint8_t channel;
    uint8_t index;   /* on its channel */
    uint16_t queued; /* operations submitted and not handed back */
};

void ring_init(struct env* e);

/* LUNs here are those of the part, requests name those of a superblock. */
static inline struct lun_queue* flash_lun(struct env* e, uint32_t lun)
{
    FW_ASSERT(e, lun < e->geo->part.luns);
    return (struct lun_queue*)env_sram_entry(e, e->flash->luns, lun, sizeof(struct lun_queue));
}

static inline uint32_t flash_lun_of(const struct env* e, const struct flash_request* r)
{
    const uint32_t lun = part_lun(e->geo, r->block, r->lun);
    FW_ASSERT(e, r->block < e->geo->blocks && r->lun < e->geo->luns);
    return lun;
}

/* Reads of the host and of the patrol. */
static inline uint32_t flash_is_bystander(uint32_t owner)
{
    return owner == OWNER_READ || owner == OWNER_SCAN ? 1 : 0;
}

/* A program that waited may find planes retired meanwhile. Their data move out of the list and the
 * owner hears that those planes failed. The planes' places stay as they were for the owner, so list
 * and OOB are rotated. true = there are planes left. */
bool ring_drop_bad_planes(struct env* e, uint32_t request);

/* Block and planes as the part counts them. Returns the queue of the LUN. */
const struct lun_queue* ring_locate(struct env* e, uint32_t lun, struct flash_desc* d);
/* From here to its completion the request is the flash role's, which describes it to the channel.
 * An issued one holds its LUN. */
void ring_post(struct env* e, uint32_t request, const struct lun_queue* q);
void ring_issue(struct env* e, uint32_t request, struct lun_queue* q);
void ring_describe(struct env* e, uint32_t request, uint32_t channel, uint32_t index);

/* A read of several planes, which has failed, becomes reads of one each, numbered from it on.
 * Returns how many. part: what its completion says of one of them. */
uint32_t ring_split(struct env* e, uint32_t request);
struct flash_completion ring_part(struct env* e, const struct flash_completion* whole,
                                  uint32_t request);
/* One of the LUN has ended, and its owner hears of it. */
static inline void ring_deliver(struct env* e, struct lun_queue* q,
                                const struct flash_result* result, const flash_handler* handlers)
{
    struct flash* f = e->flash;
    const struct flash_request* r = flash_request_of(e, result->request);
    FW_ASSERT(e, f->in_flight > 0);
    --f->in_flight;
    --q->queued;
    f->bystanders -= flash_is_bystander(r->owner);
    if (r->sequence > f->reached && r->owner != OWNER_ANCHOR && result->status == FLASH_STATUS_OK) {
        f->reached = r->sequence;
    }
    f->ended = result->request + 1u;
    handlers[r->owner](e, result);
    f->ended = 0;
}

#endif
