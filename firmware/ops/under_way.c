/* SPDX-License-Identifier: Apache-2.0
 *
 * What is under way in the flash.
 */
#include "firmware/ops/flash_parts.h"

_Static_assert(sizeof(struct flash_request) == 72, "a drive has thousands of them in its memory");

uint64_t flash_settled(struct env* e)
{
    uint64_t oldest = e->flash->sequence + 1;
    for (uint32_t i = e->flash->reads; i < e->flash->total; ++i) {
        const uint64_t sequence = flash_request_of(e, e->flash, i)->sequence;
        oldest = sequence != 0 && sequence < oldest ? sequence : oldest;
    }
    FW_ASSERT(e, oldest != 0);
    return oldest - 1;
}

uint32_t flash_queued(struct env* e, uint32_t lun)
{
    return flash_lun(e, lun)->queued;
}

uint32_t flash_programs_wait(struct env* e, uint32_t lun)
{
    return flash_lun(e, lun)->host.count;
}

void flash_fail(struct env* e, uint32_t request)
{
    FW_ASSERT(e, flash_request_of(e, e->flash, request)->plane_mask == 0);
    fifo_push(&e->flash->failed, flash_links(e), request);
}

void flash_deliver(struct env* e, const struct flash_result* result, const flash_handler* handlers)
{
    struct flash* f = e->flash;
    const struct flash_request* r = flash_request_of(e, f, result->request);
    FW_ASSERT(e, f->in_flight > 0);
    --f->in_flight;
    --flash_lun(e, flash_lun_of(e, r))->queued;
    if (r->sequence > f->reached && result->status == FLASH_STATUS_OK) {
        f->reached = r->sequence;
    }
    f->ended = result->request + 1u;
    handlers[r->owner](e, result);
    f->ended = 0;
}
