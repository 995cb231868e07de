/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps_saved.h"

#include "firmware/lib/mem.h"
#include "firmware/map/maps_count.h"
#include "firmware/map/maps_program.h"
#include "firmware/map/segments_commit.h"
#include "firmware/space/blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

enum { AHEAD_MOST = 4096 };

/* true = the page has to go to the flash for a checkpoint. */
static bool belongs(const struct maps* m, uint32_t level, uint8_t flags)
{
    return (flags & MAP_DIRTY) != 0 || maps_derived(m, level, flags);
}

/* Pages that have to be fetched first are fetched together. Those up to `ahead` have been asked
 * for: what has changed of them since, or could not be put out, the walk comes by. */
static void put_ahead(struct env* e, uint64_t from)
{
    struct maps* m = e->maps;
    const uint8_t* flags = env_dram(e, m->level[1].flags);
    const uint64_t most = from + AHEAD_MOST;
    const uint64_t end = most < m->level[1].pages ? most : m->level[1].pages;
    uint64_t page = m->ahead > from ? m->ahead : from;
    FW_ASSERT(e, maps_passing(m));
    for (; page < end && maps_may_put(e); ++page) {
        if (belongs(m, 1, flags[page]) && (flags[page] & MAP_PUT) == 0) {
            (void)maps_put(e, 1, page);
        }
    }
    m->ahead = page;
}

/* A page could not be put out. Until another one has come or gone it would be tried in vain. */
static bool in_vain(struct env* e, uint32_t level)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    return level == 1 && maps_passing(e->maps) && e->maps->walked == e->maps->turns &&
           maps_go_on(e);
}

bool maps_put_level(struct env* e, uint32_t level, uint64_t* walk)
{
    struct maps* m = e->maps;
    const struct map_level* l = &m->level[level];
    const uint8_t* flags = env_dram(e, l->flags);
    if (l->dirty == 0 && m->frames.derived == 0) {
        *walk = l->pages;
    }
    m->ahead = *walk == 0 ? 0 : m->ahead;
    for (; *walk < l->pages; ++*walk) {
        if (!belongs(m, level, flags[*walk])) {
            continue;
        }
        const bool vain = in_vain(e, level);
        if (vain || !maps_put(e, level, *walk)) {
            maps_hurry(e, level); /* an earlier copy of the page may wait for company */
            if (!vain && level == 1 && maps_passing(m)) {
                put_ahead(e, *walk + 1);
                m->walked = m->turns;
            }
            return false;
        }
    }
    return true;
}

void maps_empty_frames(struct env* e)
{
    struct maps* m = e->maps;
    struct map_frames* f = &m->frames;
    const uint32_t* pages = env_dram(e, f->page);
    maps_recall(e);
    for (uint32_t i = 0; i < f->all; ++i) {
        const uint32_t page = pages[i];
        if (page == INDEX_NONE) {
            continue;
        }
        uint8_t* flags = maps_flags(e, m, 1, page);
        if ((*flags & MAP_DIRTY) != 0) {
            --m->level[1].dirty;
            maps_differs(e, 1, page, -1);
        }
        f->wanted -= (*flags & MAP_PUT) != 0 ? 1u : 0u;
        *flags = (uint8_t)(*flags & ~(MAP_DIRTY | MAP_PUT));
        maps_drop_frame(e, 1, page);
    }
    FW_ASSERT(e, f->wanted == 0 && m->level[1].dirty == 0);
}

void maps_count_top(struct env* e)
{
    const uint64_t top = e->maps->top;
    if (maps_placed(top)) {
        maps_validate(e, top);
        blocks_units_seen(e, top, 1);
    }
}

void maps_count_found(struct env* e)
{
    struct maps* m = e->maps;
    /* What is in memory and has no place on the flash any more goes there with a checkpoint. */
    if (maps_placed(m->top) && blocks_holds(e, m->top)) {
        maps_count_top(e);
    } else if (maps_resides(e, m->levels, 0) && m->top != FTL_NONE) {
        m->top = FTL_NONE;
        maps_dirty(e, m->levels, 0);
    } else if (m->top != FTL_NONE) {
        m->top = FTL_LOST | MAPS_NOWHERE;
    }
    for (uint32_t level = m->levels; level > 0; --level) {
        for (uint64_t page = 0; page < maps_pages(e, level); ++page) {
            if (maps_resides(e, level, page)) {
                maps_count(e, level, page);
            }
        }
    }
}

/* ---- A new drive's ---- */

static void clear_frames(struct env* e, uint32_t level)
{
    struct map_frames* f = maps_frames_of(e->maps, level);
    struct map_buffer* b = &f->buffer;
    uint32_t* page = env_dram(e, f->page);
    FW_ASSERT(e, f->holding == 0 && f->derived == 0);
    fifo_init(&f->free);
    for (uint32_t i = 0; i < f->few; ++i) {
        page[i] = INDEX_NONE;
        fifo_push(&f->free, env_dram(e, f->links), i);
    }
    f->wanted = 0;
    if (b->stays != 0) {
        mem_zero(env_dram(e, b->table), (uint64_t)f->few * sizeof(struct map_buffered));
        chain_init(&b->order);
        b->refused = 0;
        b->pressed = 0;
        b->bound = 0;
    }
}

static void clear_level(struct env* e, uint32_t level)
{
    struct maps* m = e->maps;
    struct map_level* l = &m->level[level];
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    mem_fill(env_dram(e, l->flags), MAP_COUNTED | MAP_CHECKED, l->pages);
    l->dirty = 0;
    if (maps_framed(m, level) && m->segment == 0) {
        clear_frames(e, level);
    }
}

/* Whoever asked for entries or looked for their owners asks again. */
static void forget_askers(struct env* e)
{
    e->maps->search.address = FTL_NONE;
    ftl_ask_again(e);
    if (ftl_ops_of(e)->forget != NULL) {
        ftl_ops_of(e)->forget(e);
    }
}

void maps_clear(struct env* e)
{
    struct maps* m = e->maps;
    FW_ASSERT(e, m->reads == 0 && m->out.programs == 0);
    FW_ASSERT(e, m->span == 1 && m->raw == 0);
    maps_drop_outs(e);
    hmb_clear(e);
    for (uint32_t level = 1; level <= m->levels; ++level) {
        clear_level(e, level);
    }
    m->top = FTL_NONE;
    m->uncounted = 0;
    m->damaged = 0;
    m->cleared = 1;
    if (m->segment != 0) {
        segments_clear(e);
    }
    forget_askers(e);
}
