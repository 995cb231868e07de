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
#include "firmware/schemes/cmt.h"
#include "firmware/space/pool.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/map.h"

enum {
    FRAMES_LEAST = 8,
    FRAMES_MOST = 32,
    FRAMES_SHARE = 8, /* at most that part of the table's size, if they are more than the least */
    VICTIMS_AHEAD = 32,
    REFUSED_MOST = 64,
    WAITING = 16
};

struct dftl {
    struct cmt cmt;
    uint64_t cache_bytes;
    uint32_t refused;          /* times that only fresh entries could have made room */
    uint32_t looked;           /* maps_turns, when none of the oldest could be put out (cmt.seen) */
    uint64_t waiting[WAITING]; /* units that wait for a victim to be written, by their last bits */
};

static struct dftl* own(const struct env* e)
{
    return ftl_own(e, sizeof(struct dftl));
}

static void forget_all(struct env* e)
{
    struct dftl* d = own(e);
    for (uint32_t n = 0; n < WAITING; ++n) {
        d->waiting[n] = FTL_NONE;
    }
    d->refused = 0;
    cmt_init(e, &d->cmt, maps_extra(e), d->cache_bytes);
}

static int dftl_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    struct dftl* d = own(e);
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
    forget_all(e);
    ftl_set_pins(e, d->cmt.entries);
    return 0;
}

static struct cmt_entry* entry_of(struct env* e, uint32_t i)
{
    return cmt_of(e, &own(e)->cmt, i);
}

/* ---- Replacement ---- */

/* true = the entry may leave now. A dirty one is on its way out then, or waits for room. */
static bool clean(struct env* e, uint32_t i)
{
    struct cmt_entry* n = entry_of(e, i);
    FW_ASSERT(e, n->pins == 0 && (n->flags & CMT_LOADING) == 0);
    if ((n->flags & CMT_DIRTY) != 0) {
        n->flags |= CMT_VICTIM;
        (void)maps_put_framed(e, 1, maps_page(e, n->unit));
    }
    return (n->flags & CMT_DIRTY) == 0;
}

/* Whoever asked for what is fresh comes back within a round; after that it is not waited for. */
static uint32_t stale_fresh(struct env* e, bool stuck)
{
    uint32_t i = cmt_oldest(e, &own(e)->cmt);
    while (stuck && i != INDEX_NONE && (entry_of(e, i)->flags & CMT_DIRTY) != 0) {
        i = cmt_younger(e, &own(e)->cmt, i);
    }
    if (i == INDEX_NONE) {
        return INDEX_NONE; /* all are pinned or being fetched */
    }
    if (own(e)->refused < REFUSED_MOST) {
        ++own(e)->refused;
        run_due(e, DUE_STEPS); /* turns are what is counted */
        if (flash_in_flight(e) == 0 && !maps_host_moves(e)) {
            ftl_ask_again(e); /* nothing else brings them back */
        }
        return INDEX_NONE;
    }
    return clean(e, i) ? i : INDEX_NONE;
}

/* Where a unit waits for its victim to be written, or another does. */
static uint64_t* waits_at(const struct env* e, uint64_t unit)
{
    return &own(e)->waiting[unit % WAITING];
}

static bool is_going(struct env* e, uint32_t i)
{
    return (entry_of(e, i)->flags & CMT_DIRTY) != 0 &&
           maps_leaves(e, maps_page(e, entry_of(e, i)->unit));
}

/* Nothing has changed since none of the oldest could leave. */
static bool is_full(struct env* e)
{
    const struct dftl* d = own(e);
    return d->cmt.seen != 0 && d->looked == maps_turns(e) && maps_all_counted(e) &&
           d->cmt.used == d->cmt.entries && !maps_stuck(e);
}

/* Room for one more entry, INDEX_NONE = not now. The oldest leaves. While it has to be written
 * others who ask have victims of their own, but everybody only one. All who ask see the same
 * oldest: when none of them can leave, the next one does not look again before something has
 * changed. */
static uint32_t make_room(struct env* e, uint64_t unit)
{
    struct dftl* d = own(e);
    struct cmt* c = &d->cmt;
    if (c->used < c->entries) {
        return c->used;
    }
    if (is_full(e)) {
        return INDEX_NONE;
    }
    const bool stuck = maps_stuck(e); /* what is dirty may stay for ever */
    /* While the map is read in the background its pages come by, and reads are short. */
    const bool puts = !maps_all_counted(e) || maps_may_put(e);
    bool may = *waits_at(e, unit) != unit || !maps_any_leaves(e);
    if (c->seen != 0 && !stuck && (!puts || !may)) {
        return INDEX_NONE;
    }
    if (stuck || c->behind == INDEX_NONE) {
        cmt_forget_going(c);
    }
    const uint32_t turns = maps_turns(e);
    uint32_t left = stuck ? c->entries : VICTIMS_AHEAD - c->going;
    bool any = c->going != 0;
    uint32_t i = any ? c->behind : cmt_oldest(e, c);
    for (; i != INDEX_NONE && left != 0; --left) {
        const uint32_t next = cmt_younger(e, c, i);
        struct cmt_entry* n = entry_of(e, i);
        if ((n->flags & CMT_FRESH) == 0) {
            if ((n->flags & CMT_DIRTY) == 0) {
                return i;
            }
            any = !stuck;
            if (may && (puts || maps_near(e, 1, maps_page(e, n->unit))) && !is_going(e, i)) {
                if (clean(e, i)) {
                    return i;
                }
                if (is_going(e, i)) {
                    *waits_at(e, unit) = unit;
                    may = false;
                }
            }
        }
        n->flags |= CMT_SEEN;
        if (is_going(e, i)) {
            cmt_goes(e, c, i);
        }
        i = next;
    }
    /* All on probation: whoever comes there comes behind them. */
    c->seen = any && i != INDEX_NONE && (entry_of(e, i)->flags & CMT_PROTECTED) == 0;
    d->looked = may && puts ? turns : turns - 1;
    return any ? INDEX_NONE : stale_fresh(e, stuck);
}

static void replace(struct env* e, uint32_t i, uint64_t unit)
{
    struct cmt* c = &own(e)->cmt;
    if (i < c->used) {
        cmt_delist(e, c, i);
        cmt_remove(e, c, i);
        ++e->telemetry->map_evictions;
    }
    cmt_insert(e, c, i, unit);
    own(e)->refused = 0;
    uint64_t* at = waits_at(e, unit);
    *at = *at == unit ? FTL_NONE : *at;
}

/* The entry of a unit that is not in the table comes in; until it is here it is LOADING. INDEX_NONE
 * = not now. */
static uint32_t fetch(struct env* e, uint64_t unit)
{
    if (is_full(e)) {
        return INDEX_NONE;
    }
    const uint64_t page = maps_page(e, unit);
    const bool absent = maps_absent(e, 1, page);
    bool there = false;
    if (!absent && maps_all_counted(e) && !maps_may_ask(e) && !maps_near(e, 1, page)) {
        return INDEX_NONE; /* its page can be asked for when another has come */
    }
    const uint32_t i = make_room(e, unit);
    if (i == INDEX_NONE) {
        return i;
    }
    if (!absent) {
        there = maps_load(e, 1, page, false);
        if (!there && !maps_loading(e, 1, page)) {
            return INDEX_NONE;
        }
    }
    replace(e, i, unit);
    ++e->telemetry->map_misses;
    if (there) {
        entry_of(e, i)->address = maps_entry(e, 1, unit);
        maps_leave(e, 1, page);
    } else if (!absent) {
        entry_of(e, i)->flags |= CMT_LOADING;
        return i;
    }
    entry_of(e, i)->flags |= CMT_FRESH;
    cmt_enlist(e, &own(e)->cmt, i);
    return i;
}

/* The entry of a unit, used, and pinned once more. INDEX_NONE = not there yet. */
static uint32_t get(struct env* e, uint64_t unit, bool pin)
{
    struct cmt* c = &own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE) {
        i = fetch(e, unit);
    } else if ((entry_of(e, i)->flags & (CMT_LOADING | CMT_FRESH)) == 0) {
        ++e->telemetry->map_hits;
    }
    if (i == INDEX_NONE || (entry_of(e, i)->flags & CMT_LOADING) != 0) {
        return INDEX_NONE;
    }
    cmt_touch(e, c, i, pin);
    return i;
}

/* ---- Pages ---- */

/* true = the table knows better than the page. */
static bool dftl_newer(struct env* e, uint64_t unit)
{
    return cmt_find(e, &own(e)->cmt, unit) != INDEX_NONE;
}

static void dftl_arrived(struct env* e, uint64_t page)
{
    struct cmt* c = &own(e)->cmt;
    for (uint32_t i = cmt_first(e, c, page); i != INDEX_NONE; i = cmt_next(e, c, i)) {
        struct cmt_entry* n = entry_of(e, i);
        if ((n->flags & CMT_LOADING) != 0) {
            n->address = maps_entry(e, 1, n->unit);
            n->flags = CMT_FRESH;
            cmt_enlist(e, c, i);
        }
    }
    maps_searched(e, 1, page);
}

/* What collection has moved goes with whoever is written first, batch or not, and then makes room
 * for what the host uses. */
static bool dftl_merge(struct env* e, uint64_t page)
{
    struct cmt* c = &own(e)->cmt;
    uint32_t victims = 0;
    bool left = false;
    cmt_forget_going(c);
    if (e->told.map->batch == 0 && !checkpoint_puts(e)) {
        for (uint32_t i = cmt_first(e, c, page); i != INDEX_NONE; i = cmt_next(e, c, i)) {
            victims |= entry_of(e, i)->flags & CMT_VICTIM;
        }
    }
    for (uint32_t i = cmt_first(e, c, page); i != INDEX_NONE; i = cmt_next(e, c, i)) {
        struct cmt_entry* n = entry_of(e, i);
        if ((n->flags & CMT_DIRTY) != 0 &&
            (victims == 0 || (n->flags & (CMT_VICTIM | CMT_MOVED)) != 0)) {
            maps_set(e, 1, n->unit, n->address);
            n->flags = (uint8_t)(n->flags & ~(CMT_DIRTY | CMT_VICTIM));
            cmt_unsee(e, c, i);
            c->bound -= n->pins == 0 ? 1u : 0u;
            if (n->pins == 0 && (n->flags & CMT_MOVED) != 0) {
                cmt_retire(e, c, i);
            }
        }
        left |= (n->flags & CMT_DIRTY) != 0;
    }
    return left;
}

/* ---- Operations ---- */

/* true = the entry of a unit is bound (cmt.h), or may be; else the oldest that is dirty is on its
 * way out. Asked before the entry is fetched: it must not come in in vain. */
static bool may_bind(struct env* e, uint64_t unit)
{
    struct cmt* c = &own(e)->cmt;
    if (c->bound + 1 < c->entries || !maps_spare_one(e, c->entries)) {
        return true;
    }
    uint32_t i = cmt_find(e, c, unit);
    if (i != INDEX_NONE &&
        (entry_of(e, i)->pins != 0 || (entry_of(e, i)->flags & CMT_DIRTY) != 0)) {
        return true;
    }
    i = cmt_oldest(e, c);
    for (; i != INDEX_NONE; i = cmt_younger(e, c, i)) {
        if ((entry_of(e, i)->flags & CMT_DIRTY) != 0 && clean(e, i)) {
            return true;
        }
        if (is_going(e, i)) {
            return false;
        }
    }
    return false;
}

static bool dftl_pin(struct env* e, uint64_t unit)
{
    return may_bind(e, unit) && get(e, unit, true) != INDEX_NONE;
}

/* Its entry comes in; it is not used yet. */
static enum ftl_asked dftl_ask(struct env* e, uint64_t unit)
{
    struct cmt* c = &own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE && may_bind(e, unit)) {
        i = fetch(e, unit);
    }
    if (i == INDEX_NONE) {
        return FTL_LATER;
    }
    return (entry_of(e, i)->flags & CMT_LOADING) != 0 ? FTL_COMING : FTL_HERE;
}

/* Where the unit lies its spare words have told: an entry that is not here comes in without its
 * page, and is written with those that share one when it leaves (the paper's lazy update). */
static bool dftl_pin_move(struct env* e, uint64_t unit, uint64_t from)
{
    struct cmt* c = &own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE && !blocks_valid(e, from)) {
        return dftl_pin(e, unit);
    }
    if ((i != INDEX_NONE && (entry_of(e, i)->flags & CMT_LOADING) != 0) || !may_bind(e, unit)) {
        return false;
    }
    if (i == INDEX_NONE) {
        i = make_room(e, unit);
        if (i == INDEX_NONE) {
            return false;
        }
        replace(e, i, unit);
        struct cmt_entry* n = entry_of(e, i);
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
    const uint32_t i = cmt_again(e, &own(e)->cmt, unit);
    FW_ASSERT(e, i != INDEX_NONE && entry_of(e, i)->pins != 0);
    return entry_of(e, i);
}

static void dftl_unpin(struct env* e, uint64_t unit)
{
    const uint32_t i = cmt_again(e, &own(e)->cmt, unit);
    struct cmt_entry* n = entry_of(e, i);
    FW_ASSERT(e, i != INDEX_NONE && n->pins != 0);
    if (--n->pins == 0) {
        own(e)->cmt.bound -= (n->flags & CMT_DIRTY) == 0 ? 1u : 0u;
        cmt_enlist(e, &own(e)->cmt, i);
    }
}

static uint64_t dftl_lookup(struct env* e, uint64_t unit)
{
    uint32_t i = cmt_find(e, &own(e)->cmt, unit);
    if (i == INDEX_NONE || entry_of(e, i)->pins == 0) {
        i = get(e, unit, false);
    }
    return i != INDEX_NONE ? entry_of(e, i)->address : FTL_UNKNOWN;
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
    struct cmt* c = &own(e)->cmt;
    FW_ASSERT(e, address < FTL_LOST);
    for (uint32_t i = 0; i < c->used; ++i) {
        const struct cmt_entry* n = entry_of(e, i);
        if ((n->flags & CMT_LOADING) == 0 && maps_placed(n->address) &&
            (n->address & ~FTL_LOST) == address) {
            return n->unit;
        }
    }
    return maps_search(e, address);
}

static void dftl_prefetch(struct env* e, uint64_t unit)
{
    const uint32_t i = cmt_find(e, &own(e)->cmt, unit);
    if (i != INDEX_NONE) {
        __builtin_prefetch(entry_of(e, i), 1);
    }
}

/* ---- Power-up ---- */

/* What the window tells of a unit is newer than its page, which need not come in for it. */
static bool dftl_keep(struct env* e, uint64_t unit, uint64_t entry)
{
    struct cmt* c = &own(e)->cmt;
    uint32_t i = cmt_find(e, c, unit);
    if (i == INDEX_NONE && c->used + 1 >= c->entries) {
        return false;
    }
    if (i == INDEX_NONE) {
        i = c->used;
        ++c->bound;
        cmt_insert(e, c, i, unit);
        cmt_enlist(e, c, i);
    }
    entry_of(e, i)->address = entry;
    entry_of(e, i)->flags |= CMT_DIRTY;
    return true;
}

/* Its memory is as zero as it came up: frames may have it. */
static void dftl_forget(struct env* e)
{
    maps_zero_extra(e);
    forget_all(e);
}

static void dftl_count(struct env* e)
{
    const uint64_t* map = blocks_valid_map(e);
    for (uint32_t i = 0; i < own(e)->cmt.used; ++i) {
        struct cmt_entry* n = entry_of(e, i);
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
    struct cmt* c = &own(e)->cmt;
    const uint32_t entries = maps_page_entries(e);
    uint32_t i = cmt_first(e, c, page);
    if (i == INDEX_NONE) {
        return false;
    }
    mem_zero(newer, (entries + 63) / 64 * sizeof *newer);
    for (; i != INDEX_NONE; i = cmt_next(e, c, i)) {
        const struct cmt_entry* n = entry_of(e, i);
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
    return cmt_first(e, &own(e)->cmt, page) == INDEX_NONE && maps_never_written(e, page)
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
