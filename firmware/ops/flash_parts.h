/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the operation scheduler share, and nobody else uses.
 */
#ifndef SSDVP_FIRMWARE_OPS_FLASH_PARTS_H
#define SSDVP_FIRMWARE_OPS_FLASH_PARTS_H

#include "firmware/ops/flash.h"

/* LUNs here are those of the part, requests name those of a superblock. */
static inline struct lun_queue* flash_lun(struct env* e, uint32_t lun)
{
    FW_ASSERT(e, lun < e->geo->part.luns);
    return (struct lun_queue*)env_sram(e, e->flash->luns) + lun;
}

static inline uint32_t flash_lun_of(const struct env* e, const struct flash_request* r)
{
    const uint32_t lun = part_lun(e->geo, r->block, r->lun);
    FW_ASSERT(e, r->block < e->geo->blocks && r->lun < e->geo->luns);
    return lun;
}

/* A request goes to the ring of its LUN, which counts it; what waits for the LUN may go on. */
void flash_issue(struct env* e, uint32_t request);
void flash_dispatch(struct env* e, uint32_t lun);
/* One has ended, and its owner hears of it; all of its planes have gone bad, and he will hear. */
void flash_deliver(struct env* e, const struct flash_result* result, const flash_handler* handlers);
void flash_fail(struct env* e, uint32_t request);

/* dropped.c: a program that waited may find planes retired meanwhile. Their data move out of the
 * list and the owner hears that those planes failed. The planes' places stay as they were for the
 * owner, so list and OOB are rotated. true = there are planes left. */
bool flash_drop_bad_planes(struct env* e, uint32_t request);

#endif
