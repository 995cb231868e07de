/* SPDX-License-Identifier: Apache-2.0
 *
 * sast (Park, Cheon et al., RSP 2007): hybrid mapping in sets. So many neighbouring logical blocks
 * are a set, and share so many log blocks at most, whose pages take any units of the set. A merge
 * of a log block takes the logical blocks of one set at most. As long as a log block has one
 * logical block in order from its first unit on, it is a second block of that, which a switch or a
 * partial merge makes the home; any other unit of the set turns it into a shared one.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/map/ftl.h"
#include "firmware/space/state.h"
#include "models/regs/parts/map.h"

struct set_logs {
    uint32_t count;
    uint32_t open;   /* slot that takes the next unit, INDEX_NONE */
    uint32_t oldest; /* slot that was written least recently, INDEX_NONE */
};

static uint32_t set_of_lblock(const struct env* e, uint32_t lblock)
{
    return lblock / e->told.map->placed.associativity;
}

/* Of a shared block any page that has a unit tells, valid or not; INDEX_NONE = none has. */
static uint32_t set_of(struct env* e, uint32_t slot)
{
    const struct block_slot* s = slot_at(e, slot);
    if (slot_is_second(e, slot)) {
        return set_of_lblock(e, s->lblock);
    }
    for (uint32_t page = 0; page < s->fill; ++page) {
        const uint64_t unit = page_unit(e, s->block, page);
        if (unit < e->geo->user_units) {
            return set_of_lblock(e, unit_lblock(e, unit));
        }
    }
    return INDEX_NONE;
}

static bool is_merged(struct env* e, uint32_t slot)
{
    return slot_is_second(e, slot) ? fold_busy(e, slot_at(e, slot)->lblock) : slot_emptied(e, slot);
}

/* Which of the two was written less recently, INDEX_NONE = there is neither. */
static uint32_t older_of(struct env* e, uint32_t a, uint32_t b)
{
    if (a == INDEX_NONE || b == INDEX_NONE) {
        return a != INDEX_NONE ? a : b;
    }
    return (int32_t)(slot_at(e, b)->used - slot_at(e, a)->used) < 0 ? b : a;
}

static void find_logs(struct env* e, uint32_t role, uint32_t set, struct set_logs* found)
{
    for (uint32_t slot = logs_oldest(e, role); slot != INDEX_NONE; slot = log_newer(e, slot)) {
        if (set_of(e, slot) != set) {
            continue;
        }
        ++found->count;
        if (!is_merged(e, slot)) {
            found->open = slot_open(e, slot) ? slot : found->open;
            found->oldest = older_of(e, found->oldest, slot);
        }
    }
}

/* One merge at a time for room: the logical blocks of one log block are merged side by side. */
static void make_room(struct env* e, uint32_t slot)
{
    if (slot == INDEX_NONE || logs_merging(e)) {
        return;
    }
    FW_ASSERT(e, !is_merged(e, slot));
    merge_log(e, slot);
}

static bool append(struct env* e, uint64_t unit, uint32_t slot, struct ftl_place* to)
{
    const struct block_slot* s = slot_at(e, slot);
    const uint32_t block = s->block;
    const uint32_t fill = s->fill;
    const bool in_order = s->lblock == unit_lblock(e, unit) && fill == unit_offset(e, unit);
    if (slot_is_second(e, slot) && !in_order) {
        block_turn(e, block, BLOCK_LOG, INDEX_NONE);
    }
    return place_in_log(e, unit, block, fill, to);
}

/* A fresh log block of the set begins with the unit. */
static bool begin_log(struct env* e, uint64_t unit, const struct set_logs* of_set,
                      struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    uint32_t block = INDEX_NONE;
    if (of_set->count >= e->told.map->placed.update_blocks) {
        make_room(e, of_set->oldest);
        return false;
    }
    if (logs_count(e, BLOCK_SECOND) + logs_count(e, BLOCK_LOG) >= e->told.map->log_blocks) {
        make_room(e, older_of(e, logs_oldest(e, BLOCK_SECOND), logs_oldest(e, BLOCK_LOG)));
        return false;
    }
    FW_ASSERT(e, second_of(e, lblock) == INDEX_NONE);
    block = unit_offset(e, unit) == 0 ? block_open(e, BLOCK_SECOND, lblock)
                                      : block_open(e, BLOCK_LOG, INDEX_NONE);
    return block != INDEX_NONE && place_in_log(e, unit, block, 0, to);
}

static bool sast_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const enum home_place at_home = place_at_home(e, unit, to);
    struct set_logs of_set = {0, INDEX_NONE, INDEX_NONE};
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    const uint32_t second = second_of(e, lblock);
    if (second != INDEX_NONE && !slot_open(e, slot_of(e, second))) {
        (void)merge_second(e, lblock, 1); /* it is full */
        return false;
    }
    find_logs(e, BLOCK_SECOND, set_of_lblock(e, lblock), &of_set);
    find_logs(e, BLOCK_LOG, set_of_lblock(e, lblock), &of_set);
    return of_set.open != INDEX_NONE ? append(e, unit, of_set.open, to)
                                     : begin_log(e, unit, &of_set, to);
}

static int sast_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const struct boot_placed* p = &how->placed;
    const struct blockmap_setup setup = {
        .seconds = how->log_blocks,
        .shared = how->log_blocks,
        .logs = how->log_blocks,
        .turns = 1,
        .any = 1,
    };
    if (p->associativity == 0 || p->update_blocks == 0 || p->update_blocks > setup.logs) {
        hal_log(e->hal, HAL_LOG_ERROR,
                "logical blocks of a set; its log blocks, of those there are", p->associativity,
                p->update_blocks);
        return -1;
    }
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_sast = {
    .init = sast_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = sast_place,
};
