/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay: what the scan found is applied to the maps, from the top level down, and then to the map
 * of the units, in the order in which it was programmed and trimmed.
 */
#include "firmware/durable/replay.h"

#include "firmware/durable/anchor.h"
#include "firmware/durable/journal.h"
#include "firmware/durable/paged.h"
#include "firmware/durable/scan.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

bool replay_ask(struct env* e, uint32_t level, uint64_t page)
{
    while (!maps_load(e, level, page, true) && !maps_loading(e, level, page)) {
        if (!boot_poll(e)) {
            return false;
        }
    }
    return true;
}

static bool resident(struct env* e, uint32_t level, uint64_t page)
{
    return maps_resides(e, level, page);
}

/* Page of the level above that tells where a unit is; false = none of this pass. */
static bool parent_of(const struct env* e, const struct spare_unit* u, uint32_t level,
                      uint64_t* page)
{
    if (level == 0) {
        *page = maps_page(e, u->index / maps_span(e));
        return (u->kind == SPARE_DATA && u->index < e->geo->user_units) ||
               (u->kind == SPARE_BLOCK && u->index < maps_entries(e) * maps_span(e));
    }
    *page = maps_page(e, u->index & 0xFFFFFFFFu);
    if (maps_segmented(e)) {
        return false; /* such pages lie in no superblock */
    }
    return u->kind == SPARE_MAP && (u->index >> 32) == level &&
           (u->index & 0xFFFFFFFFu) < maps_pages(e, level);
}

static bool load_parent(struct env* e, const struct spare_unit* u, uint64_t address)
{
    uint64_t page = 0;
    (void)address;
    if (!parent_of(e, u, e->recovery->pass, &page) || e->recovery->pass == maps_levels(e)) {
        return true;
    }
    return resident(e, e->recovery->pass + 1, page) ||
           (replay_ask(e, e->recovery->pass + 1, page) && resident(e, e->recovery->pass + 1, page));
}

static bool apply(struct env* e, const struct spare_unit* u, uint64_t address)
{
    const uint32_t level = e->recovery->pass;
    uint64_t page = 0;
    if (u->kind == SPARE_JOURNAL && level == maps_levels(e)) {
        journal_found(e, u->index, address);
    }
    if (!parent_of(e, u, level, &page)) {
        return true;
    }
    if (level == maps_levels(e)) {
        maps_set_top(e, address);
        return true;
    }
    if (level == 0 && maps_span(e) != 1) {
        ftl_layout_of(e)->unit(e, u, address);
        return true;
    }
    maps_set(e, level + 1, level == 0 ? u->index : u->index & 0xFFFFFFFFu,
             address | (u->lost != 0 ? FTL_LOST : 0));
    return true;
}

/* ---- Trims ---- */

static bool load_trimmed(struct env* e)
{
    struct trims t = {e->recovery->journal.first, 0};
    const struct trim_record* r;
    bool missing = false;
    for (; (r = window_trim(e, &t)) != NULL; ++t.record) {
        if (r->first >= e->geo->user_units || r->count > e->geo->user_units - r->first) {
            continue;
        }
        const uint64_t last = maps_page(e, (r->first + r->count - 1) / maps_span(e));
        for (uint64_t page = maps_page(e, r->first / maps_span(e)); page <= last; ++page) {
            if (!resident(e, 1, page)) {
                (void)replay_ask(e, 1, page);
                missing |= !resident(e, 1, page);
            }
        }
    }
    return missing;
}

/* ---- Passes ---- */

static void await_loads(struct env* e)
{
    while (maps_reading(e) && boot_poll(e)) {
    }
}

/* One level, over the window in memory. */
static int pass_window(struct env* e, struct trims* trims)
{
    struct recovery* v = e->recovery;
    bool missing = true;
    while (missing) {
        missing = v->pass == 0 ? load_trimmed(e) : false;
        for (uint64_t n = 0; n < v->limit; ++n) {
            if (*window_entry(e, n) != 0) {
                window_units(e, n, load_parent, &missing);
            }
        }
        await_loads(e);
        if (hal_stopping(e->hal)) {
            return -1;
        }
    }
    for (uint64_t n = 0; n < v->limit; ++n) {
        if (v->pass == 0) {
            window_trims(e, trims, v->window + 1 + n);
        }
        if (*window_entry(e, n) != 0) {
            window_units(e, n, apply, &missing);
        }
    }
    return 0;
}

/* What was full at the base and has not been written since has no more valid units than the record
 * counts, but for what a lost trim brings back. Those that were counted just now are off that
 * already. Of all others only the maps tell. */
static void guess_rest(struct env* e)
{
    const uint8_t* flags = env_dram(e, e->recovery->flags);
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        struct superblock* s = superblock_of(e, e->blocks, i);
        const uint32_t counted = s->unseen;
        const bool told = (s->flags & BLOCK_UNTOLD) == 0; /* in the record */
        const bool holds = s->state == BLOCK_FULL || s->state == BLOCK_OPEN;
        blocks_settle(s);
        if (holds && told && s->kept != 0 && (flags[i] & (SCAN_NEWER | SCAN_OPEN)) == 0) {
            s->unseen = counted;
            s->flags |= BLOCK_GUESSED;
        } else if (holds) {
            s->flags |= BLOCK_UNTOLD;
        }
    }
}

/* What the maps say is what is valid. */
static void count_all(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    maps_count_loaded(e, true);
    ftl_layout_of(e)->counts(e);
    maps_count_found(e);
    for (uint64_t n = j->first; n < j->open; ++n) {
        struct journal_unit* u = &j->unit[n % j->units];
        if (u->address != FTL_NONE && blocks_holds(e, u->address)) {
            maps_validate(e, u->address); /* not in the record's count (anchor.c) */
        } else if (u->address != FTL_NONE) {
            u->address = FTL_NONE;
            u->missing = 1; /* it has been applied */
        }
    }
    if (ftl_ops_of(e)->count != NULL) {
        ftl_ops_of(e)->count(e);
    }
    if (!maps_all_counted(e)) {
        guess_rest(e);
    }
}

/* ---- Entries without pages ---- */

/* Where the scheme caches entries without their pages: what the window tells of a unit is newer
 * than any page on the flash. It goes into the cache, dirty, as if it had just been written. No map
 * page comes in or goes out for it before the drive serves; the next checkpoint writes what is
 * still dirty, and a power-up after a cut before that finds the same window. */
static bool keep(struct env* e, const struct spare_unit* u, uint64_t address)
{
    FW_ASSERT(e, address < FTL_LOST);
    return u->kind != SPARE_DATA || u->index >= e->geo->user_units ||
           ftl_ops_of(e)->keep(e, u->index, address | (u->lost != 0 ? FTL_LOST : 0));
}

/* Those before a program. false = there is no room. */
static bool keep_trims(struct env* e, struct trims* t, uint64_t before)
{
    const struct trim_record* r;
    for (; (r = window_trim(e, t)) != NULL && r->sequence < before; ++t->record) {
        for (uint64_t n = 0; trim_is_news(e, r) && n < r->count; ++n) {
            if (!ftl_ops_of(e)->keep(e, r->first + n, FTL_NONE)) {
                return false;
            }
        }
    }
    return true;
}

static bool keep_all(struct env* e, struct trims* t)
{
    const struct recovery* v = e->recovery;
    bool full = false;
    for (uint64_t n = 0; n < v->limit && !full; ++n) {
        full = !keep_trims(e, t, v->window + 1 + n);
        if (!full && *window_entry(e, n) != 0) {
            window_units(e, n, keep, &full);
        }
    }
    return !full && keep_trims(e, t, UINT64_MAX);
}

static bool replay_kept(struct env* e, struct trims trims)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if (ftl->keep == NULL) {
        return false;
    }
    const bool all = keep_all(e, &trims);
    if (!all) {
        ftl->forget(e);
    }
    return all;
}

/* ---- All of it ---- */

struct progress {
    struct trims trims; /* up to here they have been applied */
    bool several;       /* the table does not hold all of the window: it is read part by part */
    bool kept;          /* what the window tells is kept: no page has to come in for it */
};

static bool is_paged(const struct env* e)
{
    const struct recovery* v = e->recovery;
    return v->pass < maps_levels(e) && maps_framed(e->maps, v->pass + 1);
}

/* The window's units of the pass, as many programs at a time as the table holds. */
static int apply_window(struct env* e, struct progress* p, bool paged)
{
    struct recovery* v = e->recovery;
    uint64_t from = v->base;
    bool more = true;
    while (more) {
        more = false;
        if (p->several || v->pass == maps_levels(e)) {
            more = scan_window(e, from);
            p->several |= more;
        }
        if (v->broken != 0 || hal_stopping(e->hal)) {
            return -1; /* rather no drive than one that holds something else */
        }
        if ((paged ? replay_paged(e, &p->trims, true) : pass_window(e, &p->trims)) != 0) {
            p->kept = replay_derive(e);
            if (!p->kept) {
                return -1;
            }
        }
        from += v->limit;
    }
    return 0;
}

static int apply_level(struct env* e, struct progress* p)
{
    const bool paged = is_paged(e);
    if (paged && !p->kept) {
        replay_paged_begin(e);
    }
    if (!p->kept && apply_window(e, p, paged) != 0) {
        return -1;
    }
    return paged && e->recovery->pass != 0 ? replay_paged_end(e) : 0;
}

/* With the top level the window has been read once, all of it: it named the journal's units, and
 * the streams are where the scan found them. */
static void window_was_read(struct env* e)
{
    if (e->recovery->anchor.number != 0) {
        journal_unpack(e, anchor_journal(e));
    }
    journal_load(e, boot_read);
    scan_judge(e);
}

/* From the top level down to that of the user's units, which the scheme may apply by itself. */
static int apply_levels(struct env* e, struct progress* p)
{
    struct recovery* v = e->recovery;
    for (uint32_t left = maps_levels(e) + 1; left > 0; --left) {
        v->pass = left - 1;
        if (v->pass == 0) {
            p->trims.unit = v->journal.first;
            const int replayed = ftl_layout_of(e)->replay(e, &p->trims);
            if (replayed != 0) {
                return replayed < 0 ? -1 : 0;
            }
            p->kept = is_paged(e) && !p->several && replay_kept(e, p->trims);
        }
        if (apply_level(e, p) != 0) {
            return -1;
        }
        if (v->pass == maps_levels(e)) {
            window_was_read(e);
        }
    }
    return 0;
}

/* What was trimmed after the last program. */
static int apply_rest(struct env* e, struct progress* p)
{
    if (!maps_framed(e->maps, 1)) {
        window_trims(e, &p->trims, UINT64_MAX);
        return 0;
    }
    if (p->kept || (replay_paged(e, &p->trims, false) == 0 && replay_paged_end(e) == 0)) {
        return 0;
    }
    return replay_derive(e) ? 0 : -1;
}

int replay_all(struct env* e)
{
    struct progress p = {{0, 0}, false, false};
    maps_count_loaded(e, false);
    ftl_void(e);
    ftl_layout_of(e)->check(e);
    if (apply_levels(e, &p) != 0 || apply_rest(e, &p) != 0) {
        return -1;
    }
    blocks_keep_from_maps(e, RESERVE_FREE);
    count_all(e);
    /* What is derived is counted nowhere: it would be before the window is applied to it. */
    maps_count_loaded(e, !segments_derived(e));
    return 0;
}

/* ---- Derived pages ----
 *
 * Replay without room for the map pages that it changes. Nothing can be erased before all maps have
 * been read, and that takes a drive that serves. So nothing is written: the window stays in memory,
 * and is applied to a page each time it comes in (maps_frames.h). What the flash holds stays as it
 * is; a power-up after another cut finds the same.
 *
 * Until all pages have been counted, and what holds nothing valid has been erased, nobody changes
 * the map: what changes stays in memory until it has been written. If that gives too little room
 * the drive may only be read. Else the next checkpoint writes the derived pages, and all is as
 * after any other power-up.
 */

bool replay_derive(struct env* e)
{
    struct recovery* v = e->recovery;
    if (!replay_derivable(e) || !maps_holds(e, 1) || hal_stopping(e->hal) || !replay_starves(e)) {
        return false;
    }
    hal_log(e->hal, HAL_LOG_WARN, "no room for map pages: derived; programs, free superblocks",
            v->highest - v->base, blocks_free(e));
    maps_empty_frames(e);
    replay_paged_touch(e);
    const bool shrunk = maps_shrink(e, 1);
    FW_ASSERT(e, shrunk);
    maps_derive(e, DERIVED_COUNTS);
    maps_derive_page(e, FTL_NONE);
    v->trims_end = v->journal.open;
    return shrunk;
}

static void erase_empty(struct env* e)
{
    FW_ASSERT(e, maps_all_counted(e));
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        if (s->state == BLOCK_FULL && s->valid == 0 && s->pending == 0) {
            blocks_discard(e, i, FLASH_PURPOSE_RECOVERY);
        }
    }
}

void derived_step(struct env* e)
{
    struct recovery* v = e->recovery;
    if (maps_deriving(e) == DERIVED_COUNTS && maps_all_counted(e)) {
        erase_empty(e);
        maps_derive(e, DERIVED_ERASES);
    }
    if (maps_deriving(e) != DERIVED_ERASES || blocks_leaving(e) != 0) {
        return;
    }
    maps_derive(e, DERIVED_SERVES);
    v->again = 1; /* for those who waited */
    const uint32_t least = RESERVE_FREE + blocks_for_level2(e);
    if (blocks_free(e) <= least) {
        hal_log(e->hal, HAL_LOG_WARN, "too little room for map pages: read only; free, needed",
                blocks_free(e), least + 1);
        ftl_spend(e);
        e->telemetry->spare_percent = 0; /* what is left cannot be used */
    }
}
