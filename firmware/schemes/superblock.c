/* SPDX-License-Identifier: Apache-2.0
 *
 * superblock (Kang, Jo, Kim, Lee, EMSOFT 2006): logical blocks side by side make a superblock; the
 * blocks of a superblock are mapped as a set, and inside it units lie in any page. A unit is
 * appended to the block that its superblock writes. When that is full one more is taken: up to as
 * many as its data fill, then update blocks out of a pool that all superblocks share. When there
 * may be no more of them the superblock is collected: a block of which nothing is valid is erased,
 * else the one with the fewest valid pages, which are copied first. When the pool is used up it is
 * the superblock with update blocks that was written least recently.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_groups.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/map/ftl.h"
#include "firmware/space/state.h"
#include "models/regs/parts/map.h"

/* A block of it holds nothing any more. */
static bool has_dead(struct env* e, uint32_t group)
{
    const uint32_t victim = group_victim(e, group);
    return victim != INDEX_NONE && superblock_of(e, e->blocks, victim)->valid == 0 &&
           superblock_of(e, e->blocks, victim)->pending == 0;
}

/* The superblock that shrinks first gives its blocks up one after the other: it is the first one
 * until it has none beyond its data. */
static void shrink_oldest(struct env* e, struct group* asks)
{
    uint32_t group = groups_longer(e);
    if (asks->shrinks != INDEX_NONE && fold_busy(e, asks->shrinks)) {
        return;
    }
    while (group != INDEX_NONE && fold_busy(e, group)) {
        group = group_longer(e, group);
    }
    asks->shrinks = group;
    if (group != INDEX_NONE) {
        (void)fold_out(e, group, INDEX_NONE);
    }
}

static void collect(struct env* e, uint32_t group)
{
    if (group_is_longest(e, group) || has_dead(e, group)) {
        (void)fold_out(e, group, INDEX_NONE);
    } else {
        shrink_oldest(e, group_at(e, group));
    }
}

static bool superblock_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t group = unit_lblock(e, unit);
    uint32_t page = 0;
    uint32_t block = group_current(e, group, &page);
    if (block == INDEX_NONE && !group_may_grow(e, group)) {
        collect(e, group);
        return false;
    }
    if (block == INDEX_NONE) {
        page = 0;
        block = block_open(e, BLOCK_LOG, group);
        if (block == INDEX_NONE) {
            return false;
        }
    }
    group_written(e, group);
    FW_ASSERT(e, page == slot_at(e, slot_of(e, block))->fill);
    return place_in_log(e, unit, block, page, to);
}

/* A superblock of which nothing is left needs no blocks. */
static bool superblock_trim(struct env* e, uint64_t unit)
{
    const uint32_t group = unit_lblock(e, unit);
    const bool left = blockmap_trim(e, unit);
    while (left && lblock_idle(e, group) && group_at(e, group)->count != 0) {
        block_drop(e, slot_at(e, group_at(e, group)->blocks.first)->block);
    }
    return left;
}

static int superblock_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const struct boot_placed* p = &how->placed;
    const uint64_t pages = e->geo->pages;
    const struct blockmap_setup setup = {
        .shared = how->log_blocks,
        .group = p->superblock_blocks,
        .group_most = p->update_blocks,
    };
    if (setup.group == 0 || setup.group * pages > UINT16_MAX) {
        hal_log(e->hal, HAL_LOG_ERROR,
                "blocks of a superblock, one at least; its pages fit 16 bits", setup.group,
                setup.group * pages);
        return -1;
    }
    if (setup.shared == 0 || setup.group_most == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "update blocks, one at least: of all, of a superblock",
                setup.shared, setup.group_most);
        return -1;
    }
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_superblock = {
    .init = superblock_init,
    BLOCKMAP_OPS,
    .trim = superblock_trim,
    .place = superblock_place,
};
