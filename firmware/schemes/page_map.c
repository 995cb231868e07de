/* SPDX-License-Identifier: Apache-2.0
 *
 * Page map: one entry per logical unit, all of them in DRAM. The table is the pages of the maps'
 * first level, one after the other; after a power-up they come in when they are needed.
 */
#include "firmware/map/ftl.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/maps_units.h"

static int map_init(struct env* e)
{
    return maps_init(e, 0, 0);
}

static bool map_pin(struct env* e, uint64_t unit)
{
    return maps_has(e, unit) || maps_load(e, 1, maps_page(e, unit), false);
}

static enum ftl_asked map_ask(struct env* e, uint64_t unit)
{
    if (map_pin(e, unit)) {
        return FTL_HERE;
    }
    return maps_loading(e, 1, maps_page(e, unit)) ? FTL_COMING : FTL_LATER;
}

static void map_unpin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, maps_has(e, unit)); /* nothing pages out */
}

static uint64_t map_lookup(struct env* e, uint64_t unit)
{
    return map_pin(e, unit) ? maps_entry(e, 1, unit) : FTL_UNKNOWN;
}

static uint64_t map_owner(struct env* e, uint64_t address)
{
    uint64_t unit = FTL_UNKNOWN;
    for (uint64_t u = 0; u < e->geo->user_units; ++u) {
        if (maps_has(e, u) && (maps_entry(e, 1, u) & ~FTL_LOST) == address) {
            unit = u;
            break;
        }
    }
    FW_ASSERT(e, unit != FTL_UNKNOWN || !maps_all_counted(e));
    return unit;
}

const struct ftl_ops ftl_page_map = {
    .layout = &ftl_pages,
    .counts = 1,
    .init = map_init,
    .lookup = map_lookup,
    .pin = map_pin,
    .unpin = map_unpin,
    .ask = map_ask,
    .commit = maps_commit,
    .lose = maps_lose,
    .owner = map_owner,
    .move = maps_move,
    .trim = maps_trim,
    .holes = maps_holes,
    .trim_run = maps_trim_run,
    .prefetch = maps_prefetch,
};
