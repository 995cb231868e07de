/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: slots that a merge programs, with the rest of their logical block.
 */
#include "firmware/buffer/merged.h"

#include "firmware/buffer/cache.h"
#include "firmware/buffer/fill.h"
#include "firmware/buffer/program.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/ops/requests.h"

bool cache_merge_take(struct env* e, uint64_t unit, uint32_t* slot)
{
    const uint32_t i = cache_find(e, unit);
    *slot = INDEX_NONE;
    if (i == INDEX_NONE) {
        return true;
    }
    const struct cache_slot* s = cache_slot_of(e, e->cache, i);
    if (s->state != SLOT_DIRTY || s->picked != 0 || s->incoming != 0 || s->older != INDEX_NONE) {
        return true; /* the flash has data that do as well: this slot's turn comes later */
    }
    if (s->valid != e->geo->unit_mask && (s->flags & SLOT_LOST) == 0) {
        cache_fill(e, i);
    }
    if ((s->valid != e->geo->unit_mask && (s->flags & SLOT_LOST) == 0) ||
        (s->flags & SLOT_FILLING) != 0) {
        return false;
    }
    cache_programs(e, i);
    run_due(e, DUE_BUFFER); /* others stand in front now */
    *slot = i;
    return true;
}

bool cache_merge_lost(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    const uint64_t missing = e->geo->unit_mask & ~s->valid;
    FW_ASSERT(e, s->state == SLOT_PROGRAMMING);
    if (missing != 0) {
        sectors_zero(e, cache_data(e, slot), missing);
    }
    return missing != 0;
}

void cache_merge_done(struct env* e, uint32_t slot, int lost)
{
    FW_ASSERT(e, (cache_slot_of(e, e->cache, slot)->flags & SLOT_DISCARD) == 0);
    cache_programmed(e, slot, lost);
}

void cache_merge_failed(struct env* e, uint32_t slot)
{
    cache_program_failed(e, slot);
}

static bool dirty(struct env* e, uint64_t unit)
{
    const uint32_t i = cache_find(e, unit);
    return i != INDEX_NONE && cache_slot_of(e, e->cache, i)->state == SLOT_DIRTY;
}

uint32_t cache_dirty_around(struct env* e, uint64_t unit, uint32_t pages, uint32_t most)
{
    const uint64_t first = unit / pages * pages;
    const uint64_t end = first + pages < e->geo->user_units ? first + pages : e->geo->user_units;
    uint32_t count = 1;
    for (uint64_t u = unit; u > first && count < most && dirty(e, u - 1); --u) {
        ++count;
    }
    for (uint64_t u = unit + 1; u < end && count < most && dirty(e, u); ++u) {
        ++count;
    }
    return count;
}

/* A walk over all slots: for many units at a time. */
uint64_t cache_next_buffered(struct env* e, uint64_t from, uint64_t end)
{
    const struct cache_slot* s = env_dram(e, e->cache->table);
    FW_ASSERT(e, from < end && end <= e->geo->user_units);
    for (uint32_t i = 0; i < e->cache->slots; ++i) {
        const uint64_t unit = s[i].unit;
        if ((s[i].flags & SLOT_HASHED) != 0 && unit >= from && unit < end) {
            end = unit;
        }
    }
    return end;
}

bool cache_settled(struct env* e)
{
    const struct cache* c = e->cache;
    uint32_t promised = 0;
    for (uint32_t i = 0; i < c->fresh && c->dirty != 0; ++i) {
        const struct cache_slot* s = cache_slot_of(e, e->cache, i);
        promised += (s->flags & SLOT_HASHED) != 0 && cache_promised(e, s->unit) ? 1u : 0u;
    }
    return promised == 0 && c->programming == 0;
}

void cache_clear(struct env* e)
{
    struct cache* c = e->cache;
    for (uint32_t i = 0; i < c->fresh; ++i) {
        const struct cache_slot* s = cache_slot_of(e, c, i);
        if ((s->flags & SLOT_HASHED) != 0) {
            (void)cache_trim(e, s->unit);
        }
    }
    FW_ASSERT(e, c->dirty == 0 && c->programming == 0);
}

int cache_still_written(struct env* e, uint64_t unit, uint32_t pages)
{
    const struct cache* c = e->cache;
    const uint64_t first = unit / pages * pages;
    bool recent = false;
    bool landing = false;
    for (uint64_t u = first; u < first + pages && u < e->geo->user_units; ++u) {
        const uint32_t i = cache_find(e, u);
        const struct cache_slot* s = i != INDEX_NONE ? cache_slot_of(e, e->cache, i) : NULL;
        if (s == NULL || s->state != SLOT_DIRTY) {
            continue;
        }
        if ((s->flags & SLOT_URGENT) != 0 || s->sequence <= c->flush_sequence) {
            return 0;
        }
        recent |= s->sequence + pages > c->sequence;
        landing |= s->incoming != 0;
    }
    return landing ? CACHE_LANDING : recent;
}

/* Time in ns, of which differences below 4 s matter; never 0. */
static uint32_t now(struct env* e)
{
    return (uint32_t)hal_time_ns(e->hal) | 1u;
}

void cache_blocked(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    s->blocked = s->blocked == 0 ? now(e) : s->blocked;
}

void cache_unblocked(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (s->blocked != 0) {
        const uint32_t waited = now(e) - s->blocked;
        e->telemetry->blocking_max_ns =
            waited > e->telemetry->blocking_max_ns ? waited : e->telemetry->blocking_max_ns;
    }
    s->blocked = 0;
}
