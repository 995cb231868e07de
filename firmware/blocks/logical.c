/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/logical.h"

#include "firmware/buffer/cache.h"
#include "firmware/space/blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"

int logical_init(struct env* e, uint32_t pages_most)
{
    const struct geometry* g = e->geo;
    if (g->luns != 1 || g->planes != 1 || g->page_units != 1 || g->pages > pages_most) {
        hal_log(e->hal, HAL_LOG_ERROR,
                "logical blocks want superblocks of a block, units of a page; LUNs, units",
                g->luns * g->planes, g->page_units);
        return -1;
    }
    blocks_keep_apart(e);
    return 0;
}

uint32_t logical_take(struct env* e)
{
    const uint32_t block = blocks_take(e, blocks_set_aside(e));
    if (block == INDEX_NONE) {
        cache_lacks_block(e);
    }
    return block;
}

uint32_t merge_read_take(struct env* e, uint32_t owner, uint64_t address, uint64_t buffer)
{
    const struct place p = address_place(e->geo, address);
    const uint32_t i = flash_take(e, owner);
    if (i == INDEX_NONE) {
        return INDEX_NONE;
    }
    struct flash_request* r = flash_request_of(e, i);
    flash_read_page(r, &p, FLASH_PURPOSE_GC, 2);
    r->column = 0;
    r->length = e->geo->unit_size;
    r->sg = true;
    flash_list(e, i)[0] = buffer;
    ++superblock_of(e, e->blocks, p.block)->readers;
    return i;
}

void merge_program_submit(struct env* e, uint32_t request, const struct merge_program* p)
{
    struct flash_request* r = flash_request_of(e, request);
    flash_program_pages(e, r, p->purpose, 2);
    r->plane_mask = 1;
    r->lun = 0;
    r->block = p->block;
    r->page = p->page;
    flash_list(e, request)[0] = p->data;
    flash_oob(e, request)[spare_word(e->geo, 0)] = p->word;
    ++superblock_of(e, e->blocks, p->block)->pending;
    flash_submit(e, request);
}

uint64_t logical_owner(struct env* e, uint64_t address)
{
    (void)address;
    FW_ASSERT(e, 0 && "collection moves pages of maps only");
    return FTL_UNKNOWN;
}

bool logical_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    (void)from;
    (void)to;
    FW_ASSERT(e, unit == FTL_NONE && "collection moves pages of maps only");
    return false;
}

void logical_prefetch(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
}
