/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_fetch.h"

#include "firmware/lib/arena.h"
#include "firmware/map/modes.h"

void segments_fetch_init(struct env* e)
{
    FW_ASSERT(e, e->maps->segment != 0 && e->maps->hmb.fetches == 0);
    for (uint32_t i = 0; i < SEGMENT_FETCHES && e->arenas->absent == 0; ++i) {
        segment_fetch_of(e, i)->slot = INDEX_NONE;
    }
}

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

bool segments_may_fetch(struct env* e)
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
        segments_submit_read(e, request, was.slot, was.page);
        return;
    }
    const struct segment_fetch was = leave(e, i);
    const uint64_t first = first_unit(e, was.slot, was.page);
    for (uint32_t n = 0; n < units; ++n) {
        maps_came(e, 1, first + n, NULL, false);
    }
    segments_page_ended(e, was.slot);
}

bool segments_fetch(struct env* e, uint32_t slot, uint32_t page)
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
