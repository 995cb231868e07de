/* SPDX-License-Identifier: Apache-2.0
 *
 * Bad-block scan: the maker's mark is 00h in the first spare byte of a block's first page.
 */
#include "firmware/boot/fw.h"
#include "firmware/lib/bits.h"

static void scan_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    const uint8_t* oob = (const uint8_t*)flash_oob(e, result->request);
    uint32_t bad = 0;
    FW_ASSERT(e, r->op == FLASH_OP_READ);
    FW_ASSERT(e, r->oob != 0);
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1, oob += e->geo->oob_bytes) {
        const uint32_t plane = lowest_bit(rest);
        if (oob[0] == 0x00 || ((result->plane_fail >> plane) & 1u) != 0) {
            bad |= 1u << plane;
        }
    }
    if (bad != 0) {
        blocks_mark_factory_bad(e, r->block, r->lun, bad);
    }
    flash_free(e, result->request);
}

static int submit(struct env* e, uint32_t block, uint32_t lun)
{
    const uint32_t i = flash_take(e, OWNER_SCAN);
    FW_ASSERT(e, block < e->geo->blocks);
    if (i == INDEX_NONE) {
        return 0;
    }
    struct flash_request* r = flash_request_of(e, e->flash, i);
    r->op = FLASH_OP_READ;
    r->purpose = FLASH_PURPOSE_SCAN;
    r->priority = 2;
    r->plane_mask = (uint8_t)e->geo->plane_all;
    r->lun = (uint16_t)lun;
    r->block = block;
    r->page = 0;
    r->column = 0;
    r->length = 0;
    r->oob = 1;
    FW_ASSERT(e, r->owner == OWNER_SCAN);
    flash_submit(e, i);
    return 1;
}

void boot_scan(struct env* e)
{
    const flash_handler handlers[OWNERS] = {[OWNER_SCAN] = scan_done};
    const uint32_t total = e->geo->blocks * e->geo->luns;
    uint32_t next = 0;
    FW_ASSERT(e, total != 0);
    while ((next < total || flash_in_flight(e) != 0) && !hal_stopping(e->hal)) {
        uint32_t found = 0;
        while (next < total && submit(e, next / e->geo->luns, next % e->geo->luns)) {
            ++next;
        }
        channels_ring(e);
        for (uint32_t c = 0; c < e->geo->channels; ++c) {
            found += flash_poll(e, c, handlers);
        }
        channels_ring(e);
        if (found == 0) {
            (void)hal_wait_irq(e->hal);
        }
    }
    FW_ASSERT(e, next == total || hal_stopping(e->hal));
}
