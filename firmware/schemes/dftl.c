/* SPDX-License-Identifier: Apache-2.0
 *
 * dftl: demand-based page map (Gupta, Kim, Urgaonkar, ASPLOS 2009). The map lies on the flash; a
 * cached mapping table holds single entries of it. Level 1 of the maps are the translation pages,
 * which pass through a few frames; level 2 and above, the directory, stay in memory.
 *
 * An entry that is not cached costs a read of its page. One that leaves and is dirty costs its page
 * read, changed and written first; with `batch` everything that is dirty of the page goes along.
 */
#include "firmware/durable/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/maps_units.h"
#include "firmware/schemes/dftl_room.h"
#include "firmware/space/pool.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/map.h"

enum {
    FRAMES_LEAST = 8,
    FRAMES_MOST = 32,
    FRAMES_SHARE = 8, /* at most that part of the table's size, if they are more than the least */
};

static int dftl_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    struct dftl* d = dftl_own(e);
    const uint64_t share = how->cache / FRAMES_SHARE >> e->geo->unit_shift;
    const uint64_t frames = share < FRAMES_LEAST ? FRAMES_LEAST : share;
    /* A write unit waits until all of its units are pinned. */
    if (how->cache / BOOT_MAP_CACHE_ENTRY < e->geo->group ||
        how->cache / BOOT_MAP_CACHE_ENTRY >= INDEX_NONE / 2) {
        hal_log(e->hal, HAL_LOG_ERROR, "entries of the map cache, needed at least",
                how->cache / BOOT_MAP_CACHE_ENTRY, e->geo->group);
        return -1;
    }
    if (maps_init(e, (uint32_t)(frames > FRAMES_MOST ? FRAMES_MOST : frames), how->cache) != 0) {
        return -1;
    }
    maps_search_init(e);
    d->cache_bytes = how->cache;
    dftl_room_init(e);
    ftl_set_pins(e, d->cmt.entries);
    return 0;
}

/* ---- Entries ---- */

/* The entry of a unit that is not in the table comes in; until it is here it is LOADING. INDEX_NONE
 * = not now. */
static uint32_t fetch(struct env* e, uint64_t unit)
{
    if (dftl_full(e)) {
        return INDEX_NONE;
    }
    const uint64_t page = maps_page(e, unit);
    const bool near = maps_near(e, 1, page);
    const bool absent = !near && maps_absent(e, 1, page);
    bool there = false;
    if (!absent && maps_all_counted(e) && !near && !maps_may_ask(e)) {
        return INDEX_NONE; /* its page can be asked for when another has come */
    }
    const uint32_t i = dftl_room(e, unit);
    if (i == INDEX_NONE) {
        return i;
    }
    if (!absent) {
        there = maps_load(e, 1, page, false);
        if (!there && !maps_loading(e, 1, page)) {
            return INDEX_NONE;
        }
    }
    dftl_replace(e, i, unit, !there && !absent);
    ++e->telemetry->map_misses;
    if (there) {
        dftl_entry(e, i)->address = maps_entry(e, 1, unit);
        maps_leave(e, 1, page);
    } else if (!absent) {
        return i;
    }
    dftl_entry(e, i)->flags |= CMT_FRESH;
    cmt_enlist(e, &dftl_own(e)->cmt, i);
    return i;
}

/* The entry of a unit, used, and pinned once more. INDEX_NONE = not there yet. */
static uint32_t get(struct env* e, uint64_t unit, bool pin)
{
    struct cmt* c = &dftl_own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE) {
        i = fetch(e, unit);
    } else if ((dftl_entry(e, i)->flags & (CMT_LOADING | CMT_FRESH)) == 0) {
        ++e->telemetry->map_hits;
    }
    if (i == INDEX_NONE || (dftl_entry(e, i)->flags & CMT_LOADING) != 0) {
        return INDEX_NONE;
    }
    cmt_touch(e, c, i, pin);
    return i;
}

/* ---- Pages ---- */

/* true = the table knows better than the page. */
static bool dftl_newer(struct env* e, uint64_t unit)
{
    return cmt_find(e, &dftl_own(e)->cmt, unit) != INDEX_NONE;
}

static void dftl_arrived(struct env* e, uint64_t page)
{
    struct cmt* c = &dftl_own(e)->cmt;
    for (uint32_t i = cmt_first(e, c, page);
         i != INDEX_NONE && (dftl_entry(e, i)->flags & CMT_LOADING) != 0;
         i = cmt_next(e, c, i, page)) {
        struct cmt_entry* n = dftl_entry(e, i);
        n->address = maps_entry(e, 1, n->unit);
        n->flags = CMT_FRESH;
        cmt_enlist(e, c, i);
    }
    maps_searched(e, 1, page);
}

/* What collection has moved goes with whoever is written first, batch or not, and then makes room
 * for what the host uses. */
static bool dftl_merge(struct env* e, uint64_t page)
{
    struct cmt* c = &dftl_own(e)->cmt;
    void* entries = maps_entries_at(e, page);
    uint32_t victims = 0;
    bool left = false;
    if (e->told.map->batch == 0 && !checkpoint_puts(e)) {
        for (uint32_t i = cmt_first(e, c, page); i != INDEX_NONE; i = cmt_next(e, c, i, page)) {
            victims |= dftl_entry(e, i)->flags & CMT_VICTIM;
        }
    }
    for (uint32_t i = cmt_first(e, c, page); i != INDEX_NONE; i = cmt_next(e, c, i, page)) {
        struct cmt_entry* n = dftl_entry(e, i);
        if ((n->flags & CMT_DIRTY) != 0 &&
            (victims == 0 || (n->flags & (CMT_VICTIM | CMT_MOVED)) != 0)) {
            maps_set_there(e, entries, n->unit, n->address);
            cmt_clean(e, c, i);
        }
        left |= (n->flags & CMT_DIRTY) != 0;
    }
    return left;
}

/* ---- Operations ---- */

/* One entry less may be bound than there are. */
static inline bool binds_freely(const struct cmt* c)
{
    return c->bound + 1 < c->entries;
}

/* The last of them: true = the entry of a unit is bound (cmt.h), or may be; else the oldest that is
 * dirty is on its way out. Asked before the entry is fetched: it must not come in in vain. */
static bool may_bind(struct env* e, uint64_t unit)
{
    struct cmt* c = &dftl_own(e)->cmt;
    if (!maps_spare_one(e, c->entries)) {
        return true;
    }
    uint32_t i = cmt_find(e, c, unit);
    if (i != INDEX_NONE &&
        (dftl_entry(e, i)->pins != 0 || (dftl_entry(e, i)->flags & CMT_DIRTY) != 0)) {
        return true;
    }
    i = cmt_oldest(e, c);
    for (; i != INDEX_NONE; i = cmt_younger(e, c, i)) {
        if ((dftl_entry(e, i)->flags & CMT_DIRTY) != 0 && dftl_clean(e, i)) {
            return true;
        }
        if (dftl_going(e, i)) {
            return false;
        }
    }
    return false;
}

static bool dftl_pin(struct env* e, uint64_t unit)
{
    const bool may = binds_freely(&dftl_own(e)->cmt) || may_bind(e, unit);
    return may && get(e, unit, true) != INDEX_NONE;
}

/* Its entry comes in; it is not used yet. */
static enum ftl_asked dftl_ask(struct env* e, uint64_t unit)
{
    struct cmt* c = &dftl_own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE && (binds_freely(c) || may_bind(e, unit))) {
        i = fetch(e, unit);
    }
    if (i == INDEX_NONE) {
        return FTL_LATER;
    }
    return (dftl_entry(e, i)->flags & CMT_LOADING) != 0 ? FTL_COMING : FTL_HERE;
}

/* Where the unit lies its spare words have told: an entry that is not here comes in without its
 * page, and is written with those that share one when it leaves (the paper's lazy update). */
static bool dftl_pin_move(struct env* e, uint64_t unit, uint64_t from)
{
    struct cmt* c = &dftl_own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE && !blocks_valid(e, from)) {
        return dftl_pin(e, unit);
    }
    if ((i != INDEX_NONE && (dftl_entry(e, i)->flags & CMT_LOADING) != 0) ||
        !(binds_freely(c) || may_bind(e, unit))) {
        return false;
    }
    if (i == INDEX_NONE) {
        i = dftl_room(e, unit);
        if (i == INDEX_NONE) {
            return false;
        }
        dftl_replace(e, i, unit, false);
        struct cmt_entry* n = dftl_entry(e, i);
        n->address = from;
        n->flags = CMT_MOVED;
        n->pins = 1;
        ++c->bound;
        return true;
    }
    cmt_hold(e, c, i);
    return true;
}

/* The entry of a unit that somebody has pinned. */
static struct cmt_entry* pinned(struct env* e, uint64_t unit)
{
    const uint32_t i = cmt_again(e, &dftl_own(e)->cmt, unit);
    FW_ASSERT(e, i != INDEX_NONE && dftl_entry(e, i)->pins != 0);
    return dftl_entry(e, i);
}

static void dftl_unpin(struct env* e, uint64_t unit)
{
    const uint32_t i = cmt_again(e, &dftl_own(e)->cmt, unit);
    struct cmt_entry* n = dftl_entry(e, i);
    FW_ASSERT(e, i != INDEX_NONE && n->pins != 0);
    if (--n->pins == 0) {
        dftl_own(e)->cmt.bound -= (n->flags & CMT_DIRTY) == 0 ? 1u : 0u;
        cmt_enlist(e, &dftl_own(e)->cmt, i);
    }
}

static uint64_t dftl_lookup(struct env* e, uint64_t unit)
{
    uint32_t i = cmt_find(e, &dftl_own(e)->cmt, unit);
    if (i == INDEX_NONE || dftl_entry(e, i)->pins == 0) {
        i = get(e, unit, false);
    }
    return i != INDEX_NONE ? dftl_entry(e, i)->address : FTL_UNKNOWN;
}

static void change(struct env* e, struct cmt_entry* n, uint64_t address)
{
    n->address = address;
    n->flags |= CMT_DIRTY;
    maps_mark(e, maps_page(e, n->unit));
}

static void dftl_commit(struct env* e, uint64_t unit, uint64_t address)
{
    struct cmt_entry* n = pinned(e, unit);
    const uint64_t old = n->address;
    FW_ASSERT(e, (old & ~FTL_LOST) != address);
    change(e, n, address);
    if (maps_placed(old)) {
        blocks_replace(e, old & ~FTL_LOST, address);
    } else {
        log_valid(e, LOG_D, address);
    }
    e->telemetry->lost_units -= ftl_lost(old) ? 1u : 0u;
}

static void dftl_lose(struct env* e, uint64_t unit)
{
    struct cmt_entry* n = pinned(e, unit);
    FW_ASSERT(e, n->address != FTL_NONE);
    if (!ftl_lost(n->address)) {
        change(e, n, n->address | FTL_LOST);
        ++e->telemetry->lost_units;
        ++e->telemetry->units_lost;
    }
}

static bool dftl_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    struct cmt_entry* n = pinned(e, unit);
    if (!maps_placed(n->address) || (n->address & ~FTL_LOST) != from) {
        maps_disown(e, from);
        return false;
    }
    change(e, n, to | (n->address & FTL_LOST));
    blocks_replace(e, from, to);
    return true;
}

static bool dftl_trim(struct env* e, uint64_t unit)
{
    struct cmt_entry* n = pinned(e, unit);
    if (n->address == FTL_NONE) {
        return false;
    }
    maps_depart(e, n->address);
    change(e, n, FTL_NONE);
    return true;
}

static uint64_t dftl_owner(struct env* e, uint64_t address)
{
    struct cmt* c = &dftl_own(e)->cmt;
    FW_ASSERT(e, address < FTL_LOST);
    for (uint32_t i = 0; i < c->used; ++i) {
        const struct cmt_entry* n = dftl_entry(e, i);
        if ((n->flags & CMT_LOADING) == 0 && maps_placed(n->address) &&
            (n->address & ~FTL_LOST) == address) {
            return n->unit;
        }
    }
    return maps_search(e, address);
}

static void dftl_prefetch(struct env* e, uint64_t unit)
{
    const uint32_t i = cmt_find(e, &dftl_own(e)->cmt, unit);
    if (i != INDEX_NONE) {
        __builtin_prefetch(dftl_entry(e, i), 1);
    }
}

/* ---- Power-up ---- */

/* What the window tells of a unit is newer than its page, which need not come in for it. */
static bool dftl_keep(struct env* e, uint64_t unit, uint64_t entry)
{
    struct cmt* c = &dftl_own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE && c->used + 1 >= c->entries) {
        return false;
    }
    if (i == INDEX_NONE) {
        i = c->used;
        ++c->bound;
        cmt_insert(e, c, i, unit, false);
        cmt_enlist(e, c, i);
    }
    dftl_entry(e, i)->address = entry;
    dftl_entry(e, i)->flags |= CMT_DIRTY;
    return true;
}

/* Its memory is as zero as it came up: frames may have it. */
static void dftl_forget(struct env* e)
{
    maps_zero_extra(e);
    dftl_room_init(e);
}

static void dftl_count(struct env* e)
{
    const uint64_t* map = blocks_valid_map(e);
    for (uint32_t i = 0; i < dftl_own(e)->cmt.used; ++i) {
        struct cmt_entry* n = dftl_entry(e, i);
        const uint64_t place = n->address & ~FTL_LOST;
        FW_ASSERT(e, (n->flags & CMT_DIRTY) != 0);
        maps_mark(e, maps_page(e, n->unit));
        if (maps_placed(n->address) && (bitmap_get(map, place) || !blocks_holds(e, place))) {
            maps_damage(e); /* as for an entry of a page (maps.c) */
            n->address = FTL_LOST | MAPS_NOWHERE;
        } else if (maps_placed(n->address)) {
            log_valid(e, LOG_D, place);
            blocks_units_seen(e, place, 1);
        }
        e->telemetry->lost_units += ftl_lost(n->address) ? 1u : 0u;
    }
}

/* Of pages that have not been counted only replay brought entries here. */
static bool dftl_counted(struct env* e, uint64_t page, uint64_t* newer)
{
    struct cmt* c = &dftl_own(e)->cmt;
    const uint32_t entries = maps_page_entries(e);
    uint32_t i = cmt_first(e, c, page);
    if (i == INDEX_NONE) {
        return false;
    }
    mem_zero(newer, (entries + 63) / 64 * sizeof *newer);
    for (; i != INDEX_NONE; i = cmt_next(e, c, i, page)) {
        const struct cmt_entry* n = dftl_entry(e, i);
        env_touch(e, n, sizeof *n, false);
        if ((n->flags & CMT_LOADING) == 0) {
            bitmap_set(newer, n->unit & (entries - 1));
        }
    }
    return true;
}

/* Entries in the table are newer than their page. */
static uint64_t dftl_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const uint64_t page = maps_page(e, unit);
    const uint64_t next = maps_first(e, page + 1);
    return cmt_first(e, &dftl_own(e)->cmt, page) == INDEX_NONE && maps_never_written(e, page)
               ? (next < end ? next : end) - unit
               : 0;
}

const struct ftl_ops ftl_dftl = {
    .layout = &ftl_pages,
    .init = dftl_init,
    .lookup = dftl_lookup,
    .pin = dftl_pin,
    .pin_move = dftl_pin_move,
    .unpin = dftl_unpin,
    .ask = dftl_ask,
    .commit = dftl_commit,
    .lose = dftl_lose,
    .owner = dftl_owner,
    .move = dftl_move,
    .trim = dftl_trim,
    .holes = dftl_holes,
    .prefetch = dftl_prefetch,
    .arrived = dftl_arrived,
    .merge = dftl_merge,
    .newer = dftl_newer,
    .keep = dftl_keep,
    .forget = dftl_forget,
    .count = dftl_count,
    .counted = dftl_counted,
};
