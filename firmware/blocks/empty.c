/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/empty.h"

#include "firmware/blocks/logs.h"
#include "firmware/map/ftl.h"

void fold_empty(struct env* e, uint32_t slot)
{
    struct blockmap* b = e->blockmap;
    FW_ASSERT(e, slot >= b->seconds && slot_at(e, slot)->block != INDEX_NONE);
    if (b->victim == INDEX_NONE) {
        b->victim = slot;
        b->scan = 0;
        b->victim_lblocks = 0;
    }
}

/* As many of its logical blocks as there may be folds. */
void empties_step(struct env* e)
{
    struct blockmap* b = e->blockmap;
    const uint32_t block = slot_at(e, b->victim)->block;
    const struct superblock* s = superblock_of(e, e->blocks, block);
    for (; b->scan < b->pages && s->valid != 0; ++b->scan) {
        if (!page_valid(e, block, b->scan)) {
            continue;
        }
        const uint32_t lblock = unit_lblock(e, page_unit(e, block, b->scan));
        if (fold_busy(e, lblock)) {
            continue;
        }
        if (!fold_join(e, lblock)) {
            return;
        }
        ++b->victim_lblocks;
    }
    if (s->pending == 0 && s->valid == 0) {
        if (b->victim_lblocks != 0) {
            blockmap_merged(e, b->victim_lblocks);
        }
        block_drop(e, block);
        b->victim = INDEX_NONE;
        ftl_ask_again(e);
    } else if (b->scan == b->pages) {
        b->scan = 0; /* one of them was being merged for another reason, which may end otherwise */
    }
}
