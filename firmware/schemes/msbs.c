/* SPDX-License-Identifier: Apache-2.0
 *
 * msbs (Shinohara, US 5,905,993; W.-J. Park et al., 2.1): block mapping with spare pages in each
 * block. A block has a page for each unit of its logical block, and behind them pages for any of
 * these units that are written again. When none is left, all that counts goes to a fresh block.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_pages.h"
#include "models/regs/parts/map.h"

static bool msbs_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const enum home_place at_home = place_at_home(e, unit, to);
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    const uint32_t home = home_of(e, lblock);
    const uint32_t spare = spare_free(e, home);
    if (spare != INDEX_NONE) {
        return place_in_log(e, unit, home, spare, to);
    }
    (void)fold_begin(e, lblock, unit);
    return false;
}

static int msbs_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const uint32_t wanted = how->placed.spare_pages;
    const struct blockmap_setup setup = {
        .spare = wanted != 0 ? wanted : e->geo->pages / 2,
        .any = 1,
        .searched = SEARCHED_SPARES,
    };
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_msbs = {
    .init = msbs_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = msbs_place,
    .scan = blockmap_scan,
};
