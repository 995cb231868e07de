/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/place.h"

#include "firmware/blocks/logs.h"

#include "firmware/map/maps.h"
#include "firmware/space/spare.h"

enum { HOLES_EACH = 1024 }; /* logical blocks that are passed over at a time */

enum home_place place_at_home(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const uint32_t offset = unit_offset(e, unit);
    uint32_t home = home_of(e, lblock);
    FW_ASSERT(e, lblock_at(e, lblock)->pins != 0);
    if (home == INDEX_NONE && second_of(e, lblock) != INDEX_NONE) {
        (void)fold_begin(e, lblock, FTL_NONE); /* as a power-up may leave it */
        return HOME_NO_BLOCK;
    }
    if (home == INDEX_NONE) {
        home = block_open(e, BLOCK_DATA, lblock);
        if (home == INDEX_NONE) {
            return HOME_NO_BLOCK;
        }
    }
    if (page_free(e, home, offset, offset + 1) == INDEX_NONE) {
        return HOME_TAKEN;
    }
    page_take(e, home, offset, unit);
    to->block = home;
    to->page = offset;
    to->kind = SPARE_HOME;
    return HOME_PLACED;
}

bool place_in_log(struct env* e, uint64_t unit, uint32_t block, uint32_t page, struct ftl_place* to)
{
    const uint32_t role = superblock_of(e, e->blocks, block)->role;
    FW_ASSERT(e, role == BLOCK_SECOND || role == BLOCK_LOG || role == BLOCK_DATA);
    page_take(e, block, page, unit);
    to->block = block;
    to->page = page;
    to->kind = role == BLOCK_DATA ? SPARE_HOME : role == BLOCK_SECOND ? SPARE_SECOND : SPARE_SHARED;
    if (role != BLOCK_DATA) {
        slot_used(e, slot_of(e, block));
    }
    return true;
}

enum second_place place_at_offset(struct env* e, uint64_t unit, uint32_t most, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const uint32_t offset = unit_offset(e, unit);
    uint32_t block = second_of(e, lblock);
    if (block != INDEX_NONE && page_free(e, block, offset, offset + 1) == INDEX_NONE) {
        (void)fold_complete(e, lblock);
        return SECOND_LATER;
    }
    if (block == INDEX_NONE && e->blockmap->second.count >= most) {
        return SECOND_FULL;
    }
    if (block == INDEX_NONE) {
        block = block_open(e, BLOCK_SECOND, lblock);
    }
    FW_ASSERT(e, offset < e->geo->pages);
    if (block == INDEX_NONE) {
        return SECOND_LATER;
    }
    (void)place_in_log(e, unit, block, offset, to);
    return SECOND_PLACED;
}

uint32_t oldest_second(struct env* e)
{
    const struct link* links = env_dram(e, e->blockmap->links);
    uint32_t slot = e->blockmap->second.used.first;
    while (slot != INDEX_NONE && fold_busy(e, slot_at(e, slot)->lblock)) {
        slot = links[slot].next;
    }
    FW_ASSERT(e, slot < e->blockmap->seconds || slot == INDEX_NONE);
    return slot != INDEX_NONE ? slot_at(e, slot)->lblock : INDEX_NONE;
}

bool merge_second(struct env* e, uint32_t lblock, uint32_t partial)
{
    const uint32_t second = second_of(e, lblock);
    const uint64_t first = (uint64_t)lblock * e->blockmap->span;
    const uint64_t left = e->geo->user_units - first;
    const uint32_t all = left < e->blockmap->span ? (uint32_t)left : e->blockmap->span;
    FW_ASSERT(e, second != INDEX_NONE);
    const uint32_t ordered = pages_in_order(e, second);
    const bool in_order = ordered == slot_at(e, slot_of(e, second))->fill;
    return in_order && (partial != 0 || ordered == all) ? fold_complete(e, lblock)
                                                        : fold_begin(e, lblock, FTL_NONE);
}

/* ---- Many units at a time ---- */

/* Logical blocks of which nothing is there. */
uint64_t blockmap_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const uint32_t span = e->blockmap->span;
    uint64_t at = unit;
    FW_ASSERT(e, unit < end && end <= e->geo->user_units);
    for (uint32_t n = 0; n < HOLES_EACH && at < end && !maps_image_damaged(e); ++n) {
        const uint64_t lblock = at / span;
        if (lblock_at(e, lblock)->live != 0) {
            break;
        }
        at = (lblock + 1) * span;
    }
    return (at < end ? at : end) - unit;
}

/* To the end of the logical block, which is pinned, or as far as there is something of it. The last
 * one of those that lie side by side leaves by itself: the scheme may have no use for the block. */
uint64_t blockmap_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint32_t lblock = unit_lblock(e, unit);
    const uint64_t next = ((uint64_t)lblock + 1) * e->blockmap->span;
    const uint64_t stop = next < end ? next : end;
    FW_ASSERT(e, lblock_at(e, lblock)->pins != 0);
    *mapped = 0;
    for (uint64_t u = unit; u < stop && lblock_at(e, lblock)->live != 0; ++u) {
        const uint32_t run = units_in_order(e, u, (uint32_t)(stop - u));
        if (run > 1) {
            units_leave(e, u, run - 1);
            *mapped += run - 1;
            u += run - 1;
        }
        *mapped += (uint64_t)ftl->trim(e, u);
    }
    return stop - unit;
}
