/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/flash.h"
#include "firmware/space/blocks.h"

static void submit_erase(struct env* e, uint32_t i, const struct erase_piece* piece)
{
    struct flash_request* r = flash_request_of(e, e->flash, i);
    FW_ASSERT(e, piece->plane_mask != 0);
    FW_ASSERT(e, r->owner == OWNER_ERASE);
    r->op = FLASH_OP_ERASE;
    r->purpose = superblock_of(e, e->blocks, piece->block)->purpose;
    r->priority = 2;
    r->plane_mask = (uint8_t)piece->plane_mask;
    r->lun = (uint16_t)piece->lun;
    r->block = piece->block;
    r->page = 0;
    r->column = 0;
    r->length = 0;
    flash_submit(e, i);
}

void flash_start_erases(struct env* e)
{
    struct erase_piece piece;
    while (blocks_erase_waits(e) && flash_may_erase(e) && blocks_next_erase(e, &piece)) {
        const uint32_t i = flash_take(e, OWNER_ERASE);
        FW_ASSERT(e, i != INDEX_NONE);
        flash_erase_begins(e);
        submit_erase(e, i, &piece);
    }
}

void flash_erase_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    FW_ASSERT(e, r->op == FLASH_OP_ERASE);
    flash_erase_ends(e);
    blocks_erased(e, r->block, r->lun, result->plane_fail);
    flash_free(e, result->request);
}
