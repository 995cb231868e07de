/* SPDX-License-Identifier: Apache-2.0
 *
 * kast (Cho, Shin, Eom, DATE 2009): hybrid mapping with a bound K on the logical blocks that a log
 * block has pages of, and so on what one merge takes. A unit that is written again and is the first
 * of its logical block, or continues its sequential log block, goes there: each logical block may
 * have one. One that is not continued becomes a random log block. Other units go to a random log
 * block that has their logical block, else to the one with the fewest, below K, else to a fresh
 * one. When there is none to be had, the log block that is cheapest to merge is given back.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/map/ftl.h"
#include "firmware/space/state.h"
#include "models/regs/parts/map.h"

enum { COST_COPY = 8, COST_ERASE = 63 }; /* T = R + 7 W + 63 E of W.-J. Park et al. */

/* ---- The logical blocks of a random log block: their number, then which ---- */

/* A unit whose program is under way does not count yet: what is known stays known until it does. */
static uint32_t* members_of(struct env* e, uint32_t slot)
{
    struct block_slot* s = slot_at(e, slot);
    uint32_t* set = slot_notes(e, slot);
    if (s->changed != 0 && superblock_of(e, e->blocks, s->block)->pending == 0) {
        const uint32_t* list = NULL;
        const uint32_t count = slot_lblocks(e, slot, &list);
        set[0] =
            count < e->told.map->placed.associativity ? count : e->told.map->placed.associativity;
        for (uint32_t n = 0; n < set[0]; ++n) {
            set[1 + n] = list[n];
        }
        s->changed = 0;
    }
    FW_ASSERT(e, set[0] <= e->told.map->placed.associativity);
    return set;
}

static bool has_member(const uint32_t* set, uint32_t lblock)
{
    uint32_t n = 0;
    while (n < set[0] && set[1 + n] != lblock) {
        ++n;
    }
    return n < set[0];
}

static bool append(struct env* e, uint64_t unit, uint32_t slot, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    uint32_t* set = members_of(e, slot);
    if (!has_member(set, lblock)) {
        FW_ASSERT(e, set[0] < e->told.map->placed.associativity);
        set[1 + set[0]] = lblock;
        ++set[0];
    }
    return place_next(e, unit, slot, to);
}

/* ---- Which log block is merged ---- */

static uint32_t valid_at_home(struct env* e, uint32_t lblock)
{
    const uint32_t home = home_of(e, lblock);
    return home != INDEX_NONE ? superblock_of(e, e->blocks, home)->valid : 0;
}

static uint64_t cost_of(struct env* e, uint32_t slot)
{
    uint64_t pages = 0;
    uint64_t erases = 1;
    if (slot_is_second(e, slot)) {
        pages = valid_at_home(e, slot_at(e, slot)->lblock);
    } else {
        const uint32_t* set = members_of(e, slot);
        for (uint32_t n = 1; n <= set[0]; ++n) {
            pages += lblock_at(e, set[n])->live;
            erases += second_of(e, set[n]) != INDEX_NONE ? 2 : 1;
        }
    }
    return COST_COPY * pages + COST_ERASE * erases;
}

/* The cheapest of a list, the first of those that are; what is known to be as cheap comes first. */
static void find_cheapest(struct env* e, uint32_t role, uint32_t* best, uint64_t* least)
{
    for (uint32_t slot = logs_oldest(e, role); slot != INDEX_NONE; slot = log_newer(e, slot)) {
        const uint64_t cost = cost_of(e, slot);
        if (cost < *least) {
            *best = slot;
            *least = cost;
        }
    }
}

/* One merge at a time for room: the logical blocks of one log block are merged side by side. */
static void make_room(struct env* e)
{
    uint32_t best = INDEX_NONE;
    uint64_t least = UINT64_MAX;
    if (logs_merging(e)) {
        return;
    }
    find_cheapest(e, BLOCK_SECOND, &best, &least);
    find_cheapest(e, BLOCK_LOG, &best, &least);
    FW_ASSERT(e, best != INDEX_NONE);
    merge_log(e, best);
}

/* ---- Where a unit goes ---- */

static uint32_t open_log(struct env* e, uint32_t role, uint32_t lblock)
{
    if (logs_count(e, BLOCK_SECOND) + logs_count(e, BLOCK_LOG) >= e->told.map->log_blocks) {
        make_room(e);
        return INDEX_NONE;
    }
    return block_open(e, role, lblock);
}

static bool place_random(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    uint32_t fewest = e->told.map->placed.associativity;
    uint32_t best = INDEX_NONE;
    for (uint32_t slot = logs_oldest(e, BLOCK_LOG); slot != INDEX_NONE; slot = log_newer(e, slot)) {
        if (!slot_open(e, slot)) {
            continue;
        }
        const uint32_t* set = members_of(e, slot);
        if (has_member(set, lblock)) {
            return append(e, unit, slot, to);
        }
        if (set[0] < fewest) {
            fewest = set[0];
            best = slot;
        }
    }
    if (best == INDEX_NONE) {
        const uint32_t block = open_log(e, BLOCK_LOG, INDEX_NONE);
        if (block == INDEX_NONE) {
            return false;
        }
        best = slot_of(e, block);
    }
    return append(e, unit, best, to);
}

/* The sequential log block becomes a random one, of its logical block so far. */
static void turn(struct env* e, uint32_t block, uint32_t lblock)
{
    block_turn(e, block, BLOCK_LOG, INDEX_NONE);
    uint32_t* set = slot_notes(e, slot_of(e, block));
    set[0] = 1;
    set[1] = lblock;
    FW_ASSERT(e, second_of(e, lblock) == INDEX_NONE);
}

static bool kast_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const uint32_t offset = unit_offset(e, unit);
    const enum home_place at_home = place_at_home(e, unit, to);
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    const uint32_t second = second_of(e, lblock);
    if (second != INDEX_NONE && !slot_open(e, slot_of(e, second))) {
        (void)merge_second(e, lblock, 1); /* it is full */
        return false;
    }
    if (second != INDEX_NONE && offset == slot_at(e, slot_of(e, second))->fill) {
        return place_in_log(e, unit, second, offset, to);
    }
    if (second != INDEX_NONE) {
        turn(e, second, lblock);
        return place_random(e, unit, to);
    }
    if (offset == 0) {
        const uint32_t block = open_log(e, BLOCK_SECOND, lblock);
        return block != INDEX_NONE && place_in_log(e, unit, block, 0, to);
    }
    return place_random(e, unit, to);
}

static int kast_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const uint32_t most = how->placed.associativity;
    const struct blockmap_setup setup = {
        .seconds = how->log_blocks,
        .shared = how->log_blocks,
        .logs = how->log_blocks,
        .notes = 1 + most,
        .turns = 1,
        .any = 1,
    };
    if (setup.logs == 0 || most == 0 || most > e->geo->pages) {
        hal_log(e->hal, HAL_LOG_ERROR, "log blocks; logical blocks of one, up to as many as pages",
                setup.logs, most);
        return -1;
    }
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_kast = {
    .init = kast_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = kast_place,
};
