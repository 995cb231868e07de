/* SPDX-License-Identifier: Apache-2.0
 *
 * bast (J. Kim et al., IEEE TCE 48(2), 2002; W.-J. Park et al., 2.4): hybrid mapping with log
 * blocks of one data block each. A unit that is written again is appended to the log block of its
 * logical block. One that is full is merged, and so is the one that was written least recently when
 * another logical block needs a log block.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/space/state.h"
#include "models/regs/parts/map.h"

static void merge(struct env* e, uint32_t lblock)
{
    if (!fold_busy(e, lblock) && merge_second(e, lblock, e->told.map->placed.partial_merge)) {
        blockmap_inform(e);
    }
}

static void merge_oldest(struct env* e)
{
    const uint32_t lblock = oldest_second(e);
    if (lblock != INDEX_NONE) {
        merge(e, lblock);
    }
}

static bool bast_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const enum home_place at_home = place_at_home(e, unit, to);
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    uint32_t log = second_of(e, lblock);
    if (log == INDEX_NONE && logs_count(e, BLOCK_SECOND) >= e->told.map->log_blocks) {
        merge_oldest(e);
        return false;
    }
    if (log == INDEX_NONE) {
        log = block_open(e, BLOCK_SECOND, lblock);
        if (log == INDEX_NONE) {
            return false;
        }
        blockmap_inform(e);
    }
    const uint32_t slot = slot_of(e, log);
    if (slot_open(e, slot)) {
        return place_next(e, unit, slot, to);
    }
    merge(e, lblock);
    return false;
}

static int bast_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const struct blockmap_setup setup = {
        .seconds = how->log_blocks,
        .any = 1,
        .informs = how->placed.log_info,
    };
    if (setup.seconds == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "log blocks: one at least", setup.seconds, 1);
        return -1;
    }
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_bast = {
    .init = bast_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = bast_place,
};
