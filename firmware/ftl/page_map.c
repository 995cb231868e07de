/* SPDX-License-Identifier: Apache-2.0
 *
 * Page map: one entry per logical unit, all of them in DRAM. The table is the pages of the maps'
 * first level, one after the other; after a power-up they come in when they are needed.
 */
#include "firmware/flash/blocks.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/maps.h"
#include "firmware/lib/stats.h"

static int map_init(struct env* e)
{
    FW_ASSERT(e, e->geo->user_units != 0);
    return maps_init(e, 0, 0);
}

static int resident(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return (*maps_flags(e, e->maps, 1, unit >> e->maps->entry_shift) & MAP_RESIDENT) != 0;
}

static int map_pin(struct env* e, uint64_t unit)
{
    return resident(e, unit) || maps_load(e, 1, unit >> e->maps->entry_shift, 0);
}

static void map_unpin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, resident(e, unit)); /* nothing pages out */
}

static uint64_t map_lookup(struct env* e, uint64_t unit)
{
    return map_pin(e, unit) ? maps_entry(e, 1, unit) : FTL_UNKNOWN;
}

static int has_place(uint64_t entry)
{
    return entry != FTL_NONE && (entry & ~FTL_LOST) != MAPS_NOWHERE;
}

/* The entry is about to be replaced. */
static void leave(struct env* e, uint64_t entry)
{
    if (has_place(entry)) {
        blocks_invalidate(e, entry & ~FTL_LOST);
        --e->stats->mapped;
    }
    e->stats->lost_units -= ftl_lost(entry) ? 1u : 0u;
}

static void map_commit(struct env* e, uint64_t unit, uint64_t address)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, resident(e, unit));
    FW_ASSERT(e, (entry & ~FTL_LOST) != address);
    leave(e, entry);
    maps_set(e, 1, unit, address);
    ++e->stats->mapped;
    blocks_validate(e, address);
}

static void map_lose(struct env* e, uint64_t unit)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, resident(e, unit));
    FW_ASSERT(e, entry != FTL_NONE);
    if (!ftl_lost(entry)) {
        maps_set(e, 1, unit, entry | FTL_LOST);
        ++e->stats->lost_units;
        ++e->stats->units_lost;
    }
}

static uint64_t map_owner(struct env* e, uint64_t address)
{
    uint64_t unit = FTL_UNKNOWN;
    for (uint64_t u = 0; u < e->geo->user_units; ++u) {
        if (resident(e, u) && (maps_entry(e, 1, u) & ~FTL_LOST) == address) {
            unit = u;
            break;
        }
    }
    FW_ASSERT(e, unit != FTL_UNKNOWN || e->maps->uncounted != 0);
    return unit;
}

static int map_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, resident(e, unit));
    FW_ASSERT(e, from != to);
    if (!has_place(entry) || (entry & ~FTL_LOST) != from) {
        return 0;
    }
    blocks_invalidate(e, from);
    maps_set(e, 1, unit, to | (entry & FTL_LOST));
    blocks_validate(e, to);
    return 1;
}

static int map_trim(struct env* e, uint64_t unit)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, resident(e, unit));
    if (entry == FTL_NONE) {
        return 0;
    }
    leave(e, entry);
    maps_set(e, 1, unit, FTL_NONE);
    return 1;
}

static void map_prefetch(struct env* e, uint64_t unit)
{
    const uint32_t shift = e->geo->unit_shift - e->maps->entry_shift;
    __builtin_prefetch(env_dram(e, e->maps->level[1].home + (unit << shift)), 1);
}

const struct ftl_ops ftl_page_map = {
    .name = "page_map",
    .init = map_init,
    .lookup = map_lookup,
    .pin = map_pin,
    .unpin = map_unpin,
    .commit = map_commit,
    .lose = map_lose,
    .owner = map_owner,
    .move = map_move,
    .trim = map_trim,
    .prefetch = map_prefetch,
};
