/* SPDX-License-Identifier: Apache-2.0
 *
 * Page map: one entry per logical unit, all in DRAM. An entry holds the address plus one, so that
 * memory as it comes up means "unmapped" and a fresh drive touches none of the table. The highest
 * bit marks a lost unit. Entries have 4 bytes while every address plus one fits 31 bits, else 8.
 */
#include "firmware/flash/blocks.h"
#include "firmware/ftl/ftl.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/stats.h"

#define NARROW_LOST 0x80000000u
#define NARROW_ADDRESSES 0x7FFFFFFFu
#define ENTRY_LOST (UINT64_C(1) << 63)

static int map_init(struct env* e)
{
    const struct geometry* g = e->geo;
    const uint64_t addresses = ((uint64_t)g->blocks * g->pages) << g->row_shift;
    FW_ASSERT(e, g->user_units != 0);
    FW_ASSERT(e, addresses < FTL_LOST);
    e->ftl->wide = addresses > NARROW_ADDRESSES;
    e->ftl->map = dram_take_pages(e, g->user_units * (e->ftl->wide ? 8u : 4u));
    return e->ftl->map == ARENA_FULL ? -1 : 0;
}

/* An entry, whatever its size, with its mark at ENTRY_LOST. */
static uint64_t get(struct env* e, uint64_t unit)
{
    const uint8_t* map = env_dram(e, e->ftl->map);
    FW_ASSERT(e, unit < e->geo->user_units);
    if (e->ftl->wide) {
        return ((const uint64_t*)(const void*)map)[unit];
    }
    const uint64_t entry = ((const uint32_t*)(const void*)map)[unit];
    return (entry & NARROW_ADDRESSES) | (entry & NARROW_LOST) << 32;
}

static void put(struct env* e, uint64_t unit, uint64_t entry)
{
    uint8_t* map = env_dram(e, e->ftl->map);
    FW_ASSERT(e, unit < e->geo->user_units);
    if (e->ftl->wide) {
        ((uint64_t*)(void*)map)[unit] = entry;
        return;
    }
    FW_ASSERT(e, (entry & ~ENTRY_LOST) <= NARROW_ADDRESSES);
    ((uint32_t*)(void*)map)[unit] = (uint32_t)(entry | entry >> 32);
}

/* The entry without its mark. */
static uint64_t place_of(uint64_t entry)
{
    return entry & ~ENTRY_LOST;
}

static uint64_t map_lookup(struct env* e, uint64_t unit)
{
    const uint64_t entry = get(e, unit);
    return (entry & ENTRY_LOST) == 0 ? entry - 1 /* 0 becomes FTL_NONE */
                                     : (place_of(entry) - 1) | FTL_LOST;
}

/* All of the map is in memory. */
static int map_pin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return 1;
}

static void map_unpin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
}

/* The entry is about to be replaced. */
static void leave(struct env* e, uint64_t entry)
{
    FW_ASSERT(e, place_of(entry) != 0);
    blocks_invalidate(e, place_of(entry) - 1);
    e->stats->lost_units -= (entry & ENTRY_LOST) != 0 ? 1u : 0u;
}

static void map_commit(struct env* e, uint64_t unit, uint64_t address)
{
    const uint64_t entry = get(e, unit);
    FW_ASSERT(e, address < FTL_LOST);
    if (entry != 0) {
        FW_ASSERT(e, place_of(entry) - 1 != address);
        leave(e, entry);
    } else {
        ++e->stats->mapped;
    }
    put(e, unit, address + 1);
    blocks_validate(e, address);
}

static void map_lose(struct env* e, uint64_t unit)
{
    const uint64_t entry = get(e, unit);
    FW_ASSERT(e, entry != 0);
    if ((entry & ENTRY_LOST) == 0) {
        put(e, unit, entry | ENTRY_LOST);
        ++e->stats->lost_units;
        ++e->stats->units_lost;
    }
}

static uint64_t map_owner(struct env* e, uint64_t address)
{
    for (uint64_t unit = 0; unit < e->geo->user_units; ++unit) {
        if (place_of(get(e, unit)) == address + 1) {
            return unit;
        }
    }
    FW_ASSERT(e, 0 && "a valid address belongs to a unit");
    return FTL_NONE;
}

static int map_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    const uint64_t entry = get(e, unit);
    FW_ASSERT(e, from < FTL_LOST && to < FTL_LOST);
    FW_ASSERT(e, from != to);
    if (place_of(entry) != from + 1) {
        return 0;
    }
    blocks_invalidate(e, from);
    put(e, unit, (to + 1) | (entry & ENTRY_LOST));
    blocks_validate(e, to);
    return 1;
}

static int map_trim(struct env* e, uint64_t unit)
{
    const uint64_t entry = get(e, unit);
    if (entry == 0) {
        return 0;
    }
    FW_ASSERT(e, e->stats->mapped > 0);
    leave(e, entry);
    put(e, unit, 0);
    --e->stats->mapped;
    return 1;
}

static void map_prefetch(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    __builtin_prefetch((const uint8_t*)env_dram(e, e->ftl->map) + (unit << (e->ftl->wide ? 3 : 2)),
                       1);
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
