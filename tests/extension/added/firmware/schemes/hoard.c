/* SPDX-License-Identifier: Apache-2.0
 *
 * A page map that never collects: what the host overwrites stays where it is, until there is no
 * room left.
 */
#include "firmware/map/ftl.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/maps_units.h"

static int hoard_init(struct env* e)
{
    return maps_init(e, 0, 0);
}

static bool hoard_pin(struct env* e, uint64_t unit)
{
    return maps_has(e, unit) || maps_load(e, 1, maps_page(e, unit), false);
}

static void hoard_unpin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, maps_has(e, unit));
}

static uint64_t hoard_lookup(struct env* e, uint64_t unit)
{
    return hoard_pin(e, unit) ? maps_entry(e, 1, unit) : FTL_UNKNOWN;
}

static uint64_t hoard_owner(struct env* e, uint64_t address)
{
    for (uint64_t unit = 0; unit < e->geo->user_units; ++unit) {
        if (maps_has(e, unit) && (maps_entry(e, 1, unit) & ~FTL_LOST) == address) {
            return unit;
        }
    }
    return FTL_UNKNOWN;
}

static void hoard_prefetch(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
}

const struct ftl_ops ftl_hoard = {
    .layout = &ftl_pages,
    .hoards = 1,
    .init = hoard_init,
    .lookup = hoard_lookup,
    .pin = hoard_pin,
    .unpin = hoard_unpin,
    .commit = maps_commit,
    .lose = maps_lose,
    .owner = hoard_owner,
    .move = maps_move,
    .trim = maps_trim,
    .holes = maps_holes,
    .trim_run = maps_trim_run,
    .prefetch = hoard_prefetch,
};
