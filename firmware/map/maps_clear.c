/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps that map nothing any more (durable/clear.c): no page has a place, none is in memory, and
 * whoever asks for one gets it empty. What the flash holds of the old ones is garbage. It costs a
 * byte per map page, whatever they held.
 */
#include "firmware/lib/mem.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_commit.h"

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
