/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps: a framed level. Its pages share a few frames, where they are read, changed and put out
 * again. Either they pass through: what is known of their entries between times is the scheme's,
 * and a page leaves its frame at once, unless it differs from the flash: then it goes out first. Or
 * they stay until others need the room (maps_buffer.c). While a copy of a page is on its way it is
 * not read from the flash: the copy tells.
 */
#include "firmware/ftl/maps_frames.h"
#include "firmware/flash/blocks.h"
#include "firmware/flash/reserve.h"
#include "firmware/flash/spare.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/maps.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/stats.h"

static uint32_t* page_of(struct env* e, uint32_t frame)
{
    FW_ASSERT(e, frame < e->maps->frames.all);
    return (uint32_t*)env_dram(e, e->maps->frames.page) + frame;
}

static uint32_t* frame_of(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page < e->maps->level[1].pages);
    return (uint32_t*)env_dram(e, e->maps->level[1].frame) + page;
}

int maps_take_frame(struct env* e, uint64_t page)
{
    struct map_frames* f = &e->maps->frames;
    if (f->free.count == 0 && f->buffer.stays != 0 && f->holding == 0) {
        (void)maps_buffer_evict(e);
    }
    const uint32_t i = fifo_pop(&f->free, env_dram(e, f->links));
    if (i == INDEX_NONE) {
        return 0;
    }
    *page_of(e, i) = (uint32_t)page;
    *frame_of(e, page) = i;
    FW_ASSERT(e, f->holding != 0 || i < f->few);
    return 1;
}

void maps_drop_frame(struct env* e, uint64_t page)
{
    struct map_frames* f = &e->maps->frames;
    uint8_t* flags = maps_flags(e, e->maps, 1, page);
    const uint32_t i = *frame_of(e, page);
    FW_ASSERT(e, *page_of(e, i) == page);
    FW_ASSERT(e, (*flags & (MAP_PUT | MAP_LOADING)) == 0);
    *page_of(e, i) = INDEX_NONE;
    *flags = (uint8_t)(*flags & ~MAP_RESIDENT);
    fifo_push_front(&f->free, env_dram(e, f->links), i);
}

int maps_spare_one(const struct env* e, uint32_t all)
{
    FW_ASSERT(e, all != 0);
    return all > e->geo->group && e->blocks->free <= RESERVE_FREE + e->blocks->map_reserve;
}

int maps_stuck(struct env* e)
{
    FW_ASSERT(e, e->maps->out.count != 0);
    return e->stats->read_only != 0 && maps_starve(e);
}

void maps_mark(struct env* e, uint64_t page)
{
    uint8_t* flags = maps_flags(e, e->maps, 1, page);
    FW_ASSERT(e, maps_framed(e->maps, 1));
    if ((*flags & MAP_DIRTY) == 0) {
        *flags |= MAP_DIRTY;
        ++e->maps->level[1].dirty;
    }
}

int maps_absent(struct env* e, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, 1, page);
    if ((*flags & (MAP_RESIDENT | MAP_LOADING | MAP_WRITING)) != 0 ||
        (m->levels > 1 && !maps_load(e, 2, page >> m->entry_shift, 0)) ||
        (m->levels > 1 ? maps_entry(e, 2, page) : m->top) != FTL_NONE) {
        return 0;
    }
    *flags |= MAP_CHECKED;
    if (m->counting != 0 && (*flags & MAP_COUNTED) == 0) {
        maps_counted(e, 1, page);
    }
    FW_ASSERT(e, page < m->level[1].pages);
    return 1;
}

int maps_put_copy(struct env* e, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, 1, page);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if ((*flags & MAP_WRITING) != 0 || !maps_free_outs(e, 1)) {
        maps_hurry(e, 1);
        return 0;
    }
    const int put = maps_put_unit(e, spare_pack(SPARE_MAP, (UINT64_C(1) << 32) | page),
                                  maps_home(e, m, 1, page));
    FW_ASSERT(e, put);
    if ((*flags & MAP_DIRTY) != 0) {
        --m->level[1].dirty;
        maps_buffer_differs(e, page, -1);
    }
    m->frames.wanted -= (*flags & MAP_PUT) != 0 ? 1u : 0u;
    *flags = (uint8_t)((*flags | MAP_WRITING) & ~(MAP_DIRTY | MAP_PUT));
    return put;
}

/* A page in a frame goes out, with all that the scheme knows of it. */
static int put_now(struct env* e, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, 1, page);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0 && (*flags & MAP_PUT) != 0);
    if ((*flags & MAP_WRITING) != 0 || !maps_free_outs(e, 1)) {
        maps_hurry(e, 1);
        return 0;
    }
    const int passing = maps_passing(m) && m->frames.holding == 0;
    const int left = passing && ftl_ops_of(e)->merge(e, page);
    const int put = maps_put_copy(e, page);
    FW_ASSERT(e, put);
    if (left) {
        maps_mark(e, page);
    }
    if (passing) {
        maps_drop_frame(e, page);
    }
    return put;
}

int maps_put_framed(struct env* e, uint64_t page)
{
    struct maps* m = e->maps;
    struct map_frames* f = &m->frames;
    uint8_t* flags = maps_flags(e, m, 1, page);
    if ((*flags & MAP_WRITING) != 0) {
        maps_hurry(e, 1);
        return 0;
    }
    if ((*flags & MAP_RESIDENT) != 0 && !maps_passing(m)) {
        return maps_put_copy(e, page);
    }
    /* One frame is for those who only read. */
    const uint32_t least = f->few > 1 && f->holding == 0 ? 2 : 1;
    if ((*flags & (MAP_RESIDENT | MAP_LOADING)) == 0) {
        if ((f->free.count < least && maps_passing(m)) ||
            (!maps_load(e, 1, page, 0) && (*flags & MAP_LOADING) == 0)) {
            return 0;
        }
    }
    if ((*flags & MAP_PUT) == 0) {
        if (f->wanted + least > f->few && f->holding == 0) {
            return 0;
        }
        *flags |= MAP_PUT;
        ++f->wanted;
    }
    FW_ASSERT(e, (*flags & (MAP_RESIDENT | MAP_LOADING)) != 0);
    return (*flags & MAP_RESIDENT) != 0 && put_now(e, page);
}

void maps_leave(struct env* e, uint64_t page)
{
    const uint8_t* flags = maps_flags(e, e->maps, 1, page);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if (e->maps->frames.holding != 0) {
        return;
    }
    if ((*flags & MAP_PUT) != 0) {
        (void)put_now(e, page); /* else as soon as there is a buffer for it */
    } else if (maps_passing(e->maps)) {
        maps_drop_frame(e, page);
    }
}

void maps_arrived(struct env* e, uint64_t page)
{
    FW_ASSERT(e, (*maps_flags(e, e->maps, 1, page) & MAP_RESIDENT) != 0);
    if (e->maps->frames.holding == 0) {
        ftl_ops_of(e)->arrived(e, page);
        maps_leave(e, page);
    }
}

void maps_frames_step(struct env* e)
{
    struct map_frames* f = &e->maps->frames;
    if (!maps_passing(e->maps)) {
        return; /* who has a page put out asks again */
    }
    for (uint32_t i = 0; i < f->few && f->wanted != 0; ++i) {
        const uint32_t page = *page_of(e, i);
        if (page != INDEX_NONE) {
            const uint8_t flags = *maps_flags(e, e->maps, 1, page);
            if ((flags & MAP_PUT) != 0 && (flags & MAP_RESIDENT) != 0 && !put_now(e, page)) {
                maps_hurry(e, 1);
            }
        }
    }
    FW_ASSERT(e, f->wanted <= f->all);
}

/* ---- While the drive boots ---- */

void maps_keep(struct env* e)
{
    struct map_frames* f = &e->maps->frames;
    FW_ASSERT(e, f->holding == 0 && f->free.count == f->few);
    f->holding = 1;
    for (uint32_t i = f->few; i < f->all; ++i) {
        *page_of(e, i) = INDEX_NONE;
        fifo_push(&f->free, env_dram(e, f->links), i);
    }
}

/* Pages in the frames that go move to those that stay. 0 = some have to be put out before. */
static int move_down(struct env* e)
{
    struct maps* m = e->maps;
    struct map_frames* f = &m->frames;
    uint32_t to = 0;
    for (uint32_t i = f->few; i < f->all; ++i) {
        const uint32_t page = *page_of(e, i);
        if (page == INDEX_NONE) {
            continue;
        }
        while (to < f->few && *page_of(e, to) != INDEX_NONE) {
            ++to;
        }
        if (to == f->few) {
            return 0;
        }
        mem_copy(env_dram(e, m->level[1].home + ((uint64_t)to << e->geo->unit_shift)),
                 env_dram(e, maps_home(e, m, 1, page)), e->geo->unit_size);
        *page_of(e, i) = INDEX_NONE;
        *page_of(e, to) = page;
        *frame_of(e, page) = to;
    }
    FW_ASSERT(e, to <= f->few);
    return 1;
}

/* What changed while the drive booted stays, and leaves when its turn comes. */
static void settle(struct env* e, uint64_t page)
{
    uint8_t* flags = maps_flags(e, e->maps, 1, page);
    FW_ASSERT(e, (*flags & (MAP_PUT | MAP_DIRTY)) == (MAP_PUT | MAP_DIRTY));
    *flags = (uint8_t)(*flags & ~MAP_PUT);
    --e->maps->frames.wanted;
    maps_buffer_enter(e, page);
}

int maps_shrink(struct env* e)
{
    struct map_frames* f = &e->maps->frames;
    FW_ASSERT(e, f->holding != 0);
    for (uint32_t i = 0; i < f->all; ++i) {
        const uint32_t page = *page_of(e, i);
        if (page != INDEX_NONE && (*maps_flags(e, e->maps, 1, page) & MAP_PUT) == 0) {
            maps_drop_frame(e, page);
        }
    }
    if ((f->buffer.stays != 0 && f->buffer.bound >= f->few) || !move_down(e)) {
        return 0;
    }
    f->holding = 0;
    fifo_init(&f->free);
    for (uint32_t i = 0; i < f->few; ++i) {
        if (*page_of(e, i) == INDEX_NONE) {
            fifo_push(&f->free, env_dram(e, f->links), i);
        } else if (f->buffer.stays != 0) {
            settle(e, *page_of(e, i));
        }
    }
    mem_zero(env_dram(e, f->extra), (uint64_t)(f->all - f->few) << e->geo->unit_shift);
    return 1;
}
