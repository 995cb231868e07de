/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/search.h"

uint32_t searched_block(const struct env* e, uint32_t lblock, uint32_t* first)
{
    const struct blockmap* b = e->blockmap;
    FW_ASSERT(e, lblock < b->lblocks);
    switch (b->searched) {
    case SEARCHED_SPARES:
        *first = b->span;
        return home_of(e, lblock);
    case SEARCHED_SECOND:
        *first = 0;
        return second_of(e, lblock);
    default:
        return INDEX_NONE;
    }
}

uint32_t page_used(const struct env* e, uint32_t block, uint32_t from, uint32_t first)
{
    uint32_t page = from;
    FW_ASSERT(e, from <= e->blockmap->pages);
    while (page > first && !page_taken(e, block, page - 1)) {
        --page;
    }
    return page > first ? page - 1 : INDEX_NONE;
}

uint32_t blockmap_scan(struct env* e, uint64_t unit, uint32_t from, uint32_t* block)
{
    uint32_t first = 0;
    uint32_t page = INDEX_NONE;
    *block = searched_block(e, unit_lblock(e, unit), &first);
    FW_ASSERT(e, from != 0);
    if (*block == INDEX_NONE) {
        return INDEX_NONE;
    }
    page = page_used(e, *block, from, first);
    return page != INDEX_NONE && page_valid(e, *block, page) && page_unit(e, *block, page) == unit
               ? INDEX_NONE
               : page;
}
