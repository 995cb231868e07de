/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay where the pages of level 1 have only a few frames. All that the window tells is applied to
 * one run of pages, then to the next one, so that each page comes in once. What changed goes out
 * before it leaves, with sequences of its own: a power-up after another cut finds it newer than
 * what it was, and applies the same window to it again, which ends the same.
 */
#include "firmware/durable/paged.h"

#include "firmware/durable/journal.h"
#include "firmware/durable/scan.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_count.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_commit.h"
#include "firmware/map/segments_spent.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"

enum { RUN_SHARE = 4 }; /* one frame in that many, rounded up, is never held between runs */

/* The level that is applied: that of the units of the pass. */
static uint32_t level_of(const struct env* e)
{
    FW_ASSERT(e, maps_framed(e->maps, e->recovery->pass + 1));
    return e->recovery->pass + 1;
}

static struct map_frames* frames(struct env* e)
{
    return maps_frames_of(e->maps, level_of(e));
}

static uint64_t level_pages(const struct env* e)
{
    return maps_pages(e, level_of(e));
}

static uint8_t* flags_of(struct env* e, uint64_t page)
{
    return maps_flags(e, e->maps, level_of(e), page);
}

/* The entry that the unit has there. */
static uint64_t index_of(const struct env* e, const struct spare_unit* u)
{
    return e->recovery->pass == 0 ? u->index : u->index & 0xFFFFFFFFu;
}

static bool is_ours(struct env* e, const struct spare_unit* u)
{
    const uint32_t pass = e->recovery->pass;
    if (pass == 0) {
        return u->kind == SPARE_DATA && u->index < e->geo->user_units;
    }
    return u->kind == SPARE_MAP && u->index >> 32 == pass && index_of(e, u) < maps_pages(e, pass);
}

static bool touch(struct env* e, const struct spare_unit* u, uint64_t address)
{
    (void)address;
    if (is_ours(e, u)) {
        *flags_of(e, maps_page(e, index_of(e, u))) |= MAP_TOUCHED;
    }
    return true;
}

/* true = the page is of the run that is applied now. */
static bool in_run(struct env* e, uint64_t page)
{
    if (maps_deriving(e) != DERIVED_NONE) {
        return page == maps_derived_now(e);
    }
    return (*flags_of(e, page) & (MAP_TOUCHED | MAP_RESIDENT)) == (MAP_TOUCHED | MAP_RESIDENT);
}

/* What it leaves is not valid any more: the record's count of that superblock comes nearer to the
 * truth, and collection goes on with the one it had begun with. */
static void set(struct env* e, uint64_t unit, uint64_t address)
{
    const uint64_t old = maps_entry(e, level_of(e), unit);
    FW_ASSERT(e, maps_page(e, unit) < level_pages(e));
    if (old == address) {
        return;
    }
    if (maps_placed(old) && maps_deriving(e) == DERIVED_NONE) {
        struct superblock* s = superblock_of(e, e->blocks, address_block(e->geo, old & ~FTL_LOST));
        s->unseen -= s->unseen != 0 ? 1u : 0u;
    }
    maps_set(e, level_of(e), unit, address);
}

/* Programs up to this one are in the page, trims before it. */
static uint64_t covers_of(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page < level_pages(e));
    return maps_segmented(e) ? segment_of(e, segment_at(e, page))->covers : 0;
}

static void unsettle(struct env* e, uint64_t base)
{
    struct recovery* v = e->recovery;
    v->settled = base < v->settled ? base : v->settled;
}

static bool apply(struct env* e, const struct spare_unit* u, uint64_t address)
{
    const uint64_t page = maps_page(e, index_of(e, u));
    if (is_ours(e, u) && in_run(e, page) && e->recovery->applied > covers_of(e, page)) {
        unsettle(e, e->recovery->applied - 1);
        set(e, index_of(e, u), address | (u->lost != 0 ? FTL_LOST : 0));
    }
    return true;
}

/* ---- Trims ---- */

/* Trims are of units only. */
static const struct trim_record* next_trim(struct env* e, struct trims* t)
{
    return e->recovery->pass == 0 ? window_trim(e, t) : NULL;
}

static void touch_trims(struct env* e, struct trims t, uint64_t before)
{
    const struct trim_record* r;
    for (; (r = next_trim(e, &t)) != NULL && r->sequence < before; ++t.record) {
        if (trim_is_news(e, r)) {
            const uint64_t last = maps_page(e, r->first + r->count - 1);
            for (uint64_t p = maps_page(e, r->first); p <= last; ++p) {
                *flags_of(e, p) |= MAP_TOUCHED;
            }
        }
    }
}

static void apply_trims(struct env* e, struct trims* t, uint64_t before)
{
    const struct trim_record* r;
    for (; (r = next_trim(e, t)) != NULL && r->sequence < before; ++t->record) {
        if (!trim_is_news(e, r)) {
            continue;
        }
        for (uint64_t u = r->first; u < r->first + r->count;) {
            const uint64_t page = maps_page(e, u);
            const uint64_t next = maps_first(e, page + 1);
            const uint64_t end = next < r->first + r->count ? next : r->first + r->count;
            if (in_run(e, page) && r->sequence >= covers_of(e, page)) {
                unsettle(e, r->sequence);
                for (; u < end; ++u) {
                    set(e, u, FTL_NONE);
                }
            }
            u = end;
        }
    }
}

/* ---- Frames ---- */

bool replay_starves(struct env* e)
{
    FW_ASSERT(e, frames(e)->holding != 0);
    return flash_in_flight(e) == 0 && !blocks_erase_waits(e) && maps_starve(e);
}

bool replay_derivable(const struct env* e)
{
    const struct recovery* v = e->recovery;
    FW_ASSERT(e, v->window >= v->base);
    return v->pass == 0 && !maps_framed(e->maps, 2) && v->window == v->base && v->beyond == 0;
}

/* Waits while the page has one of the flags. What waits to be put out is, as soon as there is a
 * buffer for its copy, so that write units are full. 0 = power goes; -1 = there is no room. */
static int put_out(struct env* e, uint64_t page, uint8_t while_flags)
{
    blocks_relocate(e, replay_derivable(e) ? 0 : 1); /* level 1 */
    while ((*flags_of(e, page) & while_flags) != 0) {
        if ((*flags_of(e, page) & MAP_PUT) != 0 && maps_put_framed(e, level_of(e), page)) {
            continue;
        }
        maps_hurry(e, level_of(e));
        if (replay_starves(e)) {
            return -1;
        }
        if (!boot_poll(e)) {
            return 0;
        }
    }
    FW_ASSERT(e, (*flags_of(e, page) & MAP_RESIDENT) != 0);
    return 1;
}

/* Frames whose pages may go on to differ from the flash. Where pages stay when the drive serves,
 * those that changed do, but for a part that the next run comes into. */
static uint32_t may_stay(struct env* e)
{
    const struct map_frames* f = frames(e);
    return f->buffer.stays == 0 ? 0 : f->all - (f->all + RUN_SHARE - 1) / RUN_SHARE;
}

/* Frames are free again, all but those whose pages may stay: what else changed is on the flash. All
 * are put out before any of them is awaited: else each would make a write unit of its own. */
static int empty_frames(struct env* e, uint32_t stay)
{
    const struct map_frames* f = frames(e);
    const uint32_t* pages = env_dram(e, f->page);
    uint32_t left = stay;
    for (uint32_t i = 0; i < f->all; ++i) {
        const bool changed = pages[i] != INDEX_NONE && (*flags_of(e, pages[i]) & MAP_PUT) != 0;
        if (changed && left != 0) {
            --left;
        } else if (changed && put_out(e, pages[i], MAP_PUT) <= 0) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < f->all; ++i) {
        if (pages[i] == INDEX_NONE || (*flags_of(e, pages[i]) & MAP_PUT) != 0) {
            continue;
        }
        if (put_out(e, pages[i], MAP_WRITING) <= 0) {
            return -1;
        }
        maps_drop_frame(e, level_of(e), pages[i]);
    }
    FW_ASSERT(e, f->free.count >= f->all - stay);
    return 0;
}

/* Fetches the next pages that are touched, from a page on. Returns the page to go on from. */
static uint64_t fetch_run(struct env* e, uint64_t page)
{
    for (; page < level_pages(e); ++page) {
        if ((*flags_of(e, page) & MAP_TOUCHED) == 0 || (*flags_of(e, page) & MAP_RESIDENT) != 0) {
            continue;
        }
        while (!maps_load(e, level_of(e), page, false) && (*flags_of(e, page) & MAP_LOADING) == 0) {
            const bool full = frames(e)->free.count == 0;
            if ((full && !maps_reading(e)) || !boot_poll(e)) {
                return page;
            }
            if (full) {
                break;
            }
        }
        if ((*flags_of(e, page) & (MAP_RESIDENT | MAP_LOADING)) == 0) {
            break;
        }
    }
    while (maps_reading(e) && boot_poll(e)) {
    }
    return page;
}

/* The next touched segment from a page on, INDEX_NONE = there is none. */
static uint32_t next_touched(struct env* e, uint64_t page)
{
    const uint64_t pages = maps_pages(e, 1);
    while (page < pages && (*flags_of(e, page) & MAP_TOUCHED) == 0) {
        ++page;
    }
    return page < pages ? segment_at(e, page) : INDEX_NONE;
}

/* Where no map block is left, and memory too small for all segments that change: each is derived
 * from what the table holds whenever it comes in, if that is the whole window. false = it is not.
 */
static bool derive(struct env* e)
{
    const struct recovery* v = e->recovery;
    FW_ASSERT(e, ftl_spent(e));
    if (v->window != v->base || v->beyond != 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "no map block is left, the window too large: programs, most",
                v->highest - v->base, v->limit);
        return false;
    }
    segments_derive(e);
    return true;
}

/* Waits for a segment that is asked for. false = power goes, or it cannot come in. */
static bool await_segment(struct env* e, uint32_t n)
{
    while (!segments_use(e, n)) {
        if (ftl_spent(e) && !segments_derived(e) && flash_in_flight(e) == 0 && !derive(e)) {
            return false;
        }
        if (!boot_poll(e)) {
            return false;
        }
    }
    FW_ASSERT(e, segments_there(e, n));
    return true;
}

/* The next segments that are touched, as many as memory holds, come in and stay. All are asked for
 * before one is awaited, for each lies on one LUN. next: the page to go on from. -1 = they do not
 * come. */
static int fetch_segments(struct env* e, uint64_t page, uint64_t* next)
{
    uint32_t n = next_touched(e, page);
    const uint32_t first = n;
    uint32_t held = 0;
    for (; n != INDEX_NONE && held < segments_slots(e); ++held) {
        ++segment_of(e, n)->pins;
        (void)segments_use(e, n);
        page = segment_end(e, n);
        n = next_touched(e, page);
    }
    for (n = first; n != INDEX_NONE && held != 0; --held) {
        if (!await_segment(e, n)) {
            return -1;
        }
        n = next_touched(e, segment_end(e, n));
    }
    *next = n == INDEX_NONE ? maps_pages(e, 1) : page;
    return 0;
}

/* They may leave: what changed goes to the flash when another one needs the room. */
static void release_segments(struct env* e)
{
    const struct recovery* v = e->recovery;
    const uint64_t last = v->window + v->limit; /* of the window, which may have fewer */
    const uint64_t applied = last < v->highest ? last : v->highest;
    for (uint32_t i = 0; i < segments_slots(e); ++i) {
        const uint32_t n = segment_slot_of(e, i)->segment;
        if (n != INDEX_NONE && segment_of(e, n)->pins != 0) {
            struct segment* g = segment_of(e, n);
            g->pins = 0;
            g->covers = applied > g->covers ? applied : g->covers;
        }
    }
}

void replay_paged_begin(struct env* e)
{
    struct recovery* v = e->recovery;
    flash_raise_sequence(e, v->highest);
    v->settled = v->highest;
    blocks_keep_from_maps(e, blocks_for_maps(e)); /* one of them, and what is free beyond */
    if (!maps_segmented(e)) {
        maps_keep(e, level_of(e));
    } else {
        segments_replay(e, v->highest - v->base < v->due ? 1 : 2);
    }
}

/* Applies the window, or the rest of the trims, to the pages that are there. */
static void apply_run(struct env* e, struct trims* t, bool units)
{
    struct recovery* v = e->recovery;
    bool missing = false;
    for (uint64_t n = 0; n < v->limit && units; ++n) {
        v->applied = v->window + 1 + n;
        apply_trims(e, t, v->applied);
        if (*window_entry(e, n) != 0) {
            window_units(e, n, apply, &missing);
        }
    }
    if (!units) {
        apply_trims(e, t, UINT64_MAX);
    }
    FW_ASSERT(e, missing == 0);
}

static void forget_run(struct env* e, uint64_t from, uint64_t to)
{
    for (uint64_t page = from; page < to; ++page) {
        *flags_of(e, page) = (uint8_t)(*flags_of(e, page) & ~MAP_TOUCHED);
    }
}

static void touch_window(struct env* e)
{
    bool missing = false;
    for (uint64_t n = 0; n < e->recovery->limit; ++n) {
        if (*window_entry(e, n) != 0) {
            window_units(e, n, touch, &missing);
        }
    }
    FW_ASSERT(e, missing == 0);
}

void replay_paged_touch(struct env* e)
{
    const struct trims all = {e->recovery->journal.first, 0};
    FW_ASSERT(e, replay_derivable(e));
    forget_run(e, 0, level_pages(e));
    touch_window(e);
    touch_trims(e, all, UINT64_MAX);
}

int replay_paged(struct env* e, struct trims* trims, bool units)
{
    const struct recovery* v = e->recovery;
    const uint64_t pages = level_pages(e);
    struct trims after = *trims;
    if (units) {
        touch_window(e);
    }
    touch_trims(e, *trims, units ? v->window + v->limit : UINT64_MAX);
    for (uint64_t page = 0; page < pages;) {
        const bool segmented = maps_segmented(e);
        uint64_t next = 0;
        if (segmented && fetch_segments(e, page, &next) != 0) {
            return -1;
        }
        next = segmented ? next : fetch_run(e, page);
        if (hal_stopping(e->hal)) {
            return -1;
        }
        after = *trims;
        apply_run(e, &after, units);
        forget_run(e, page, next);
        page = next;
        if (segmented) {
            release_segments(e);
        } else if (page < pages && empty_frames(e, may_stay(e)) != 0) {
            return -1;
        }
    }
    *trims = after;
    return 0;
}

void paged_apply(struct env* e, uint64_t from, uint64_t to)
{
    struct trims trims = {e->recovery->journal.first, 0};
    for (uint64_t page = from; page < to; ++page) {
        *flags_of(e, page) |= MAP_TOUCHED;
    }
    apply_run(e, &trims, true);
    apply_run(e, &trims, false);
    forget_run(e, from, to);
}

/* None of them is as it should be, for the rest of the trims came apart from the window. */
static void drop_segments(struct env* e)
{
    for (uint32_t i = 0; i < segments_slots(e); ++i) {
        if (segment_slot_of(e, i)->segment != INDEX_NONE) {
            segments_wash(e, i);
            segments_drop(e, i);
        }
    }
}

int replay_paged_end(struct env* e)
{
    if (segments_derived(e)) {
        drop_segments(e);
        return 0;
    }
    if (maps_segmented(e) || maps_shrink(e, level_of(e))) {
        return 0;
    }
    const uint32_t stay = frames(e)->buffer.stays == 0 ? 0 : frames(e)->few - 1;
    if (empty_frames(e, stay) != 0 || !maps_shrink(e, level_of(e))) {
        return -1;
    }
    return 0;
}

void paged_derive(struct env* e, uint64_t page)
{
    struct trims trims = {e->recovery->journal.first, 0};
    FW_ASSERT(e, maps_derived_now(e) == FTL_NONE);
    maps_derive_page(e, page);
    maps_check(e, 1, page);
    apply_run(e, &trims, true);
    apply_run(e, &trims, false);
    maps_derive_page(e, FTL_NONE);
}

/* ---- A window that does not shrink ---- */

/* Of those that are dirty the one whose last commit is the oldest. */
static uint32_t oldest_dirty(struct env* e)
{
    uint32_t best = INDEX_NONE;
    uint32_t number = UINT32_MAX;
    for (uint32_t i = 0; i < segments_slots(e); ++i) {
        const uint32_t n = segment_slot_of(e, i)->segment;
        if (n != INDEX_NONE && segments_there(e, n) && segments_dirty(e, i) &&
            segment_of(e, n)->number < number) {
            number = segment_of(e, n)->number;
            best = i;
        }
    }
    return best;
}

/* true = a commit has what it needs, or will have. */
static bool may_commit(struct env* e)
{
    return segments_have_room(e) || flash_in_flight(e) != 0;
}

int replay_paged_shorten(struct env* e)
{
    const uint32_t i = oldest_dirty(e);
    int begun = 0;
    while (i != INDEX_NONE && may_commit(e)) {
        if ((segment_slot_of(e, i)->flags & SEGMENT_COMMITS) == 0) {
            if (begun) {
                break;
            }
            begun = segments_commit(e, i);
        }
        if (!boot_poll(e)) {
            return -1;
        }
    }
    return 0;
}
