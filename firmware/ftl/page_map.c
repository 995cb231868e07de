/* SPDX-License-Identifier: Apache-2.0
 *
 * Page map: one 32-bit entry per logical unit, all in DRAM. An entry holds the address plus one,
 * so that memory as it comes up means "unmapped" and a fresh drive touches none of the table.
 */
#include "firmware/flash/blocks.h"
#include "firmware/ftl/ftl.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/stats.h"

static uint32_t* entry_of(struct env* e, uint32_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return (uint32_t*)env_dram(e, e->ftl->map) + unit;
}

static int map_init(struct env* e)
{
    const struct geometry* g = e->geo;
    const uint64_t addresses = ((uint64_t)g->blocks * g->pages) << g->row_shift;
    FW_ASSERT(e, g->user_units != 0);
    if (addresses >= FTL_ADDRESSES) {
        hal_log(e->hal, HAL_LOG_ERROR, "the part does not fit 31-bit map entries", addresses, 0);
        return -1;
    }
    e->ftl->map = dram_take_pages(e, (uint64_t)g->user_units * sizeof(uint32_t));
    FW_ASSERT(e, (e->ftl->map & 63u) == 0);
    return e->ftl->map == ARENA_FULL ? -1 : 0;
}

/* The entry without its mark. */
static uint32_t place_of(uint32_t entry)
{
    return entry & ~FTL_LOST;
}

static uint32_t map_lookup(struct env* e, uint32_t unit)
{
    const uint32_t entry = *entry_of(e, unit);
    return (entry & FTL_LOST) == 0 ? entry - 1 /* 0 becomes FTL_NONE */
                                   : (place_of(entry) - 1) | FTL_LOST;
}

/* The entry is about to be replaced. */
static void leave(struct env* e, uint32_t entry)
{
    FW_ASSERT(e, place_of(entry) != 0);
    blocks_invalidate(e, place_of(entry) - 1);
    e->stats->lost_units -= (entry & FTL_LOST) != 0 ? 1u : 0u;
}

static void map_commit(struct env* e, uint32_t unit, uint32_t address)
{
    uint32_t* entry = entry_of(e, unit);
    FW_ASSERT(e, address < FTL_ADDRESSES);
    if (*entry != 0) {
        FW_ASSERT(e, place_of(*entry) - 1 != address);
        leave(e, *entry);
    } else {
        ++e->stats->mapped;
    }
    *entry = address + 1;
    blocks_validate(e, address);
}

static void map_lose(struct env* e, uint32_t unit)
{
    uint32_t* entry = entry_of(e, unit);
    FW_ASSERT(e, *entry != 0);
    if ((*entry & FTL_LOST) == 0) {
        *entry |= FTL_LOST;
        ++e->stats->lost_units;
        ++e->stats->units_lost;
    }
}

static uint32_t map_owner(struct env* e, uint32_t address)
{
    for (uint32_t unit = 0; unit < e->geo->user_units; ++unit) {
        if (place_of(*entry_of(e, unit)) == address + 1) {
            return unit;
        }
    }
    FW_ASSERT(e, 0 && "a valid address belongs to a unit");
    return FTL_NONE;
}

static int map_move(struct env* e, uint32_t unit, uint32_t from, uint32_t to)
{
    uint32_t* entry = entry_of(e, unit);
    FW_ASSERT(e, from < FTL_ADDRESSES && to < FTL_ADDRESSES);
    FW_ASSERT(e, from != to);
    if (place_of(*entry) != from + 1) {
        return 0;
    }
    blocks_invalidate(e, from);
    *entry = (to + 1) | (*entry & FTL_LOST);
    blocks_validate(e, to);
    return 1;
}

static int map_trim(struct env* e, uint32_t unit)
{
    uint32_t* entry = entry_of(e, unit);
    if (*entry == 0) {
        return 0;
    }
    FW_ASSERT(e, e->stats->mapped > 0);
    leave(e, *entry);
    *entry = 0;
    --e->stats->mapped;
    return 1;
}

static void map_prefetch(struct env* e, uint32_t unit)
{
    __builtin_prefetch(entry_of(e, unit), 1);
}

const struct ftl_ops ftl_page_map = {
    .name = "page_map",
    .init = map_init,
    .lookup = map_lookup,
    .commit = map_commit,
    .lose = map_lose,
    .owner = map_owner,
    .move = map_move,
    .trim = map_trim,
    .prefetch = map_prefetch,
};
