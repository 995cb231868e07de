/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/hmb.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments_state.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

_Static_assert(sizeof(struct hmb_place) == 16, "what docs/hmb.md says of SRAM");

static struct hmb* hmb_of(struct env* e)
{
    return &e->maps->hmb;
}

static struct hmb_place* place_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->maps->hmb.most);
    return env_dram_entry(e, e->maps->hmb.index, i, sizeof(struct hmb_place));
}

int hmb_init(struct env* e, uint64_t bytes, uint64_t minimum)
{
    struct hmb* h = hmb_of(e);
    const uint64_t places = bytes >> e->geo->unit_shift;
    const uint64_t pages = maps_pages(e, 1);
    FW_ASSERT(e, pages != 0 && h->most == 0);
    h->most = (uint32_t)(places < pages ? places : pages);
    if (h->most == 0) {
        return 0;
    }
    h->minimum = minimum < hmb_most_bytes(e) ? minimum : hmb_most_bytes(e);
    h->index = map_take(e, (uint64_t)h->most * sizeof(struct hmb_place));
    h->area = map_take(e, HMB_AREAS * sizeof(struct hmb_area));
    h->move = map_take(e, HMB_MOVES * sizeof(struct hmb_move));
    h->staging = map_take_pages(e, (uint64_t)HMB_WRITES << e->geo->unit_shift);
    if (e->maps->segment != 0) {
        h->fetch = map_take(e, SEGMENT_FETCHES * sizeof(struct segment_fetch));
        for (uint32_t i = 0; i < SEGMENT_FETCHES && e->arenas->absent == 0; ++i) {
            segment_fetch_of(e, i)->slot = INDEX_NONE;
        }
    }
    return arenas_result(e);
}

uint64_t hmb_most_bytes(const struct env* e)
{
    return (uint64_t)e->maps->hmb.most << e->geo->unit_shift;
}

static void empty_all(struct env* e)
{
    const struct hmb* h = hmb_of(e);
    FW_ASSERT(e, h->places <= h->most);
    mem_zero(env_dram(e, h->index), (uint64_t)h->most * sizeof(struct hmb_place));
}

bool hmb_wanted(const struct env* e)
{
    return e->maps->hmb.most != 0;
}

bool hmb_lent(const struct env* e)
{
    return e->maps->hmb.places != 0;
}

uint64_t hmb_minimum(const struct env* e)
{
    return e->maps->hmb.minimum;
}

bool hmb_leaves(const struct env* e)
{
    return maps_host_moves(e) && e->maps->hmb.places == 0;
}

static struct hmb_area* area_of(struct env* e, uint32_t i)
{
    return env_dram_entry(e, hmb_of(e)->area, i, sizeof(struct hmb_area));
}

bool hmb_offer(struct env* e, uint32_t index, uint64_t address, uint64_t bytes)
{
    const uint32_t most = hmb_of(e)->most;
    const uint64_t places = bytes >> e->geo->unit_shift;
    struct hmb_area* a = area_of(e, index);
    FW_ASSERT(e, hmb_of(e)->places == 0);
    a->address = address;
    a->places = places < most ? (uint32_t)places : most;
    return a->places != 0;
}

void hmb_lend(struct env* e, uint32_t areas)
{
    struct hmb* h = hmb_of(e);
    FW_ASSERT(e, h->places == 0 && h->under_way == 0);
    FW_ASSERT(e, areas != 0 && areas <= HMB_AREAS);
    empty_all(e);
    h->areas = areas;
    for (uint32_t i = 0; i < areas; ++i) {
        struct hmb_area* a = area_of(e, i);
        a->first = h->places;
        if (a->places > h->most - h->places) {
            a->places = h->most - h->places;
        }
        h->places += a->places;
    }
    h->ways = h->places >= maps_pages(e, 1) ? 1 /* each page has a place of its own */
              : h->places < HMB_WAYS        ? h->places
                                            : HMB_WAYS;
    e->telemetry->hmb.pages = h->places;
}

void hmb_return(struct env* e)
{
    struct hmb* h = hmb_of(e);
    h->places = 0;
    h->areas = 0;
    e->telemetry->hmb.pages = 0;
}

void hmb_clear(struct env* e)
{
    struct hmb* h = hmb_of(e);
    for (uint32_t i = 0; i < h->places; ++i) {
        struct hmb_place* p = place_of(e, i);
        p->stale = p->moves != 0;
        p->state = p->moves != 0 ? p->state : HMB_EMPTY;
    }
}

/* ---- Index ---- */

static uint32_t first_way(const struct hmb* h, uint64_t page)
{
    const uint32_t sets = h->places / h->ways;
    return (uint32_t)(page % sets) * h->ways;
}

/* The place of a page's copy, INDEX_NONE. */
static uint32_t find_copy(struct env* e, uint64_t page)
{
    const struct hmb* h = hmb_of(e);
    const uint32_t first = first_way(h, page);
    FW_ASSERT(e, h->places != 0);
    for (uint32_t i = first; i < first + h->ways; ++i) {
        const struct hmb_place* p = place_of(e, i);
        env_touch(e, p, sizeof *p, false);
        if (p->state != HMB_EMPTY && p->page == page) {
            return i;
        }
    }
    return INDEX_NONE;
}

/* Where a copy can go: an empty place, or that of the one used longest ago; INDEX_NONE. */
static uint32_t make_place(struct env* e, uint64_t page)
{
    const struct hmb* h = hmb_of(e);
    const uint32_t first = first_way(h, page);
    uint32_t best = INDEX_NONE;
    for (uint32_t i = first; i < first + h->ways; ++i) {
        const struct hmb_place* p = place_of(e, i);
        if (p->state == HMB_EMPTY) {
            return i;
        }
        if (p->moves == 0 &&
            (best == INDEX_NONE || h->clock - p->used > h->clock - place_of(e, best)->used)) {
            best = i;
        }
    }
    FW_ASSERT(e, h->places != 0);
    return best;
}

static uint64_t host_address(struct env* e, uint32_t place)
{
    const struct hmb_area* a = area_of(e, 0);
    FW_ASSERT(e, place < e->maps->hmb.places);
    while (place - a->first >= a->places) {
        ++a;
    }
    return a->address + ((uint64_t)(place - a->first) << e->geo->unit_shift);
}

/* ---- Moves ---- */

struct hmb_move* hmb_move_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < HMB_MOVES);
    return env_dram_entry(e, e->maps->hmb.move, i, sizeof(struct hmb_move));
}

static uint32_t free_move(struct env* e, uint32_t first, uint32_t end)
{
    FW_ASSERT(e, end <= HMB_MOVES);
    while (first < end && hmb_move_of(e, first)->progress != HMB_REST) {
        ++first;
    }
    return first < end ? first : INDEX_NONE;
}

static void start(struct env* e, uint32_t i, uint32_t place, uint64_t buffer)
{
    struct hmb* h = hmb_of(e);
    struct hmb_place* p = place_of(e, place);
    struct hmb_move* m = hmb_move_of(e, i);
    m->page = p->page;
    m->place = place;
    m->check = p->check;
    m->progress = HMB_UNDER_WAY;
    p->used = ++h->clock;
    ++p->moves;
    ++h->under_way;
    env_touch(e, p, sizeof *p, true);
    FW_ASSERT(e, h->under_way <= HMB_MOVES);
    e->maps_asks->host_move(e, i, host_address(e, place), buffer);
}

/* The place of a copy that can be read, INDEX_NONE. */
static uint32_t whole_copy(struct env* e, uint64_t page)
{
    const uint32_t place = find_copy(e, page);
    const struct hmb_place* p = place != INDEX_NONE ? place_of(e, place) : NULL;
    FW_ASSERT(e, page < maps_pages(e, 1));
    return p != NULL && p->state == HMB_VALID && p->stale == 0 ? place : INDEX_NONE;
}

bool hmb_holds(struct env* e, uint64_t page)
{
    FW_ASSERT(e, e->maps->segment != 0);
    return hmb_of(e)->places != 0 && whole_copy(e, page) != INDEX_NONE;
}

bool hmb_fetch_unit(struct env* e, uint64_t page, uint32_t fetch)
{
    const uint32_t place = whole_copy(e, page);
    const uint32_t i = free_move(e, HMB_WRITES, HMB_MOVES);
    FW_ASSERT(e, !ftl_preconditions(e) && place != INDEX_NONE);
    if (i == INDEX_NONE) {
        return false;
    }
    hmb_move_of(e, i)->address = fetch;
    start(e, i, place, maps_home(e, e->maps, 1, page));
    return true;
}

bool hmb_may_fetch(struct env* e, uint64_t page)
{
    return !ftl_preconditions(e) && whole_copy(e, page) != INDEX_NONE &&
           free_move(e, HMB_WRITES, HMB_MOVES) != INDEX_NONE;
}

void hmb_fetch(struct env* e, uint64_t page, uint64_t address)
{
    const uint32_t i = free_move(e, HMB_WRITES, HMB_MOVES);
    FW_ASSERT(e, i != INDEX_NONE && !maps_loading(e, 1, page));
    *maps_flags(e, e->maps, 1, page) |= MAP_LOADING;
    hmb_move_of(e, i)->address = address;
    ++e->maps->reads;
    ++e->maps->asked;
    start(e, i, whole_copy(e, page), maps_home(e, e->maps, 1, page));
}

/* Where the bytes to be moved stay what they are until they are. */
static uint64_t staged(struct env* e, uint32_t i, const struct hmb_source* source)
{
    struct hmb_move* m = hmb_move_of(e, i);
    m->address = source->out != INDEX_NONE ? source->out : FTL_NONE;
    if (source->out != INDEX_NONE) {
        maps_lend_out(e, source->out);
        return source->from;
    }
    const uint64_t to = hmb_of(e)->staging + ((uint64_t)i << e->geo->unit_shift);
    FW_ASSERT(e, !hmb_reads(i));
    mem_copy(env_dram(e, to), env_dram(e, source->from), e->geo->unit_size);
    return to;
}

static void copy_out(struct env* e, uint64_t page, const struct hmb_source* source)
{
    const uint32_t place = make_place(e, page);
    const uint32_t i = free_move(e, 0, HMB_WRITES);
    if (place == INDEX_NONE || i == INDEX_NONE) {
        ++e->telemetry->hmb.passed;
        return;
    }
    struct hmb_place* p = place_of(e, place);
    FW_ASSERT(e, p->moves == 0);
    p->page = (uint32_t)page;
    p->check = source->check;
    p->state = HMB_WRITING;
    p->stale = 0;
    ++e->telemetry->hmb.writes;
    start(e, i, place, staged(e, i, source));
}

void hmb_keep(struct env* e, uint64_t page, const struct hmb_source* source)
{
    if (e->maps->hmb.places != 0 && !ftl_preconditions(e) && find_copy(e, page) == INDEX_NONE) {
        copy_out(e, page, source);
    }
    FW_ASSERT(e, page < maps_pages(e, 1));
}

void hmb_renew(struct env* e, uint64_t page, const struct hmb_source* source)
{
    if (e->maps->hmb.places == 0) {
        return;
    }
    const uint32_t place = find_copy(e, page);
    if (place != INDEX_NONE) {
        struct hmb_place* p = place_of(e, place);
        p->stale = p->moves != 0;
        p->state = p->moves != 0 ? p->state : HMB_EMPTY;
    }
    FW_ASSERT(e, page < maps_pages(e, 1));
    if (!ftl_preconditions(e) && (place == INDEX_NONE || place_of(e, place)->state == HMB_EMPTY)) {
        copy_out(e, page, source);
    }
}

/* What it says of its place counts no more once the host has its memory back. */
static void leave_place(struct env* e, const struct hmb_move* m, bool whole)
{
    struct hmb_place* p = place_of(e, m->place);
    FW_ASSERT(e, p->moves != 0);
    --p->moves;
    const bool empty = p->stale != 0 && p->moves == 0;
    p->state = empty || !whole ? HMB_EMPTY : HMB_VALID;
    p->stale = p->moves != 0 ? p->stale : 0;
}

bool hmb_ended(struct env* e, uint32_t move, bool failed)
{
    struct hmb_move* m = hmb_move_of(e, move);
    FW_ASSERT(e, move < HMB_MOVES && m->progress == HMB_UNDER_WAY && hmb_of(e)->under_way != 0);
    const bool whole =
        !failed && (!hmb_reads(move) ||
                    spare_check(e, env_dram(e, maps_home(e, e->maps, 1, m->page))) == m->check);
    leave_place(e, m, whole);
    if (!hmb_reads(move) && m->address != FTL_NONE) {
        maps_out_returned(e, (uint32_t)m->address);
    }
    --hmb_of(e)->under_way;
    m->progress = HMB_REST;
    return whole;
}
