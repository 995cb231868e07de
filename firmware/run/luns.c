/* SPDX-License-Identifier: Apache-2.0
 *
 * Set Features of every LUN. The reads' page buffers, idle during boot, hold the values.
 */
#include "firmware/run/fw.h"

static void set_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    FW_ASSERT(e, r->op == FLASH_OP_SET_FEATURES);
    FW_ASSERT(e, result->status == FLASH_STATUS_OK);
    flash_free(e, result->request);
}

static bool submit(struct env* e, uint32_t lun, uint32_t address, const uint8_t value[4])
{
    const uint32_t i = flash_take(e, OWNER_READ);
    FW_ASSERT(e, lun < e->geo->part.luns);
    if (i == INDEX_NONE) {
        return false;
    }
    const struct place at = {.lun = lun};
    const struct place p = place_of_part(e->geo, &at);
    struct flash_request* r = flash_request_of(e, e->flash, i);
    uint8_t* buffer = (uint8_t*)env_dram(e, flash_buffer(e, i));
    for (uint32_t n = 0; n < 4; ++n) {
        buffer[n] = value[n];
    }
    r->op = FLASH_OP_SET_FEATURES;
    r->purpose = FLASH_PURPOSE_SCAN;
    r->priority = 2;
    r->plane_mask = 1; /* of no meaning to a register */
    r->lun = (uint16_t)p.lun;
    r->block = p.block;
    r->page = 0;
    r->column = address;
    r->length = 4;
    r->buffer = flash_buffer(e, i);
    FW_ASSERT(e, r->owner == OWNER_READ);
    flash_submit(e, i);
    return true;
}

void boot_luns(struct env* e, uint32_t suspend_policy, uint32_t programs)
{
    const flash_handler handlers[OWNERS] = {[OWNER_READ] = set_done};
    const uint8_t value[4] = {(uint8_t)suspend_policy, programs != 0, 0, 0};
    uint32_t next = 0;
    FW_ASSERT(e, flash_in_flight(e) == 0);
    while ((next < e->geo->part.luns || flash_in_flight(e) != 0) && !hal_stopping(e->hal)) {
        uint32_t found = 0;
        while (next < e->geo->part.luns && submit(e, next, FLASH_FEATURE_SUSPEND_POLICY, value)) {
            ++next;
        }
        channels_ring(e);
        for (uint32_t c = 0; c < e->geo->channels; ++c) {
            found += flash_poll(e, c, handlers);
        }
        if (found == 0) {
            (void)hal_wait_irq(e->hal);
        }
    }
    FW_ASSERT(e, next == e->geo->part.luns || hal_stopping(e->hal));
}
