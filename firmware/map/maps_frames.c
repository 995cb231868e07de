/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps: a framed level. Its pages share a few frames, where they are read, changed and put out
 * again. Either they pass through: what is known of their entries between times is the scheme's,
 * and a page leaves its frame at once, unless it differs from the flash: then it goes out first. Or
 * they stay until others need the room (maps_buffer.c). While a copy of a page is on its way it is
 * not read from the flash: the copy tells.
 */
#include "firmware/map/maps_frames.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_count.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

static uint32_t* page_of(struct env* e, uint32_t level, uint32_t frame)
{
    const struct map_frames* f = maps_frames_of(e->maps, level);
    FW_ASSERT(e, frame < f->all);
    return (uint32_t*)env_dram(e, f->page) + frame;
}

static uint32_t* frame_of(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, page < maps_pages(e, level));
    return (uint32_t*)env_dram(e, e->maps->level[level].frame) + page;
}

bool maps_frame_free(struct env* e, uint32_t level)
{
    struct map_frames* f = maps_frames_of(e->maps, level);
    if (f->free.count == 0 && f->buffer.stays != 0 && f->holding == 0) {
        (void)maps_buffer_evict(e, level);
    }
    if (f->free.count == 0 && level > 1) {
        maps_hurry(e, level - 1); /* copies that wait for company hold pages here */
    }
    FW_ASSERT(e, f->free.count <= f->all);
    return f->free.count != 0;
}

bool maps_take_frame(struct env* e, uint32_t level, uint64_t page)
{
    struct map_frames* f = maps_frames_of(e->maps, level);
    if (!maps_frame_free(e, level)) {
        return false;
    }
    const uint32_t i = fifo_pop(&f->free, env_dram(e, f->links));
    *page_of(e, level, i) = (uint32_t)page;
    *frame_of(e, level, page) = i;
    FW_ASSERT(e, f->holding != 0 || i < f->few);
    return true;
}

void maps_drop_frame(struct env* e, uint32_t level, uint64_t page)
{
    struct map_frames* f = maps_frames_of(e->maps, level);
    uint8_t* flags = maps_flags(e, e->maps, level, page);
    const uint32_t i = *frame_of(e, level, page);
    FW_ASSERT(e, *page_of(e, level, i) == page);
    FW_ASSERT(e, (*flags & (MAP_PUT | MAP_LOADING)) == 0);
    *page_of(e, level, i) = INDEX_NONE;
    *flags = (uint8_t)(*flags & ~MAP_RESIDENT);
    ++e->maps->turns;
    fifo_push_front(&f->free, env_dram(e, f->links), i);
}

bool maps_spare_one(const struct env* e, uint32_t all)
{
    FW_ASSERT(e, all != 0);
    return all > e->geo->group && blocks_free(e) <= blocks_set_aside(e);
}

bool maps_stuck(struct env* e)
{
    return e->telemetry->read_only != 0 && maps_starve(e);
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

bool maps_absent(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    if ((*flags & (MAP_RESIDENT | MAP_LOADING | MAP_WRITING)) != 0 ||
        maps_derived(m, level, *flags) || !maps_load_above(e, level, page, false) ||
        log_read(e, level, page) != FTL_NONE) {
        return false;
    }
    *flags |= MAP_CHECKED;
    if (m->counting != 0 && (*flags & MAP_COUNTED) == 0) {
        maps_counted(e, level, page);
    }
    FW_ASSERT(e, page < m->level[level].pages);
    return true;
}

/* true = the page above will be there when the page's new place is known. */
static bool hold_above(struct env* e, uint32_t level, uint64_t page)
{
    const uint64_t above = maps_page(e, page);
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    if (level == e->maps->levels || !maps_framed(e->maps, level + 1)) {
        return true;
    }
    if (!maps_buffer_may_hold(e, level + 1, above) || !maps_buffer_use(e, level + 1, above)) {
        return false;
    }
    maps_buffer_hold(e, level + 1, above);
    return true;
}

void maps_copy_done(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    if (level < e->maps->levels && maps_framed(e->maps, level + 1)) {
        maps_buffer_release(e, level + 1, maps_page(e, page));
    }
}

/* A page of level 1 is on its way out in that buffer, another one of the page too. */
static void renew_host_copy(struct env* e, uint64_t page, uint32_t out)
{
    const struct hmb_source source = {maps_out_buffer(e, out), out,
                                      spare_unpack(maps_out_of(e, out)->word).check};
    hmb_renew(e, page, &source);
}

/* The page goes out, in a copy or, where its frame is left, in its own buffer. */
static uint32_t put_page(struct env* e, uint32_t level, uint64_t page, bool leaves)
{
    const uint64_t word = spare_pack(SPARE_MAP, ((uint64_t)level << 32) | page);
    if (!leaves) {
        return maps_put_unit(e, word, maps_home(e, e->maps, level, page));
    }
    uint32_t* lies = (uint32_t*)env_dram(e, e->maps->frames.lies) + *frame_of(e, level, page);
    const uint32_t out = *lies;
    FW_ASSERT(e, level == 1 && e->maps->frames.holding == 0);
    const struct map_frames* f = &e->maps->frames;
    *lies = maps_put_buffer(e, word, out, f->came == page + 1 ? &f->sum : NULL);
    return out;
}

static bool put_out(struct env* e, uint32_t level, uint64_t page, bool leaves)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if ((*flags & MAP_WRITING) != 0 || !maps_free_outs(e, level) || !hold_above(e, level, page)) {
        maps_hurry(e, level); /* copies that wait for company may hold what is above */
        return false;
    }
    const uint32_t out = put_page(e, level, page, leaves);
    if (out == INDEX_NONE) {
        maps_copy_done(e, level, page); /* what left for the page above took the last buffer */
        return false;
    }
    if (level == 1 && hmb_lent(e)) {
        renew_host_copy(e, page, out);
    }
    if ((*flags & MAP_DIRTY) != 0) {
        --m->level[level].dirty;
        maps_differs(e, level, page, -1);
    }
    if ((*flags & MAP_PUT) != 0 && --maps_frames_of(m, level)->wanted == 0) {
        maps_pressed(e);
    }
    if (maps_derived(m, level, *flags)) {
        *flags = (uint8_t)((*flags | MAP_CHECKED) & ~MAP_TOUCHED);
    }
    *flags = (uint8_t)((*flags | MAP_WRITING) & ~(MAP_DIRTY | MAP_PUT));
    return true;
}

bool maps_put_copy(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    return put_out(e, level, page, false);
}

/* A page in a frame goes out, with all that the scheme knows of it. */
static bool put_now(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0 && (*flags & MAP_PUT) != 0);
    struct map_frames* f = maps_frames_of(m, level);
    if (f->buffer.stays != 0) {
        return maps_put_copy(e, level, page);
    }
    if ((*flags & MAP_WRITING) != 0 || !maps_free_outs(e, level)) {
        f->kept = 1;
        maps_hurry(e, level);
        return false;
    }
    const bool passing = f->holding == 0;
    const bool left = passing && ftl_ops_of(e)->merge(e, page);
    const bool put = put_out(e, level, page, passing);
    FW_ASSERT(e, put);
    if (left) {
        maps_mark(e, page);
    }
    if (passing) {
        maps_drop_frame(e, level, page);
    }
    return put;
}

/* One frame is for those who only read. */
static uint32_t least_free(const struct map_frames* f)
{
    return f->few > 1 && f->holding == 0 ? 2 : 1;
}

bool maps_may_put(const struct env* e)
{
    const struct map_frames* f = &e->maps->frames;
    const uint32_t least = least_free(f);
    FW_ASSERT(e, f->buffer.stays == 0);
    return flash_may_take(e, OWNER_MAP_READ) && f->free.count >= least &&
           (f->wanted + least <= f->few || f->holding != 0);
}

bool maps_put_framed(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    struct map_frames* f = maps_frames_of(m, level);
    uint8_t* flags = maps_flags(e, m, level, page);
    if ((*flags & MAP_WRITING) != 0) {
        maps_hurry(e, level);
        return false;
    }
    if ((*flags & MAP_RESIDENT) != 0 && f->buffer.stays != 0) {
        return maps_put_copy(e, level, page);
    }
    const uint32_t least = least_free(f);
    if ((*flags & (MAP_RESIDENT | MAP_LOADING)) == 0) {
        if ((f->free.count < least && f->buffer.stays == 0) ||
            (!maps_load(e, level, page, false) && (*flags & MAP_LOADING) == 0)) {
            return false;
        }
    }
    if ((*flags & MAP_PUT) == 0) {
        if (f->wanted + least > f->few && f->holding == 0) {
            return false;
        }
        *flags |= MAP_PUT;
        ++f->wanted;
        maps_pressed(e);
    }
    FW_ASSERT(e, (*flags & (MAP_RESIDENT | MAP_LOADING)) != 0);
    return (*flags & MAP_RESIDENT) != 0 && put_now(e, level, page);
}

void maps_leave(struct env* e, uint32_t level, uint64_t page)
{
    const uint8_t* flags = maps_flags(e, e->maps, level, page);
    const struct map_frames* f = maps_frames_of(e->maps, level);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if (f->holding != 0) {
        return;
    }
    if ((*flags & MAP_PUT) != 0) {
        (void)put_now(e, level, page); /* else as soon as there is a buffer for it */
    } else if (f->buffer.stays == 0) {
        maps_drop_frame(e, level, page);
    }
}

void maps_arrived(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, maps_resides(e, level, page));
    if (maps_frames_of(e->maps, level)->holding != 0) {
        maps_frames_of(e->maps, level)->kept = 1;
        return;
    }
    if (level == 1) {
        ftl_ops_of(e)->arrived(e, page);
    } else {
        maps_searched(e, level, page);
    }
    maps_leave(e, level, page);
    e->maps->frames.came = 0; /* it has left, or may be changed by anybody */
}

void maps_frames_step(struct env* e)
{
    struct map_frames* f = &e->maps->frames;
    if (!maps_passing(e->maps) || f->kept == 0) {
        return; /* who has a page put out asks again; those on their way go when they come */
    }
    f->kept = 0;
    uint32_t left = f->wanted;
    for (uint32_t i = 0; i < f->few && left != 0; ++i) {
        const uint32_t page = *page_of(e, 1, i);
        const uint8_t flags = page != INDEX_NONE ? *maps_flags(e, e->maps, 1, page) : 0;
        left -= (flags & MAP_PUT) != 0 ? 1u : 0u;
        if ((flags & MAP_PUT) != 0 && (flags & MAP_RESIDENT) != 0 && !put_now(e, 1, page)) {
            maps_hurry(e, 1);
        }
    }
}

/* ---- While the drive boots ---- */

void maps_keep(struct env* e, uint32_t level)
{
    struct map_frames* f = maps_frames_of(e->maps, level);
    FW_ASSERT(e, f->holding == 0 && f->free.count == f->few);
    f->holding = 1;
    for (uint32_t i = f->few; i < f->all; ++i) {
        *page_of(e, level, i) = INDEX_NONE;
        fifo_push(&f->free, env_dram(e, f->links), i);
    }
}

/* Pages in the frames that go move to those that stay. false = some have to be put out before. */
static bool move_down(struct env* e, uint32_t level)
{
    struct maps* m = e->maps;
    struct map_frames* f = maps_frames_of(m, level);
    uint32_t to = 0;
    for (uint32_t i = f->few; i < f->all; ++i) {
        const uint32_t page = *page_of(e, level, i);
        if (page == INDEX_NONE) {
            continue;
        }
        while (to < f->few && *page_of(e, level, to) != INDEX_NONE) {
            ++to;
        }
        if (to == f->few) {
            return false;
        }
        mem_copy(env_dram(e, maps_frame_home(e, m, level, to)),
                 env_dram(e, maps_home(e, m, level, page)), e->geo->unit_size);
        *page_of(e, level, i) = INDEX_NONE;
        *page_of(e, level, to) = page;
        *frame_of(e, level, page) = to;
    }
    FW_ASSERT(e, to <= f->few);
    return true;
}

/* What changed while the drive booted stays, and leaves when its turn comes. */
static void settle(struct env* e, uint32_t level, uint64_t page)
{
    uint8_t* flags = maps_flags(e, e->maps, level, page);
    FW_ASSERT(e, (*flags & (MAP_PUT | MAP_DIRTY)) == (MAP_PUT | MAP_DIRTY));
    *flags = (uint8_t)(*flags & ~MAP_PUT);
    --maps_frames_of(e->maps, level)->wanted;
    maps_buffer_enter(e, level, page);
}

bool maps_shrink(struct env* e, uint32_t level)
{
    struct map_frames* f = maps_frames_of(e->maps, level);
    FW_ASSERT(e, f->holding != 0);
    for (uint32_t i = 0; i < f->all; ++i) {
        const uint32_t page = *page_of(e, level, i);
        if (page != INDEX_NONE && (*maps_flags(e, e->maps, level, page) & MAP_PUT) == 0) {
            maps_drop_frame(e, level, page);
        }
    }
    if ((f->buffer.stays != 0 && f->buffer.bound >= f->few) || !move_down(e, level)) {
        return false;
    }
    f->holding = 0;
    f->kept = 1; /* what had no room to go out while all was held */
    run_due(e, DUE_DURABLE);
    fifo_init(&f->free);
    for (uint32_t i = 0; i < f->few; ++i) {
        if (*page_of(e, level, i) == INDEX_NONE) {
            fifo_push(&f->free, env_dram(e, f->links), i);
        } else if (f->buffer.stays != 0) {
            settle(e, level, *page_of(e, level, i));
        }
    }
    mem_zero(env_dram(e, f->extra), (uint64_t)(f->all - f->few) << e->geo->unit_shift);
    return true;
}

uint64_t maps_extra(const struct env* e)
{
    return e->maps->frames.extra;
}

void maps_zero_extra(struct env* e)
{
    const struct map_frames* f = &e->maps->frames;
    FW_ASSERT(e, f->holding == 0);
    mem_zero(env_dram(e, f->extra), (uint64_t)(f->all - f->few) << e->geo->unit_shift);
}

/* ---- The unit at an address ---- */

void maps_search_init(struct env* e)
{
    FW_ASSERT(e, maps_framed(e->maps, 1));
    e->maps->search.address = FTL_NONE;
}

/* A page of level 2 that is in its frame. */
static void search_upper(struct env* e, uint64_t page)
{
    struct maps_owner_search* s = &e->maps->search;
    const uint64_t first = page << e->maps->entry_shift;
    const uint64_t end = first + (UINT64_C(1) << e->maps->entry_shift);
    FW_ASSERT(e, page == s->page && s->level == 2);
    for (uint64_t n = first; n < end && n < maps_pages(e, 1); ++n) {
        if ((maps_entry(e, 2, n) & ~FTL_LOST) == s->address) {
            s->moves = n;
        }
    }
    ++s->page;
}

static void search_page(struct env* e, uint64_t page)
{
    struct maps_owner_search* s = &e->maps->search;
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint64_t first = page << e->maps->entry_shift;
    const uint64_t end = first + (UINT64_C(1) << e->maps->entry_shift);
    FW_ASSERT(e, page == s->page);
    for (uint64_t u = first; u < end && u < e->geo->user_units; ++u) {
        if ((maps_entry(e, 1, u) & ~FTL_LOST) == s->address &&
            (ftl->newer == NULL || !ftl->newer(e, u))) {
            s->found = u;
        }
    }
    ++s->page;
}

void maps_searched(struct env* e, uint32_t level, uint64_t page)
{
    const struct maps_owner_search* s = &e->maps->search;
    FW_ASSERT(e, maps_resides(e, level, page));
    if (s->address == FTL_NONE || s->level != level || s->page != page) {
        return;
    }
    if (level == 1) {
        search_page(e, page);
    } else {
        search_upper(e, page);
    }
}

/* One search at a time. One that nobody waits for any more makes room. */
static bool begin_search(struct env* e, uint64_t address)
{
    struct maps_owner_search* s = &e->maps->search;
    const uint64_t* valid = blocks_valid_map(e);
    FW_ASSERT(e, address != FTL_NONE);
    if (s->address == address) {
        return true;
    }
    if (s->address != FTL_NONE && s->found == FTL_NONE && bitmap_get(valid, s->address)) {
        return false;
    }
    s->address = address;
    s->level = maps_framed(e->maps, 2) ? 2 : 1;
    s->page = 0;
    s->found = FTL_NONE;
    s->moves = FTL_NONE;
    return true;
}

/* Level 2, where it is framed. true = it tells of no page of level 1 there; false = ask again. */
static bool search_above(struct env* e)
{
    struct maps_owner_search* s = &e->maps->search;
    while (s->level == 2 && s->moves == FTL_NONE && s->page < maps_pages(e, 2)) {
        if (maps_absent(e, 2, s->page)) {
            ++s->page;
        } else if (maps_load(e, 2, s->page, false)) {
            search_upper(e, s->page);
        } else {
            return false;
        }
    }
    if (s->level == 2 && s->moves == FTL_NONE) {
        s->level = 1;
        s->page = 0;
    }
    if (s->moves != FTL_NONE) {
        (void)maps_put_framed(e, 1, s->moves);
    }
    FW_ASSERT(e, s->address != FTL_NONE);
    return s->moves == FTL_NONE;
}

uint64_t maps_search(struct env* e, uint64_t address)
{
    struct maps_owner_search* s = &e->maps->search;
    if (!begin_search(e, address) || !search_above(e)) {
        return FTL_UNKNOWN;
    }
    while (s->found == FTL_NONE && s->page < maps_pages(e, 1)) {
        if (maps_absent(e, 1, s->page)) {
            ++s->page;
        } else if (maps_load(e, 1, s->page, false)) {
            const uint64_t page = s->page;
            search_page(e, page);
            maps_leave(e, 1, page);
        } else {
            return FTL_UNKNOWN;
        }
    }
    const uint64_t found = s->found;
    s->address = FTL_NONE;
    FW_ASSERT(e, found == FTL_NONE || found < e->geo->user_units);
    if (found != FTL_NONE) {
        return found;
    }
    /* It was in memory meanwhile, and is there no more: once more. Where pages are all there is,
     * nobody can say any more whose it was. */
    if (ftl_ops_of(e)->newer == NULL) {
        maps_disown(e, address);
    }
    ftl_ask_again(e);
    return FTL_UNKNOWN;
}
