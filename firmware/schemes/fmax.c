/* SPDX-License-Identifier: Apache-2.0
 *
 * fmax (Ban, US 5,937,425; W.-J. Park et al., 2.2): block mapping with a replacement block for each
 * block, in which a unit that is written again goes to its own page if that is free, else to the
 * first free one. When there is none, all that counts goes to a fresh block.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/space/state.h"
#include "models/regs/parts/map.h"

static bool fmax_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const uint32_t offset = unit_offset(e, unit);
    const uint32_t pages = e->geo->pages;
    const enum home_place at_home = place_at_home(e, unit, to);
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    uint32_t second = second_of(e, lblock);
    if (second == INDEX_NONE) {
        second = block_open(e, BLOCK_SECOND, lblock);
    }
    if (second == INDEX_NONE) {
        return false;
    }
    uint32_t page = page_free(e, second, offset, offset + 1);
    page = page != INDEX_NONE ? page : page_free(e, second, 0, pages);
    if (page != INDEX_NONE) {
        return place_in_log(e, unit, second, page, to);
    }
    if (e->told.map->placed.merge_switch != 0 && pages_in_order(e, second) == pages) {
        (void)fold_complete(e, lblock);
    } else {
        (void)fold_begin(e, lblock, unit);
    }
    return false;
}

static int fmax_init(struct env* e)
{
    const struct blockmap_setup setup = {
        .seconds = (uint32_t)((e->geo->user_units + e->geo->pages - 1) / e->geo->pages),
        .any = 1,
        .searched = SEARCHED_SECOND,
    };
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_fmax = {
    .init = fmax_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = fmax_place,
    .scan = blockmap_scan,
};
