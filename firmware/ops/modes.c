/* SPDX-License-Identifier: Apache-2.0
 *
 * In which mode an operation is: SLC or not (space/slc.h).
 */
#include "firmware/ops/flash.h"
#include "firmware/space/blocks_boot.h"
#include "firmware/space/slc.h"

void flash_modes_start(struct env* e)
{
    struct flash* f = e->flash;
    FW_ASSERT(e, f->in_flight == 0);
    if (slc_on(e)) {
        FW_ASSERT(e, f->array_mode == FLASH_MODE_NORMAL && f->host_mode == FLASH_MODE_NORMAL);
        f->array_mode = FLASH_MODE_OF_BLOCK;
        f->host_mode = FLASH_MODE_OF_BLOCK;
    }
}

uint8_t flash_block_mode(struct env* e, uint32_t block)
{
    const uint32_t mode = e->flash->array_mode;
    FW_ASSERT(e, block < e->geo->blocks);
    if (mode != FLASH_MODE_OF_BLOCK) {
        return (uint8_t)mode;
    }
    return slc_holds(e, block) ? FLASH_MODE_SLC : FLASH_MODE_NORMAL;
}

uint8_t flash_mode_of(struct env* e, const struct flash_request* r)
{
    /* Blocks of the anchor and of map segments are in no superblock's mode. */
    const bool own = owner_has_blocks(r->owner) || r->op == FLASH_OP_SET_FEATURES ||
                     (blocks_hidden(e, r->block, r->lun) & r->plane_mask) != 0;
    FW_ASSERT(e, slc_on(e));
    return own ? FLASH_MODE_NORMAL : flash_block_mode(e, r->block);
}
