/* SPDX-License-Identifier: Apache-2.0
 *
 * What the entries of a page that has come in are worth: those that cannot be true any more are
 * lost, what the others name is valid. After a loss of power that is done for every page of the
 * map before the drive serves from it, so it goes by runs: entries that name places one behind the
 * other, of one superblock, which is what a host that writes in order leaves. Of a run the
 * superblock is looked up once, and the bitmap is changed a word at a time.
 */
#include "firmware/map/maps_count.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/map/log.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_rising.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/segments.h"
#include "firmware/space/pool.h"
#include "firmware/space/resume.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

#define RAW_LOST (UINT64_C(1) << 63) /* of an entry, however wide */

struct walk {       /* over the entries of a page that is in memory */
    const void* at; /* the first one */
    uint64_t first; /* its number in the level */
    uint32_t count;
    uint32_t wide;
    uint64_t addresses; /* places are below */
    /* The superblock that was looked up last: its number and its places. */
    uint32_t block;
    uint64_t from;
    uint64_t to;
};

uint64_t maps_entries_end(const struct env* e, uint32_t level, uint64_t page)
{
    const struct maps* m = e->maps;
    const uint64_t most = level == 1 ? maps_entries(e) : m->level[level - 1].pages;
    const uint64_t end = (page + 1) << m->entry_shift;
    FW_ASSERT(e, level <= m->levels);
    return end < most ? end : most;
}

static struct walk begin(struct env* e, uint32_t level, uint64_t page)
{
    const struct geometry* g = e->geo;
    const uint64_t first = page << e->maps->entry_shift;
    const uint32_t shift = e->maps->wide ? 3 : 2;
    const struct walk w = {.at = maps_at(e, level, first, shift),
                           .first = first,
                           .count = (uint32_t)(maps_entries_end(e, level, page) - first),
                           .wide = e->maps->wide,
                           .addresses = ((uint64_t)g->blocks * g->pages) << g->row_shift,
                           .block = INDEX_NONE};
    FW_ASSERT(e, maps_resides(e, level, page));
    env_touch(e, w.at, (size_t)w.count << shift, false);
    return w;
}

/* The place + 1, 0 = none; the highest bit = lost. */
static inline uint64_t raw_of(const struct walk* w, uint32_t n)
{
    const uint32_t raw = w->wide ? 0 : ((const uint32_t*)w->at)[n];
    return w->wide ? ((const uint64_t*)w->at)[n]
                   : (raw & (UINT32_MAX >> 1)) | (uint64_t)(raw >> 31) << 63;
}

static void look_up(struct env* e, struct walk* w, uint64_t place)
{
    const struct geometry* g = e->geo;
    if (place < w->from || place >= w->to) {
        w->block = address_block(g, place);
        w->from = (uint64_t)w->block * g->pages << g->row_shift;
        w->to = w->from + ((uint64_t)g->pages << g->row_shift);
    }
    FW_ASSERT(e, w->block < g->blocks);
}

/* Entries of the run that begins with the n-th, which names the place; at most that many. */
static uint32_t run_of(const struct walk* w, uint32_t n, uint64_t place, uint32_t most)
{
    const uint64_t room = w->to - place;
    const uint32_t end = room < most ? (uint32_t)room : most;
    uint32_t k = 1;
    if (w->wide) {
        const uint64_t* at = (const uint64_t*)w->at + n;
        while (k < end && at[k] == place + 1 + k) {
            ++k;
        }
        return k;
    }
    return maps_rising((const uint32_t*)w->at + n, end);
}

/* ---- What cannot be true ---- */

/* true = since the page was put out the superblock has been erased. */
static bool is_void(struct env* e, uint64_t page, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, block < e->geo->blocks);
    return s->kept == 0 &&
           (e->maps->segment == 0 || s->opened > segment_of(e, segment_at(e, page))->covers);
}

/* How many entries are done. */
static uint32_t check_run(struct env* e, struct walk* w, uint32_t level, uint64_t page, uint32_t n)
{
    const uint64_t raw = raw_of(w, n);
    const uint64_t place = (raw & ~RAW_LOST) - 1;
    const uint64_t index = w->first + n;
    if ((raw & ~RAW_LOST) == 0) {
        return 1;
    }
    if (place >= w->addresses) {
        maps_set(e, level, index, FTL_LOST | MAPS_NOWHERE);
        return 1;
    }
    look_up(e, w, place);
    const bool gone = is_void(e, page, w->block);
    if (!gone && e->maps_asks->whole(e, w->block)) {
        return (raw & RAW_LOST) != 0 ? 1 : run_of(w, n, place, w->count - n);
    }
    if (gone || !blocks_written(e, place) || (level == 1 && e->maps_asks->erased(e, place))) {
        /* What moved away from there before the erase is applied later, or is damaged. */
        maps_set(e, level, index, FTL_LOST | MAPS_NOWHERE);
    }
    return 1;
}

void maps_check(struct env* e, uint32_t level, uint64_t page)
{
    struct walk w = begin(e, level, page);
    for (uint32_t n = 0; n < w.count;) {
        n += check_run(e, &w, level, page, n);
    }
    FW_ASSERT(e, level <= e->maps->levels);
}

/* ---- What is valid ---- */

void maps_counted(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, (*flags & MAP_COUNTED) == 0 && m->uncounted != 0);
    *flags |= MAP_COUNTED;
    if (--m->uncounted == 0) {
        blocks_all_seen(e);
        ftl_ask_again(e); /* collection may have waited for it, and had its turn in this round */
    }
}

/* One that is lost, or of a run in which something is wrong. */
static void count_one(struct env* e, struct walk* w, uint32_t level, uint32_t n)
{
    const uint64_t* map = blocks_valid_map(e);
    const uint64_t raw = raw_of(w, n);
    const uint64_t place = (raw & ~RAW_LOST) - 1;
    const bool placed = (raw & ~RAW_LOST) != 0;
    bool lost = (raw & RAW_LOST) != 0;
    FW_ASSERT(e, raw != 0);
    if (placed && (place >= w->addresses || bitmap_get(map, place) || !blocks_holds(e, place))) {
        maps_damage(e); /* two entries of one place, or one of an erased place: not true */
        maps_set(e, level, w->first + n, FTL_LOST | MAPS_NOWHERE);
        lost = true;
    } else if (placed) {
        log_found(e, level - 1, place, 1);
        blocks_units_seen(e, place, 1);
    }
    e->telemetry->lost_units += level == 1 && lost ? 1u : 0u;
}

/* How many of at most that many entries, of which none is counted already, are done. */
static uint32_t count_run(struct env* e, struct walk* w, uint32_t level, uint32_t n, uint32_t most)
{
    const uint64_t raw = raw_of(w, n);
    const uint64_t place = raw - 1;
    FW_ASSERT(e, n + most <= w->count);
    if (raw == 0) {
        return 1;
    }
    if ((raw & RAW_LOST) != 0 || place >= w->addresses) {
        count_one(e, w, level, n);
        return 1;
    }
    look_up(e, w, place);
    const uint32_t run = run_of(w, n, place, most);
    if (blocks_holds_any(e, w->block) && !blocks_any_valid(e, place, run)) {
        log_found(e, level - 1, place, run);
        blocks_units_seen(e, place, run);
        return run;
    }
    for (uint32_t k = 0; k < run; ++k) {
        count_one(e, w, level, n + k);
    }
    return run;
}

/* The next entry from n on that what the scheme knows is not newer than, and how many follow. */
static uint32_t next_of(const struct walk* w, const uint64_t* newer, uint32_t n, uint32_t* most)
{
    while (n < w->count && bitmap_get(newer, n)) {
        ++n;
    }
    uint32_t end = n;
    while (end < w->count && !bitmap_get(newer, end)) {
        ++end;
    }
    *most = end - n;
    return n;
}

static void count_page(struct env* e, uint32_t level, uint64_t page)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    struct walk w = begin(e, level, page);
    uint64_t newer[MAPS_ENTRIES_MOST / 64];
    uint32_t most = w.count;
    uint32_t n = 0;
    FW_ASSERT(e, UINT64_C(1) << e->maps->entry_shift <= MAPS_ENTRIES_MOST);
    const bool some = level == 1 && ftl->counted != NULL && ftl->counted(e, page, newer);
    while (n < w.count) {
        n = some ? next_of(&w, newer, n, &most) : n;
        for (const uint32_t end = n + most; n < end;) {
            n += count_run(e, &w, level, n, end - n);
        }
    }
}

void maps_count(struct env* e, uint32_t level, uint64_t page)
{
    const struct maps* m = e->maps;
    const uint8_t* flags = maps_flags(e, e->maps, level, page);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if ((*flags & MAP_COUNTED) != 0) {
        return;
    }
    if (level == 1 && m->span != 1 && !maps_raw(m, level)) {
        const struct ftl_layout* layout = ftl_layout_of(e);
        const uint64_t end = maps_entries_end(e, level, page);
        for (uint64_t i = page << m->entry_shift; i < end; ++i) {
            layout->count(e, i);
        }
    } else if (!maps_raw(m, level)) {
        count_page(e, level, page);
    }
    maps_counted(e, level, page);
}
