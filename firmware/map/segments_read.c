/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_read.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments_spent.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

enum { AT_ONCE = 4 }; /* requests of one segment */

/* true = the page has been read, or is being read. Behind the last one of the map nobody looks, so
 * those are read in order. */
static bool is_read(struct env* e, const struct segment_slot* at, uint32_t page)
{
    const uint64_t first = segment_first(e, at->segment) + (uint64_t)page * e->geo->page_units;
    FW_ASSERT(e, page < e->geo->pages);
    return first < segment_end(e, at->segment) &&
           (*maps_flags(e, e->maps, 1, first) & (MAP_RESIDENT | MAP_LOADING)) != 0;
}

/* The next page to be read: the one that somebody waits for, else in order. INDEX_NONE = none now.
 */
static uint32_t next_read(struct env* e, struct segment_slot* at)
{
    const uint32_t pages = e->geo->pages;
    FW_ASSERT(e, at->number <= pages);
    if (ftl_voids(e) && at->left == pages) {
        /* What page 0 tells of the commit is needed to check the others. */
        return is_read(e, at, 0) ? INDEX_NONE : 0;
    }
    if (at->number != 0) {
        const uint32_t asked = at->number - 1;
        at->number = 0;
        if (!is_read(e, at, asked)) {
            return asked;
        }
    }
    while (at->page < pages && is_read(e, at, at->page)) {
        ++at->page;
    }
    return at->page < pages ? at->page++ : INDEX_NONE;
}

static void mark_loading(struct env* e, const struct segment_slot* at, uint32_t page)
{
    const uint64_t first = segment_first(e, at->segment) + (uint64_t)page * e->geo->page_units;
    FW_ASSERT(e, page < e->geo->pages);
    for (uint32_t s = 0; s < e->geo->page_units && first + s < segment_end(e, at->segment); ++s) {
        *maps_flags(e, e->maps, 1, first + s) |= MAP_LOADING;
    }
}

static void submit_read(struct env* e, uint32_t request, uint32_t slot, uint32_t page)
{
    const struct segment_slot* at = segment_slot_of(e, slot);
    struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, (at->flags & SEGMENT_LOADS) != 0 && at->flight != 0);
    segments_address(e, r, segment_of(e, at->segment)->block, page);
    r->op = FLASH_OP_READ;
    r->priority = 0;
    r->sg = true;
    r->oob = true;
    r->segment_read.slot = slot;
    r->segment_read.worn = false;
    for (uint32_t s = 0; s < e->geo->page_units; ++s) {
        flash_list(e, request)[s] =
            segment_home(e, slot, page) + ((uint64_t)s << e->geo->unit_shift);
    }
    flash_submit(e, request);
}

static void arrive(struct env* e, uint32_t slot)
{
    struct segments* s = e->segments;
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, at->flight == 0 && (at->flags & SEGMENT_COMMITS) == 0);
    at->flags &= ~(uint32_t)SEGMENT_LOADS;
    segments_busy(e, slot);
    at->since = s->round;
    chain_append(&s->lru, env_dram(e, s->lru_links), slot);
    ftl_ops_of(e)->arrived(e, segment_first(e, at->segment));
    if (s->derived != 0 && s->replaying == 0) {
        e->maps_asks->apply(e, segment_first(e, at->segment), segment_end(e, at->segment));
    }
}

static void page_ended(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, at->flight != 0 && at->left != 0 && maps_reading(e));
    --e->maps->reads;
    --at->flight;
    --at->left;
    if (at->left == 0) {
        arrive(e, slot);
    } else {
        segments_read_on(e, slot);
    }
}

/* ---- From the host's memory ---- */

static uint64_t first_unit(struct env* e, uint32_t slot, uint32_t page)
{
    FW_ASSERT(e, page < e->geo->pages);
    return (uint64_t)segment_slot_of(e, slot)->segment * e->maps->segment +
           (uint64_t)page * e->geo->page_units;
}

/* Units of it that the map has; a page behind its end has none. */
static uint32_t units_of(struct env* e, uint32_t slot, uint32_t page)
{
    const uint64_t first = first_unit(e, slot, page);
    const uint64_t end = segment_end(e, segment_slot_of(e, slot)->segment);
    const uint64_t units = first < end ? end - first : 0;
    return units < e->geo->page_units ? (uint32_t)units : e->geo->page_units;
}

static uint32_t free_fetch(struct env* e)
{
    uint32_t i = 0;
    FW_ASSERT(e, e->maps->hmb.most != 0);
    while (i < SEGMENT_FETCHES && segment_fetch_of(e, i)->slot != INDEX_NONE) {
        ++i;
    }
    return i < SEGMENT_FETCHES ? i : INDEX_NONE;
}

static bool may_fetch(struct env* e)
{
    FW_ASSERT(e, e->maps->hmb.fetches <= SEGMENT_FETCHES);
    return e->maps->hmb.places == 0 || e->maps->hmb.fetches < SEGMENT_FETCHES;
}

/* Where power-up has something to apply, or to check, page 0 tells from which program on: its
 * spare words, which no copy has. */
static bool needs_flash(struct env* e, const struct segment_slot* at)
{
    FW_ASSERT(e, at->left != 0);
    return e->segments->derived != 0 || (ftl_voids(e) && at->left == e->geo->pages);
}

/* As many units as there are moves for. */
static void ask_units(struct env* e, uint32_t i)
{
    struct segment_fetch* f = segment_fetch_of(e, i);
    const uint64_t first = first_unit(e, f->slot, f->page);
    const uint32_t units = units_of(e, f->slot, f->page);
    while (f->next < units && f->lost == 0) {
        if (!hmb_holds(e, first + f->next)) {
            f->lost = 1;
        } else if (hmb_fetch_unit(e, first + f->next, i)) {
            ++f->next;
            ++f->flight;
        } else {
            break;
        }
    }
    FW_ASSERT(e, f->flight <= f->next);
}

/* The place in the table is free again. */
static struct segment_fetch leave(struct env* e, uint32_t i)
{
    struct segment_fetch* f = segment_fetch_of(e, i);
    const struct segment_fetch was = *f;
    FW_ASSERT(e, f->slot != INDEX_NONE && f->flight == 0 && e->maps->hmb.fetches != 0);
    f->slot = INDEX_NONE;
    --e->maps->hmb.fetches;
    return was;
}

/* What has no unit under way any more ends, or is read from the flash. */
static void settle(struct env* e, uint32_t i)
{
    const struct segment_fetch* f = segment_fetch_of(e, i);
    const uint32_t units = units_of(e, f->slot, f->page);
    if (f->flight != 0 || (f->lost == 0 && f->next < units)) {
        return;
    }
    if (f->lost != 0) {
        const uint32_t request = flash_take(e, OWNER_MAP_READ);
        if (request == INDEX_NONE) {
            if (flash_in_flight(e) == 0) {
                ftl_ask_again(e); /* nothing else wakes us */
            }
            return;
        }
        const struct segment_fetch was = leave(e, i);
        submit_read(e, request, was.slot, was.page);
        return;
    }
    const struct segment_fetch was = leave(e, i);
    const uint64_t first = first_unit(e, was.slot, was.page);
    for (uint32_t n = 0; n < units; ++n) {
        maps_came(e, 1, first + n, NULL, false);
    }
    page_ended(e, was.slot);
}

static bool fetch_page(struct env* e, uint32_t slot, uint32_t page)
{
    const uint32_t units = units_of(e, slot, page);
    uint32_t held = 0;
    if (e->maps->hmb.places == 0 || needs_flash(e, segment_slot_of(e, slot))) {
        return false;
    }
    while (held < units && hmb_holds(e, first_unit(e, slot, page) + held)) {
        ++held;
    }
    if (held < units) {
        return false;
    }
    const uint32_t i = free_fetch(e);
    FW_ASSERT(e, i != INDEX_NONE);
    *segment_fetch_of(e, i) = (struct segment_fetch){.slot = slot, .page = page};
    ++e->maps->hmb.fetches;
    if (units == 0) {
        ftl_ask_again(e); /* nothing comes: it ends in the next round */
    }
    ask_units(e, i);
    return true;
}

void segments_fetched(struct env* e, uint32_t fetch, bool whole)
{
    struct segment_fetch* f = segment_fetch_of(e, fetch);
    FW_ASSERT(e, f->slot != INDEX_NONE && f->flight != 0);
    --f->flight;
    f->lost |= whole ? 0u : 1u;
    ask_units(e, fetch);
    settle(e, fetch);
}

void segments_fetch_step(struct env* e)
{
    for (uint32_t i = 0; i < SEGMENT_FETCHES && e->maps->hmb.fetches != 0; ++i) {
        if (segment_fetch_of(e, i)->slot != INDEX_NONE) {
            ask_units(e, i);
            settle(e, i);
        }
    }
    FW_ASSERT(e, e->maps->hmb.fetches <= SEGMENT_FETCHES);
}

/* ---- Loading ---- */

void segments_read_on(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    while (at->flight < AT_ONCE && at->flight < at->left && !ftl_clearing(e) && may_fetch(e)) {
        const uint32_t i = flash_take(e, OWNER_MAP_READ);
        if (i == INDEX_NONE) {
            return;
        }
        const uint32_t page = next_read(e, at);
        if (page == INDEX_NONE) {
            flash_free(e, i);
            return;
        }
        mark_loading(e, at, page);
        ++at->flight;
        ++e->maps->reads;
        if (fetch_page(e, slot, page)) {
            flash_free(e, i);
        } else {
            submit_read(e, i, slot, page);
        }
    }
    FW_ASSERT(e, at->flight <= AT_ONCE);
}

void segments_load(struct env* e, uint32_t slot, uint32_t n, uint32_t page)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    struct segment* g = segment_of(e, n);
    const uint64_t first = segment_first(e, n);
    const uint64_t end = segment_end(e, n);
    uint32_t* frame = env_dram(e, e->maps->level[1].frame);
    FW_ASSERT(e, g->slot == INDEX_NONE && at->segment == INDEX_NONE && at->flags == 0);
    mem_zero(at, sizeof *at);
    at->segment = n;
    at->target = INDEX_NONE;
    at->flags = SEGMENT_FRESH;
    g->slot = slot;
    g->covers = 0;
    ++e->telemetry->map_misses;
    for (uint64_t i = first; i < end; ++i) {
        frame[i] = slot * e->maps->segment + (uint32_t)(i - first);
    }
    if (g->block != INDEX_NONE && g->lost == 0) {
        at->flags |= SEGMENT_LOADS;
        at->number = page + 1;
        at->left = e->geo->pages;
        segments_busy(e, slot);
        segments_read_on(e, slot);
        return;
    }
    mem_zero(env_dram(e, segment_home(e, slot, 0)), (uint64_t)e->geo->pages * e->geo->page_size);
    for (uint64_t i = first; i < end; ++i) {
        maps_came(e, 1, i, NULL, g->lost != 0);
    }
    arrive(e, slot);
}

/* A page has the bytes that it has on the flash. */
static bool same_as_flash(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page < maps_pages(e, 1));
    return e->maps->hmb.places != 0 && !maps_damaged(e) && e->segments->derived == 0 &&
           (*maps_flags(e, e->maps, 1, page) & MAP_DIRTY) == 0;
}

void segments_read_done(struct env* e, const struct flash_result* result)
{
    if (flash_request_of(e, result->request)->segment_read.slot == INDEX_NONE) {
        segments_peeked(e, result);
        return;
    }
    const struct flash_request* r = flash_request_of(e, result->request);
    const uint64_t* words = flash_oob(e, result->request);
    const uint32_t slot = r->segment_read.slot;
    struct segment_slot* at = segment_slot_of(e, slot);
    struct segment* g = segment_of(e, at->segment);
    const uint64_t page = segment_first(e, at->segment) + (uint64_t)r->page * e->geo->page_units;
    const bool worn = r->segment_read.worn;
    uint64_t sequence = 0;
    const bool whole = segments_whole(e, result, g, &sequence);
    FW_ASSERT(e, (at->flags & SEGMENT_LOADS) != 0);
    g->covers = whole && segments_tells_covers(e, r->page) ? sequence - 1 : g->covers;
    for (uint32_t s = 0; s < e->geo->page_units; ++s) {
        if (page + s < segment_end(e, at->segment)) {
            maps_came(e, 1, page + s, whole ? words + 1 + s : NULL, !whole);
            if (whole && same_as_flash(e, page + s)) {
                const struct hmb_source source = {maps_home(e, e->maps, 1, page + s), INDEX_NONE,
                                                  spare_unpack(words[1 + s]).check};
                hmb_keep(e, page + s, &source);
            }
            if (worn) {
                maps_dirty(e, 1, page + s); /* goes to another block when it leaves */
            }
        }
    }
    flash_free(e, result->request);
    page_ended(e, slot);
}
