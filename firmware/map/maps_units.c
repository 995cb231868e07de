/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps_units.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_rising.h"
#include "firmware/space/valid.h"

enum { EACH = 8 }; /* entries of 4 bytes that are looked at together */

uint64_t maps_awaited(struct env* e, uint64_t unit)
{
    struct maps* m = e->maps;
    const uint64_t page = unit >> m->entry_shift;
    FW_ASSERT(e, unit < e->geo->user_units);
    if (m->segment != 0 || m->raw != 0 || m->span != 1) {
        return 0;
    }
    const uint8_t flags = *maps_flags(e, m, 1, page);
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if ((flags & MAP_LOADING) != 0) { /* a table of entries takes what it knows it lacks */
        return ftl->newer == NULL || ftl->newer(e, unit) ? page + 1 : 0;
    }
    return (flags & MAP_RESIDENT) != 0 || maps_may_ask(e) ? 0 : page + 1;
}

void maps_disown(struct env* e, uint64_t address)
{
    if (blocks_valid(e, address)) {
        FW_ASSERT(e, maps_damaged(e));
        blocks_invalidate(e, address);
        --e->telemetry->mapped;
    }
}

void maps_depart(struct env* e, uint64_t entry)
{
    if (maps_placed(entry)) {
        blocks_invalidate(e, entry & ~FTL_LOST);
        --e->telemetry->mapped;
    }
    e->telemetry->lost_units -= ftl_lost(entry) ? 1u : 0u;
}

/* The unit's entry, which lies there, changes. */
static inline void set_entry(struct env* e, uint64_t unit, void* at, uint64_t address)
{
    const struct maps* m = e->maps;
    const uint64_t page = maps_page(e, unit);
    const uint8_t flags = *maps_flags(e, e->maps, 1, page);
    FW_ASSERT(e, (flags & MAP_RESIDENT) != 0);
    maps_set_at(e, at, address);
    env_touch(e, at, (size_t)1 << (m->wide != 0 ? 3 : 2), true);
    if ((flags & MAP_DIRTY) == 0 || maps_framed(m, 1)) {
        maps_dirty(e, 1, page);
    }
}

void maps_commit(struct env* e, uint64_t unit, uint64_t address)
{
    void* at = maps_at(e, 1, unit, e->maps->wide != 0 ? 3 : 2);
    const uint64_t entry = maps_entry_at(e, at);
    FW_ASSERT(e, (entry & ~FTL_LOST) != address);
    set_entry(e, unit, at, address);
    if (maps_placed(entry)) {
        blocks_replace(e, entry & ~FTL_LOST, address);
    } else {
        log_valid(e, LOG_D, address);
    }
    e->telemetry->lost_units -= ftl_lost(entry) ? 1u : 0u;
}

void maps_lose(struct env* e, uint64_t unit)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, maps_has(e, unit));
    FW_ASSERT(e, entry != FTL_NONE);
    if (!ftl_lost(entry)) {
        maps_set(e, 1, unit, entry | FTL_LOST);
        ++e->telemetry->lost_units;
        ++e->telemetry->units_lost;
    }
}

bool maps_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    const uint32_t shift = e->maps->wide != 0 ? 3 : 2;
    void* at = maps_at(e, 1, unit, shift);
    const uint64_t entry = maps_entry_at(e, at);
    FW_ASSERT(e, maps_has(e, unit));
    FW_ASSERT(e, from != to);
    if (!maps_placed(entry) || (entry & ~FTL_LOST) != from) {
        env_touch(e, at, (size_t)1 << shift, false);
        maps_disown(e, from);
        return false;
    }
    set_entry(e, unit, at, to | (entry & FTL_LOST));
    blocks_replace(e, from, to);
    return true;
}

bool maps_trim(struct env* e, uint64_t unit)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, maps_has(e, unit));
    if (entry == FTL_NONE) {
        return false;
    }
    e->telemetry->lost_units -= ftl_lost(entry) ? 1u : 0u;
    log_appended(e, LOG_D, unit, entry, FTL_NONE);
    return true;
}

/* ---- Many units of a map page at a time ---- */

static uint64_t end_in_page(const struct env* e, uint64_t unit, uint64_t end)
{
    const uint64_t next = ((maps_page(e, unit)) + 1) << e->maps->entry_shift;
    FW_ASSERT(e, unit < end);
    return end < next ? end : next;
}

/* Entries of 4 bytes from `at` on, of `count`, that are all 0. */
static uint64_t zeroes_of(const uint32_t* at, uint64_t count)
{
    uint64_t n = 0;
    while (n + EACH <= count && (at[n] | at[n + 1] | at[n + 2] | at[n + 3] | at[n + 4] | at[n + 5] |
                                 at[n + 6] | at[n + 7]) == 0) {
        n += EACH;
    }
    while (n < count && at[n] == 0) {
        ++n;
    }
    return n;
}

static uint64_t wide_zeroes_of(const uint64_t* at, uint64_t count)
{
    uint64_t n = 0;
    while (n < count && at[n] == 0) {
        ++n;
    }
    return n;
}

/* Of a resident page. */
static uint64_t empty_of(const struct env* e, uint64_t unit, uint64_t count)
{
    const uint32_t shift = e->maps->wide != 0 ? 3 : 2;
    const void* at = maps_at(e, 1, unit, shift);
    const uint64_t n = shift == 3 ? wide_zeroes_of(at, count) : zeroes_of(at, count);
    FW_ASSERT(e, n <= count);
    env_touch(e, at, (n < count ? n + 1 : n) << shift, false);
    return n;
}

bool maps_never_written(struct env* e, uint64_t page)
{
    const uint32_t busy = MAP_LOADING | MAP_DIRTY | MAP_WRITING | MAP_PUT;
    struct maps* m = e->maps;
    const uint8_t own = *maps_flags(e, m, 1, page);
    FW_ASSERT(e, m->segment == 0 && page < m->level[1].pages);
    if ((own & (busy | MAP_RESIDENT)) != 0 || m->frames.derived != 0) {
        return false;
    }
    for (uint32_t level = 2; level <= m->levels; ++level) {
        const uint64_t above = page >> m->entry_shift;
        const uint8_t flags = *maps_flags(e, m, level, above);
        if ((flags & MAP_RESIDENT) != 0) {
            return maps_entry(e, level, page) == FTL_NONE;
        }
        if ((flags & busy) != 0) {
            return false;
        }
        page = above; /* nor has this one an entry, if it was never written */
    }
    return m->top == FTL_NONE;
}

uint64_t maps_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const uint64_t page = maps_page(e, unit);
    const uint64_t stop = end_in_page(e, unit, end);
    if (e->maps->frames.derived != 0) {
        return 0;
    }
    if (maps_has(e, unit)) {
        return empty_of(e, unit, stop - unit);
    }
    return maps_never_written(e, page) ? stop - unit : 0;
}

/* Entries that name this place and those behind it, in one superblock, none of them lost. */
static uint64_t run_of(const struct env* e, const void* at, uint64_t place, uint64_t count)
{
    const struct geometry* g = e->geo;
    const uint64_t room =
        (((uint64_t)address_block(g, place) + 1) * g->pages << g->row_shift) - place;
    const uint64_t most = count < room ? count : room;
    uint64_t n = 1;
    if (e->maps->wide == 0) {
        return maps_rising(at, (uint32_t)most);
    }
    const uint64_t* entry = at;
    while (n < most && entry[n] == place + 1 + n) {
        ++n;
    }
    FW_ASSERT(e, n <= count);
    return n;
}

/* As trim does it for each of them; what is lost, or nowhere, by itself. */
static uint64_t leave_run(struct env* e, uint64_t unit, uint64_t count)
{
    const struct maps* m = e->maps;
    const uint32_t shift = m->wide != 0 ? 3 : 2;
    void* at = maps_at(e, 1, unit, shift);
    const uint64_t entry = maps_entry_at(e, at);
    FW_ASSERT(e, entry != FTL_NONE && count != 0);
    if (ftl_lost(entry)) {
        return (uint64_t)maps_trim(e, unit);
    }
    const uint64_t run = run_of(e, at, entry, count);
    blocks_invalidate_run(e, entry, (uint32_t)run);
    e->telemetry->mapped -= run;
    mem_zero(at, run << shift);
    env_touch(e, at, run << shift, true);
    maps_dirty(e, 1, unit >> m->entry_shift);
    return run;
}

uint64_t maps_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped)
{
    const uint64_t stop = end_in_page(e, unit, end);
    FW_ASSERT(e, maps_has(e, unit));
    *mapped = 0;
    for (uint64_t u = unit; u < stop;) {
        u += empty_of(e, u, stop - u);
        if (u < stop) {
            const uint64_t left = leave_run(e, u, stop - u);
            *mapped += left;
            u += left;
        }
    }
    return stop - unit;
}

void maps_empty(struct env* e, uint64_t unit, uint64_t end)
{
    const uint32_t shift = e->maps->wide != 0 ? 3 : 2;
    for (uint64_t u = unit; u < end;) {
        const uint64_t stop = end_in_page(e, u, end);
        FW_ASSERT(e, maps_has(e, u));
        if (empty_of(e, u, stop - u) != stop - u) {
            mem_zero(maps_at(e, 1, u, shift), (stop - u) << shift);
            maps_dirty(e, 1, u >> e->maps->entry_shift);
        }
        u = stop;
    }
}
