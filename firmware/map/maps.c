/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps: sizes, entries and loading. What goes out to the flash is in maps_out.c, what is valid is
 * counted in maps_count.c.
 */
#include "firmware/map/maps.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/asks.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_read.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"

/* In the background: reads at a time, and reads that somebody waits for to one of it meanwhile: a
 * core that checks and counts what a background read brings, several pages, serves nobody. */
enum { LOADS_AT_ONCE = 8, ASKED_PER_LOAD = 16 };

/* Pages in one round, of which most of an empty drive need no read: the host is served between two
 * rounds. Half a second of a core at 1 GHz. */
enum { LOOKS_AT_ONCE = 1 << 20 };

static uint64_t pages_for(uint64_t entries, uint32_t shift)
{
    return (entries + (UINT64_C(1) << shift) - 1) >> shift;
}

static void take_frames(struct env* e, uint32_t level, uint32_t frames, uint64_t extra)
{
    struct maps* m = e->maps;
    struct map_level* l = &m->level[level];
    struct map_frames* f = maps_frames_of(m, level);
    const uint64_t beyond = (extra + e->geo->unit_size - 1) >> e->geo->unit_shift;
    FW_ASSERT(e, frames + beyond < INDEX_NONE);
    f->few = frames;
    f->all = frames + (uint32_t)beyond;
    l->frame = map_take(e, l->pages * sizeof(uint32_t));
    l->home = map_take_pages(e, (uint64_t)f->all << e->geo->unit_shift);
    if (m->segment != 0) {
        return; /* slots of segments */
    }
    f->extra = l->home + ((uint64_t)frames << e->geo->unit_shift);
    f->page = map_take(e, (uint64_t)f->all * sizeof(uint32_t));
    f->links = map_take(e, (uint64_t)f->all * sizeof(uint32_t));
    fifo_init(&f->free);
    for (uint32_t i = 0; i < frames && e->arenas->absent == 0; ++i) {
        fifo_push(&f->free, env_dram(e, f->links), i);
        ((uint32_t*)env_dram(e, f->page))[i] = INDEX_NONE;
    }
}

int maps_take(struct env* e, uint32_t frames, uint32_t upper, uint64_t extra)
{
    struct maps* m = e->maps;
    const uint32_t few[] = {0, frames, upper};
    FW_ASSERT(e, upper == 0 || m->levels > 2); /* the top page is in memory */
    for (uint32_t n = 1; n <= m->levels; ++n) {
        struct map_level* l = &m->level[n];
        l->flags = map_take(e, l->pages);
        if (n > 2 || few[n] == 0) {
            l->home = map_take_pages(e, l->pages << e->geo->unit_shift);
        } else {
            take_frames(e, n, few[n], n == 1 ? extra : 0);
        }
        m->uncounted += l->pages;
    }
    FW_ASSERT(e, m->levels >= 1);
    return maps_out_init(e);
}

int maps_plan(struct env* e)
{
    struct maps* m = e->maps;
    const struct geometry* g = e->geo;
    const uint64_t addresses = ((uint64_t)g->blocks * g->pages) << g->row_shift;
    FW_ASSERT(e, g->user_units != 0);
    m->wide = addresses > (UINT64_C(1) << 31) - 1;
    m->entry_shift = g->unit_shift - (m->wide ? 3u : 2u);
    m->span = m->span == 0 ? 1 : m->span;
    m->level[1].pages = m->raw != 0 ? m->raw : pages_for(maps_entries(e), m->entry_shift);
    m->levels = 1;
    while (m->level[m->levels].pages > 1 && m->segment == 0) {
        if (m->levels == MAPS_LEVELS) {
            hal_log(e->hal, HAL_LOG_ERROR, "maps of too many levels: units", g->user_units, 0);
            return -1;
        }
        m->level[m->levels + 1].pages = pages_for(m->level[m->levels].pages, m->entry_shift);
        ++m->levels;
    }
    m->top = FTL_NONE;
    m->out.queues = 1;
    m->counting = 1;
    FW_ASSERT(e, m->level[m->levels].pages == 1 || m->segment != 0);
    return 0;
}

int maps_init(struct env* e, uint32_t frames, uint64_t extra)
{
    FW_ASSERT(e, e->maps->levels == 0);
    return maps_plan(e) != 0 ? -1 : maps_take(e, frames, 0, extra);
}

uint64_t maps_units(const struct env* e)
{
    uint64_t units = 0;
    for (uint32_t n = 1; n <= e->maps->levels; ++n) {
        units += maps_pages(e, n);
    }
    FW_ASSERT(e, units != 0);
    return e->maps->segment == 0 ? units : 0; /* segments have blocks of their own */
}

/* ---- Entries ---- */

void maps_set(struct env* e, uint32_t level, uint64_t index, uint64_t address)
{
    const struct maps* m = e->maps;
    const uint64_t lost = ftl_lost(address) ? 1 : 0;
    const uint64_t place = lost != 0 ? address & ~FTL_LOST : address;
    const uint64_t raw = place == MAPS_NOWHERE ? 0 : place + 1;
    if (m->wide) {
        uint64_t* at = maps_at(e, level, index, 3);
        *at = raw | (lost << 63);
        env_touch(e, at, sizeof *at, true);
    } else {
        FW_ASSERT(e, raw <= UINT32_MAX >> 1);
        uint32_t* at = maps_at(e, level, index, 2);
        *at = (uint32_t)(raw | (lost << 31));
        env_touch(e, at, sizeof *at, true);
    }
    maps_dirty(e, level, index >> m->entry_shift);
}

void maps_dirty(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if (m->frames.derived != 0 && level == 1 && m->frames.now == page) {
        return; /* it can be had again */
    }
    if ((*flags & MAP_DIRTY) == 0) {
        *flags |= MAP_DIRTY;
        ++m->level[level].dirty;
        if (maps_framed(m, level)) {
            maps_buffer_differs(e, level, page, 1);
        }
    }
    struct map_frames* f = maps_frames_of(m, level);
    if (maps_framed(m, level) && m->segment == 0 && (f->buffer.stays == 0 || f->holding != 0) &&
        (*flags & MAP_PUT) == 0) {
        *flags |= MAP_PUT;
        ++f->wanted;
        run_due(e, DUE_STEPS);
    }
}

void maps_clean(struct env* e, uint32_t level, uint64_t page)
{
    uint8_t* flags = maps_flags(e, e->maps, level, page);
    e->maps->level[level].dirty -= (*flags & MAP_DIRTY) != 0 ? 1u : 0u;
    *flags = (uint8_t)(*flags & ~MAP_DIRTY);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
}

/* ---- Valid or not ---- */

void maps_validate(struct env* e, uint64_t address)
{
    const struct log_packet valid = {.op = LOG_VALID, .log = e->maps->levels, .address = address};
    (void)log_send(e, valid);
}

void maps_invalidate(struct env* e, uint64_t address)
{
    const struct log_packet garbage = {
        .op = LOG_INVALID, .log = e->maps->levels, .address = address};
    (void)log_send(e, garbage);
}

/* ---- Loading ---- */

/* empty: nothing in it is to be counted. */
static void resident(struct env* e, uint32_t level, uint64_t page, bool empty)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    *flags = (uint8_t)((*flags | MAP_RESIDENT) & ~MAP_LOADING);
    if (maps_derived(m, level, *flags)) {
        e->maps_asks->derive(e, page);
    } else {
        *flags |= MAP_CHECKED;
    }
    if (m->counting != 0 && empty) {
        maps_counted(e, level, page);
    } else if (m->counting != 0) {
        maps_count(e, level, page);
    }
    const struct map_frames* f = maps_frames_of(m, level);
    if (maps_framed(m, level) && f->buffer.stays != 0 && f->holding == 0) {
        maps_buffer_enter(e, level, page);
    }
    if (level == 1) {
        e->maps_asks->came(e, page);
    }
    FW_ASSERT(e, (*flags & MAP_DIRTY) == 0 || m->level[level].dirty != 0);
}

void maps_resident(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    FW_ASSERT(e, page < maps_pages(e, level));
    resident(e, level, page, false);
}

/* Nobody can tell any more what the entries of the page were, but for those that the scheme has.
 * What was lost before is counted once more: that cannot be told either. */
static void lose_entries(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint64_t first = page << m->entry_shift;
    const uint64_t end = maps_entries_end(e, level, page);
    const bool counted = level == 1 && (*maps_flags(e, m, level, page) & MAP_COUNTED) != 0;
    uint64_t known[MAPS_ENTRIES_MOST / 64];
    FW_ASSERT(e, end - first <= MAPS_ENTRIES_MOST);
    const bool some =
        level == 1 && m->counting != 0 && ftl->counted != NULL && ftl->counted(e, page, known);
    for (uint64_t i = first; i < end; ++i) {
        const bool knows = some && bitmap_get(known, i - first);
        maps_set(e, level, i, knows ? ftl->lookup(e, i) : FTL_LOST | MAPS_NOWHERE);
        e->telemetry->lost_units += counted && !knows ? 1u : 0u;
    }
}

/* A page of a framed level may come in again, and the flash may tell more of it then. What has been
 * counted and told the host would be wrong: it goes out as it is here. */
static void damaged_page(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    if (m->damaged++ == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "a map page is unreadable: read only; level, page", level,
                page);
    }
    e->telemetry->read_only = 1;
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    *maps_flags(e, m, level, page) |= MAP_RESIDENT;
    if (maps_raw(m, level)) {
        mem_zero(env_dram(e, maps_home(e, m, level, page)), e->geo->unit_size);
        m->raw_damaged = 1;
        return;
    }
    lose_entries(e, level, page);
    if (m->counting != 0 && maps_framed(m, level)) {
        maps_dirty(e, level, page);
    }
}

static uint64_t place_of_page(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, level >= 1 && page < maps_pages(e, level));
    return log_read(e, level, page);
}

/* Pages behind the first that lie behind it on its flash page too and are absent. */
static uint32_t run_of(struct env* e, uint32_t level, uint64_t page, uint64_t address)
{
    const struct geometry* g = e->geo;
    struct maps* m = e->maps;
    uint32_t n = 1;
    while (address_unit(g, address) + n < g->page_units && page + n < m->level[level].pages &&
           ((page + n) & ((UINT64_C(1) << m->entry_shift) - 1)) != 0 &&
           (*maps_flags(e, m, level, page + n) &
            (MAP_RESIDENT | MAP_LOADING | (maps_framed(m, level) ? MAP_COUNTED : 0))) == 0 &&
           place_of_page(e, level, page + n) == address + n) {
        ++n;
    }
    FW_ASSERT(e, n <= g->page_units);
    return n;
}

static uint32_t take_frames_for(struct env* e, uint32_t level, uint64_t page, uint32_t count)
{
    uint32_t n = 0;
    while (n < count && maps_take_frame(e, level, page + n)) {
        ++n;
    }
    FW_ASSERT(e, n <= e->geo->page_units);
    return n;
}

/* Request i reads `count` pages of the level from that address on into their homes. */
static void submit_read(struct env* e, uint32_t i, const struct map_read* read, uint64_t address)
{
    const struct geometry* g = e->geo;
    struct maps* m = e->maps;
    const struct place p = address_place(g, address);
    struct flash_request* r = flash_request_of(e, i);
    flash_read_page(r, &p, FLASH_PURPOSE_MAP, 0);
    r->column = address_unit(g, address) << g->unit_shift;
    r->length = (uint32_t)read->count << g->unit_shift;
    r->sg = true;
    r->oob = true;
    r->metadata = true;
    r->map_read = *read;
    for (uint32_t n = 0; n < read->count; ++n) {
        flash_list(e, i)[n] = maps_home(e, m, read->level, (uint64_t)read->page + n);
        *maps_flags(e, m, read->level, (uint64_t)read->page + n) |= MAP_LOADING;
    }
    ++superblock_of(e, e->blocks, p.block)->readers;
    flash_submit(e, i);
}

static void start_read(struct env* e, uint32_t level, uint64_t page, bool bulk)
{
    struct maps* m = e->maps;
    const uint64_t address = place_of_page(e, level, page);
    if (m->hmb.places != 0 && level == 1 && !bulk && hmb_fetch(e, page, address)) {
        return;
    }
    const uint32_t i = flash_take(e, OWNER_MAP_READ);
    if (i == INDEX_NONE) {
        return;
    }
    uint32_t count = bulk ? run_of(e, level, page, address) : 1;
    count = maps_framed(m, level) ? take_frames_for(e, level, page, count) : count;
    if (count == 0) {
        flash_free(e, i);
        return;
    }
    const struct map_read read = {
        .level = level, .page = (uint32_t)page, .count = (uint16_t)count, .bulk = bulk};
    m->asked += bulk ? 0u : 1u;
    m->credit += bulk ? 0u : 1u;
    ++m->reads;
    submit_read(e, i, &read, address);
}

bool maps_read_again(struct env* e, uint64_t page, uint64_t address)
{
    const uint32_t i = flash_take(e, OWNER_MAP_READ);
    const struct map_read read = {.level = 1, .page = (uint32_t)page, .count = 1};
    FW_ASSERT(e, maps_loading(e, 1, page));
    if (i != INDEX_NONE) {
        submit_read(e, i, &read, address);
    }
    return i != INDEX_NONE;
}

/* A page that was never written, and whose entries nothing else tells: there is nothing to count,
 * which is most of an empty drive. */
static bool has_no_entries(struct env* e, uint32_t level, uint64_t page, uint64_t address)
{
    struct maps* m = e->maps;
    const uint8_t flags = *maps_flags(e, m, level, page);
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    FW_ASSERT(e, page < m->level[level].pages);
    if (address != FTL_NONE || (flags & (MAP_WRITING | MAP_COUNTED)) != 0 || maps_raw(m, level) ||
        maps_derived(m, level, flags) || (level == 1 && m->span != 1)) {
        return false;
    }
    return true;
}

/* No read is needed: the page was never written, is lost, or a copy of it is in memory. The home of
 * a level that is not framed is as zero as memory comes up, until the map has been cleared. */
static void found_here(struct env* e, uint32_t level, uint64_t page, uint64_t address)
{
    struct maps* m = e->maps;
    void* home = env_dram(e, maps_home(e, m, level, page));
    if ((*maps_flags(e, m, level, page) & MAP_WRITING) != 0) {
        mem_copy(home, env_dram(e, maps_copy_of(e, level, page)), e->geo->unit_size);
    } else if (ftl_lost(address)) {
        damaged_page(e, level, page);
    } else if (maps_framed(m, level) || m->cleared != 0) {
        mem_zero(home, e->geo->unit_size);
    }
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    resident(e, level, page, has_no_entries(e, level, page, address));
}

bool maps_load_above(struct env* e, uint32_t level, uint64_t page, bool bulk)
{
    const uint64_t above = maps_page(e, page);
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    if (level == e->maps->levels) {
        return true;
    }
    return maps_framed(e->maps, level + 1) ? maps_buffer_use(e, level + 1, above)
                                           : maps_load(e, level + 1, above, bulk);
}

void maps_prefetch(struct env* e, uint64_t unit)
{
    __builtin_prefetch(maps_at(e, 1, unit, e->maps->wide != 0 ? 3 : 2), 1);
}

bool maps_load(struct env* e, uint32_t level, uint64_t page, bool bulk)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, level >= 1 && level <= m->levels && page < m->level[level].pages);
    if ((*flags & MAP_RESIDENT) != 0) {
        return true;
    }
    const bool framed = maps_framed(m, level);
    if ((*flags & MAP_LOADING) != 0 || (framed && !maps_frame_free(e, level)) ||
        !maps_load_above(e, level, page, bulk)) {
        return false;
    }
    const uint64_t address = place_of_page(e, level, page);
    if (address == FTL_NONE || ftl_lost(address) || (*flags & MAP_WRITING) != 0) {
        if (framed && !maps_take_frame(e, level, page)) {
            return false;
        }
        found_here(e, level, page, address);
        return true;
    }
    start_read(e, level, page, bulk);
    return false;
}

void maps_came(struct env* e, uint32_t level, uint64_t page, const uint64_t* word, bool failed)
{
    uint8_t* flags = maps_flags(e, e->maps, level, page);
    const struct spare_unit u = spare_unpack(word != NULL ? *word : 0);
    const void* data = env_dram(e, maps_home(e, e->maps, level, page));
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    *flags |= MAP_RESIDENT;
    if (failed ||
        (word != NULL && (u.kind != SPARE_MAP || u.index != (((uint64_t)level << 32) | page) ||
                          u.check != spare_check(e, data)))) {
        damaged_page(e, level, page);
    } else if (ftl_voids(e) && (*flags & MAP_CHECKED) == 0 && !maps_raw(e->maps, level) &&
               !maps_derived(e->maps, level, *flags)) {
        maps_check(e, level, page);
    }
    maps_resident(e, level, page);
}

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
            hmb_keep(e, page, maps_home(e, m, 1, page));
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
