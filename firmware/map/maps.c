/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/space/blocks.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

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
    if (extra != 0) { /* pages pass through the few, which lie among those on their way out */
        f->lies = map_take(e, frames * sizeof(uint32_t));
        f->extra = map_take_pages(e, beyond << e->geo->unit_shift);
        l->home = f->extra - ((uint64_t)frames << e->geo->unit_shift);
    } else {
        l->home = map_take_pages(e, (uint64_t)f->all << e->geo->unit_shift);
    }
    if (m->segment != 0) {
        return; /* slots of segments */
    }
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
    const uint32_t shift = m->wide != 0 ? 3 : 2;
    void* at = maps_at(e, level, index, shift);
    maps_set_at(e, at, address);
    env_touch(e, at, (size_t)1 << shift, true);
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
    const bool framed = maps_framed(m, level);
    if ((*flags & MAP_DIRTY) == 0) {
        *flags |= MAP_DIRTY;
        ++m->level[level].dirty;
        if (framed) {
            maps_differs(e, level, page, 1);
        }
    }
    struct map_frames* f = maps_frames_of(m, level);
    if (framed && m->segment == 0 && (f->buffer.stays == 0 || f->holding != 0) &&
        (*flags & MAP_PUT) == 0) {
        *flags |= MAP_PUT;
        ++f->wanted;
        f->kept = 1;
        run_due(e, DUE_DURABLE);
        maps_pressed(e);
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
    log_valid(e, e->maps->levels, address);
}

void maps_invalidate(struct env* e, uint64_t address)
{
    log_invalid(e, e->maps->levels, address);
}

void maps_prefetch(struct env* e, uint64_t unit)
{
    __builtin_prefetch(maps_at(e, 1, unit, e->maps->wide != 0 ? 3 : 2), 1);
}

/* ---- Buffers ---- */

void maps_differs(struct env* e, uint32_t level, uint64_t page, int change)
{
    struct map_buffer* b = maps_buffer_of(e, level);
    if (b->stays != 0 && (maps_frames_of(e->maps, level)->holding != 0 ||
                          maps_buffered(e, level, maps_frame_of(e, level, page))->pins == 0)) {
        b->bound += (uint32_t)change;
    }
}
