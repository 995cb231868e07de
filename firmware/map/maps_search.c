/* SPDX-License-Identifier: Apache-2.0
 *
 * The unit that lies at an address, where nothing but a framed map tells: it is looked for page by
 * page. Where level 2 is framed it may be a page of level 1 too, which is told to go elsewhere:
 * then nothing valid lies there any more.
 */
#include "firmware/lib/bits.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/valid.h"

void maps_search_init(struct env* e)
{
    FW_ASSERT(e, maps_framed(e->maps, 1));
    e->maps->search.address = FTL_NONE;
}

/* A page of level 2 that is in its frame. */
static void search_upper(struct env* e, uint64_t page)
{
    struct maps_search* s = &e->maps->search;
    const uint64_t first = page << e->maps->entry_shift;
    const uint64_t end = first + (UINT64_C(1) << e->maps->entry_shift);
    FW_ASSERT(e, page == s->page && s->level == 2);
    for (uint64_t n = first; n < end && n < maps_pages(e, 1); ++n) {
        if ((maps_entry(e, 2, n) & ~FTL_LOST) == s->address) {
            s->moves = n;
        }
    }
    ++s->page;
}

static void search_page(struct env* e, uint64_t page)
{
    struct maps_search* s = &e->maps->search;
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint64_t first = page << e->maps->entry_shift;
    const uint64_t end = first + (UINT64_C(1) << e->maps->entry_shift);
    FW_ASSERT(e, page == s->page);
    for (uint64_t u = first; u < end && u < e->geo->user_units; ++u) {
        if ((maps_entry(e, 1, u) & ~FTL_LOST) == s->address &&
            (ftl->newer == NULL || !ftl->newer(e, u))) {
            s->found = u;
        }
    }
    ++s->page;
}

void maps_searched(struct env* e, uint32_t level, uint64_t page)
{
    const struct maps_search* s = &e->maps->search;
    FW_ASSERT(e, maps_resides(e, level, page));
    if (s->address == FTL_NONE || s->level != level || s->page != page) {
        return;
    }
    if (level == 1) {
        search_page(e, page);
    } else {
        search_upper(e, page);
    }
}

/* One search at a time. One that nobody waits for any more makes room. */
static bool begin(struct env* e, uint64_t address)
{
    struct maps_search* s = &e->maps->search;
    const uint64_t* valid = blocks_valid_map(e);
    FW_ASSERT(e, address != FTL_NONE);
    if (s->address == address) {
        return true;
    }
    if (s->address != FTL_NONE && s->found == FTL_NONE && bitmap_get(valid, s->address)) {
        return false;
    }
    s->address = address;
    s->level = maps_framed(e->maps, 2) ? 2 : 1;
    s->page = 0;
    s->found = FTL_NONE;
    s->moves = FTL_NONE;
    return true;
}

/* Level 2, where it is framed. true = it tells of no page of level 1 there; false = ask again. */
static bool search_above(struct env* e)
{
    struct maps_search* s = &e->maps->search;
    while (s->level == 2 && s->moves == FTL_NONE && s->page < maps_pages(e, 2)) {
        if (maps_absent(e, 2, s->page)) {
            ++s->page;
        } else if (maps_load(e, 2, s->page, false)) {
            search_upper(e, s->page);
        } else {
            return false;
        }
    }
    if (s->level == 2 && s->moves == FTL_NONE) {
        s->level = 1;
        s->page = 0;
    }
    if (s->moves != FTL_NONE) {
        (void)maps_put_framed(e, 1, s->moves);
    }
    FW_ASSERT(e, s->address != FTL_NONE);
    return s->moves == FTL_NONE;
}

uint64_t maps_search(struct env* e, uint64_t address)
{
    struct maps_search* s = &e->maps->search;
    if (!begin(e, address) || !search_above(e)) {
        return FTL_UNKNOWN;
    }
    while (s->found == FTL_NONE && s->page < maps_pages(e, 1)) {
        if (maps_absent(e, 1, s->page)) {
            ++s->page;
        } else if (maps_load(e, 1, s->page, false)) {
            const uint64_t page = s->page;
            search_page(e, page);
            maps_leave(e, 1, page);
        } else {
            return FTL_UNKNOWN;
        }
    }
    const uint64_t found = s->found;
    s->address = FTL_NONE;
    FW_ASSERT(e, found == FTL_NONE || found < e->geo->user_units);
    if (found != FTL_NONE) {
        return found;
    }
    /* It was in memory meanwhile, and is there no more: once more. Where pages are all there is,
     * nobody can say any more whose it was. */
    if (ftl_ops_of(e)->newer == NULL) {
        maps_disown(e, address);
    }
    ftl_ask_again(e);
    return FTL_UNKNOWN;
}
