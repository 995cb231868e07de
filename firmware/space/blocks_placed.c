/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/blocks_placed.h"

/* The stream that has the superblock open; NULL = it is full. Lanes are not looked at. */
static const struct stream* writer_of(struct env* e, uint32_t block)
{
    const struct blocks* b = e->blocks;
    FW_ASSERT(e, b->lanes.kind == PLACEMENT_STRIPE);
    for (uint32_t n = 0; n < STREAMS_ALL; ++n) {
        if (b->stream[n].pages != 0 && b->stream[n].block == block) {
            return &b->stream[n];
        }
    }
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->state == BLOCK_FULL);
    return NULL;
}

uint32_t blocks_placed_planes(struct env* e, uint32_t block, uint32_t lun, uint32_t page)
{
    const struct stream* st = writer_of(e, block);
    const uint32_t good = blocks_good_planes(e, block, lun);
    FW_ASSERT(e, page < e->geo->pages);
    if (st == NULL) {
        return good;
    }
    const struct write_pointer* w = (const struct write_pointer*)env_dram(e, st->pointers) + lun;
    return page < w->page ? good : page == w->page ? w->used : 0;
}

uint32_t blocks_placed_units(struct env* e, uint32_t block)
{
    const struct stream* st = writer_of(e, block);
    return st != NULL ? st->taken : superblock_of(e, e->blocks, block)->capacity;
}
