/* SPDX-License-Identifier: Apache-2.0
 *
 * fast (Lee, Park et al., ACM TECS 6(3), 2007; W.-J. Park et al., 2.5): hybrid mapping with one
 * sequential log block and random log blocks of any logical blocks. A unit that is written again
 * and is the first of its logical block, or continues the sequential log block, goes there; any
 * other is appended to the random ones. When these are full the oldest one is emptied: each logical
 * block with a page in it is merged.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/space/state.h"
#include "models/regs/choices/fast_merge.h"
#include "models/regs/choices/fast_other.h"
#include "models/regs/parts/map.h"

struct fast {
    uint64_t renewed; /* unit + 1 that opens a sequential log block, 0 = none does */
};

static struct fast* own(const struct env* e)
{
    return ftl_own(e, sizeof(struct fast));
}

/* Slot of the sequential log block, INDEX_NONE. */
static uint32_t sequential(const struct env* e)
{
    return logs_oldest(e, BLOCK_SECOND);
}

static void merge_sequential(struct env* e)
{
    (void)merge_second(e, slot_at(e, sequential(e))->lblock,
                       e->told.map->placed.partial_merge != FAST_MERGE_FULL);
}

/* A fresh sequential log block begins with the unit. */
static bool begin_sequential(struct env* e, uint64_t unit, struct ftl_place* to)
{
    if (sequential(e) != INDEX_NONE) {
        merge_sequential(e);
        return false;
    }
    const uint32_t block = block_open(e, BLOCK_SECOND, unit_lblock(e, unit));
    if (block == INDEX_NONE) {
        return false;
    }
    own(e)->renewed = 0;
    FW_ASSERT(e, slot_at(e, slot_of(e, block))->fill == 0);
    return place_in_log(e, unit, block, 0, to);
}

static bool append_random(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t last = logs_newest(e, BLOCK_LOG);
    if (last != INDEX_NONE && slot_open(e, last)) {
        return place_next(e, unit, last, to);
    }
    if (logs_count(e, BLOCK_LOG) >= e->told.map->log_blocks) {
        fold_empty(e, logs_oldest(e, BLOCK_LOG));
        return false;
    }
    const uint32_t block = block_open(e, BLOCK_LOG, INDEX_NONE);
    return block != INDEX_NONE && place_in_log(e, unit, block, 0, to);
}

/* The logical block's sequential log block does not end in front of the unit. */
static bool leave_sequence(struct env* e, uint64_t unit, struct ftl_place* to)
{
    switch (e->told.map->placed.non_sequential) {
    case FAST_OTHER_ABSORB:
        (void)fold_begin(e, unit_lblock(e, unit), unit);
        return false;
    case FAST_OTHER_NEW_SEQUENTIAL:
        own(e)->renewed = unit + 1;
        return begin_sequential(e, unit, to);
    default:
        return append_random(e, unit, to);
    }
}

static bool fast_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t slot = sequential(e);
    const uint32_t offset = unit_offset(e, unit);
    const enum home_place at_home = place_at_home(e, unit, to);
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    if (offset == 0 || own(e)->renewed == unit + 1) {
        return begin_sequential(e, unit, to);
    }
    if (slot == INDEX_NONE || slot_at(e, slot)->lblock != unit_lblock(e, unit)) {
        return append_random(e, unit, to);
    }
    const struct block_slot* s = slot_at(e, slot);
    if (offset == s->fill && page_free(e, s->block, offset, offset + 1) != INDEX_NONE) {
        return place_in_log(e, unit, s->block, offset, to);
    }
    return leave_sequence(e, unit, to);
}

static int fast_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const struct blockmap_setup setup = {
        .seconds = 1,
        .shared = how->log_blocks,
        .any = 1,
        .collects = how->placed.partial_merge == FAST_MERGE_COLLECTING ? 1 : 0,
    };
    if (setup.shared == 0 || how->placed.non_sequential > FAST_OTHER_TO_RANDOM) {
        hal_log(e->hal, HAL_LOG_ERROR, "random log blocks, one at least; what is not in sequence",
                setup.shared, how->placed.non_sequential);
        return -1;
    }
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_fast = {
    .init = fast_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = fast_place,
};
