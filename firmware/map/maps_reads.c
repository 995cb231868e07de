/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps_reads.h"

#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_read.h"
#include "firmware/space/blocks.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

/* In the background: reads at a time, and reads that somebody waits for to one of it meanwhile: a
 * core that checks and counts what a background read brings, several pages, serves nobody. */
enum { LOADS_AT_ONCE = 8, ASKED_PER_LOAD = 16 };

/* Pages in one round, of which most of an empty drive need no read: the host is served between two
 * rounds. Half a second of a core at 1 GHz. */
enum { LOOKS_AT_ONCE = 1 << 20 };

/* A page of level 1 in memory has the bytes that it has on the flash. Of pages that pass through
 * dirty are entries that the scheme knows better, not the page. */
static bool is_as_read(struct env* e, uint64_t page)
{
    const uint32_t differs = maps_passing(e->maps) ? MAP_PUT : MAP_PUT | MAP_DIRTY;
    FW_ASSERT(e, maps_framed(e->maps, 1));
    return !maps_damaged(e) && (*maps_flags(e, e->maps, 1, page) & differs) == 0;
}

void maps_read_done(struct env* e, const struct flash_result* result)
{
    if (e->maps->segment != 0) {
        segments_read_done(e, result);
        return;
    }
    struct flash_request* r = flash_request_of(e, result->request);
    struct maps* m = e->maps;
    const uint64_t* words = flash_oob(e, result->request);
    const uint32_t level = r->map_read.level;
    const uint32_t first = r->column >> e->geo->unit_shift; /* unit in the page */
    uint64_t sequence = 0;
    const bool whole = result->status == FLASH_STATUS_OK && spare_read(e, words, &sequence);
    FW_ASSERT(e, r->owner == OWNER_MAP_READ && m->reads > 0);
    --m->reads;
    m->asked -= r->map_read.bulk ? 0u : 1u;
    for (uint32_t n = 0; n < r->map_read.count; ++n) {
        const uint64_t page = (uint64_t)r->map_read.page + n;
        maps_came(e, level, page, &words[1 + first + n], !whole);
        if (m->hmb.places != 0 && level == 1 && whole && is_as_read(e, page)) {
            const struct hmb_source source = {maps_home(e, m, 1, page), INDEX_NONE,
                                              spare_unpack(words[1 + first + n]).check};
            hmb_keep(e, page, &source);
        }
        if (maps_framed(m, level)) {
            maps_arrived(e, level, page);
        }
    }
    blocks_unread(e, r->block);
    flash_free(e, result->request);
}

/* A page that is not counted yet comes in for that. false = the page above it comes first, or
 * nothing is free for it. */
static bool fetch(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    const uint8_t* flags = maps_flags(e, m, level, page);
    const bool framed = maps_framed(m, level);
    const uint8_t there = framed ? MAP_COUNTED : MAP_RESIDENT;
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    if ((*flags & (there | MAP_LOADING)) != 0 || (framed && maps_absent(e, level, page))) {
        return true;
    }
    if (!maps_load(e, level, page, true)) {
        return (*flags & MAP_LOADING) != 0;
    }
    if (framed) {
        maps_leave(e, level, page);
    }
    return true;
}

bool maps_load_all(struct env* e)
{
    struct maps* m = e->maps;
    if (m->segment != 0) {
        return segments_load_all(e, LOOKS_AT_ONCE);
    }
    const uint64_t upper = maps_framed(m, 2) ? m->level[2].pages : 0;
    const uint64_t all = upper + m->level[1].pages;
    uint32_t most = LOADS_AT_ONCE;
    FW_ASSERT(e, m->load_next <= all);
    if (m->asked != 0) {
        most = m->credit < ASKED_PER_LOAD ? 0 : m->reads + 1;
        m->credit = m->credit < ASKED_PER_LOAD ? m->credit : 0;
    }
    const uint64_t enough = m->load_next + LOOKS_AT_ONCE;
    while (m->load_next < all && m->reads < most && m->load_next < enough &&
           (m->load_next < upper ? fetch(e, 2, m->load_next) : fetch(e, 1, m->load_next - upper))) {
        ++m->load_next;
    }
    return m->load_next == enough && m->load_next < all;
}

/* The page that tells of the unit of a spare word: its level, 0 = none does. */
static uint32_t page_that_tells(const struct env* e, uint64_t word, uint64_t* page)
{
    const struct maps* m = e->maps;
    const struct spare_unit u = spare_unpack(word);
    const uint64_t level = u.kind == SPARE_MAP ? (u.index >> 32) + 1 : 1;
    const uint64_t index = u.kind == SPARE_MAP ? u.index & 0xFFFFFFFFu : u.index;
    FW_ASSERT(e, m->levels != 0);
    *page = index >> m->entry_shift;
    /* Where the top page and the journal lie boot knows. */
    return (u.kind == SPARE_MAP || u.kind == SPARE_DATA) && level <= m->levels &&
                   *page < m->level[level].pages
               ? (uint32_t)level
               : 0;
}

bool maps_may_tell(struct env* e)
{
    FW_ASSERT(e, e->maps->counting != 0);
    return e->maps->segment != 0 ? segments_may_tell(e) : e->maps->reads < LOADS_AT_ONCE;
}

bool maps_told(struct env* e, uint64_t word)
{
    struct maps* m = e->maps;
    uint64_t page = 0;
    const uint32_t level = page_that_tells(e, word, &page);
    if (level == 0) {
        return true;
    }
    const uint8_t* flags = maps_flags(e, m, level, page);
    if ((*flags & MAP_COUNTED) == 0 && m->segment != 0) {
        segments_tell(e, segment_at(e, page));
    } else if ((*flags & MAP_COUNTED) == 0 && maps_may_tell(e)) {
        (void)fetch(e, level, page);
    }
    FW_ASSERT(e, m->counting != 0);
    return (*flags & MAP_COUNTED) != 0;
}

/* ---- From the host's memory ---- */

static void page_came(struct env* e, struct hmb_move* m, bool whole)
{
    struct maps* maps = e->maps;
    e->telemetry->hmb.hits += whole ? 1u : 0u;
    e->telemetry->hmb.damaged += whole ? 0u : 1u;
    if (maps->segment != 0) {
        segments_fetched(e, (uint32_t)m->address, whole);
        return;
    }
    FW_ASSERT(e, maps->reads != 0 && maps->asked != 0);
    if (!whole) { /* it keeps its frame, and who waits for it waits on */
        ++maps->hmb.again;
        m->progress = HMB_AGAIN;
        return;
    }
    --maps->reads;
    --maps->asked;
    maps_came(e, 1, m->page, NULL, false);
    maps_arrived(e, 1, m->page);
}

void maps_host_moved(struct env* e, uint32_t move, bool failed)
{
    const bool whole = hmb_ended(e, move, failed);
    run_due(e, DUE_STEPS);
    if (hmb_reads(move)) {
        page_came(e, hmb_move_of(e, move), whole);
    }
}

void maps_host_step(struct env* e)
{
    struct hmb* h = &e->maps->hmb;
    if (h->again == 0) {
        return;
    }
    for (uint32_t i = HMB_WRITES; i < HMB_MOVES; ++i) {
        struct hmb_move* m = hmb_move_of(e, i);
        if (m->progress == HMB_AGAIN && maps_read_again(e, m->page, m->address)) {
            m->progress = HMB_REST;
            --h->again;
        }
    }
    if (flash_in_flight(e) == 0 && h->again != 0) {
        ftl_ask_again(e); /* nothing else brings another round */
    }
    FW_ASSERT(e, h->again <= HMB_READS);
}
