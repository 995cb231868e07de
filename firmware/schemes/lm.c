/* SPDX-License-Identifier: Apache-2.0
 *
 * lm (Estakhri and Iman, US 5,930,815; W.-J. Park et al., 2.3): block mapping with a moving block.
 * A unit that is written again goes to its own page of the moving block of its logical block. When
 * that is taken, or another logical block needs the moving block, what has not moved is copied, and
 * the moving block is the logical block's home.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/space/state.h"
#include "models/regs/parts/map.h"

/* The moving block that was written least recently becomes the home of its logical block. */
static void close_oldest(struct env* e)
{
    const uint32_t lblock = oldest_second(e);
    if (lblock != INDEX_NONE) {
        (void)fold_complete(e, lblock);
    }
}

static bool lm_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const enum home_place at_home = place_at_home(e, unit, to);
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    FW_ASSERT(e, e->told.map->placed.moving_blocks != 0);
    const enum second_place placed =
        place_at_offset(e, unit, e->told.map->placed.moving_blocks, to);
    if (placed == SECOND_FULL) {
        close_oldest(e);
    }
    return placed == SECOND_PLACED;
}

/* A moving block that is full has moved. */
static void lm_tend(struct env* e)
{
    const uint32_t pages = e->geo->pages;
    if (e->told.map->placed.eager_close == 0) {
        return;
    }
    for (uint32_t slot = logs_oldest(e, BLOCK_SECOND); slot != INDEX_NONE;
         slot = log_newer(e, slot)) {
        const struct block_slot* s = slot_at(e, slot);
        if (s->fill == pages && page_free(e, s->block, 0, pages) == INDEX_NONE) {
            (void)fold_complete(e, s->lblock);
        }
    }
}

static int lm_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const struct blockmap_setup setup = {.seconds = how->placed.moving_blocks, .any = 1};
    if (setup.seconds == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "moving blocks: one at least", setup.seconds, 1);
        return -1;
    }
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_lm = {
    .init = lm_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = lm_place,
    .tend = lm_tend,
};
