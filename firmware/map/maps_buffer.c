/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps_buffer.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_load.h"
#include "firmware/space/valid.h"

enum {
    CANDIDATES = 64,  /* pages that are looked at for one that can leave */
    REFUSED_MOST = 64 /* whoever asked comes back within a round; this is many */
};

/* true = the page above is in memory: of a level that is not framed it always is. */
static bool above_here(struct env* e, uint32_t level, uint64_t page)
{
    const struct maps* m = e->maps;
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    return level == m->levels || !maps_framed(m, level + 1) ||
           maps_resides(e, level + 1, page >> m->entry_shift);
}

static struct link* links_of(struct env* e, uint32_t level)
{
    return (struct link*)env_dram(e, maps_buffer_of(e, level)->links);
}

int maps_buffer_init(struct env* e, uint32_t level, uint32_t policy)
{
    struct map_buffer* b = maps_buffer_of(e, level);
    const uint64_t frames = maps_frames_of(e->maps, level)->few;
    FW_ASSERT(e, maps_framed(e->maps, level));
    if (policy > MAP_POLICY_FIFO) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such policy for map pages", policy, 0);
        return -1;
    }
    b->table = map_take(e, frames * sizeof(struct map_buffered));
    b->links = map_take(e, frames * sizeof(struct link));
    chain_init(&b->order);
    b->policy = policy;
    b->stays = 1;
    return arenas_result(e);
}

/* ---- Order ---- */

/* A page that nobody waits for came along with others, or to be counted: it leaves first. */
void maps_buffer_enter(struct env* e, uint32_t level, uint64_t page)
{
    const uint32_t i = maps_frame_of(e, level, page);
    struct map_buffered* s = maps_buffered(e, level, i);
    FW_ASSERT(e, !s->listed && s->pins == 0);
    s->listed = true;
    if (s->wanted) {
        chain_append(&maps_buffer_of(e, level)->order, links_of(e, level), i);
    } else {
        chain_prepend(&maps_buffer_of(e, level)->order, links_of(e, level), i);
    }
}

/* The page in it was used, or has just come. */
static void touch(struct env* e, uint32_t level, uint32_t i, bool new)
{
    FW_ASSERT(e, maps_buffered(e, level, i)->listed);
    if (new || maps_buffer_of(e, level)->policy == MAP_POLICY_LRU) {
        chain_remove(&maps_buffer_of(e, level)->order, links_of(e, level), i);
        chain_append(&maps_buffer_of(e, level)->order, links_of(e, level), i);
    }
}

/* ---- Leaving ---- */

/* Who has the last superblock follows from it (gc/read.c). */
static void press(struct env* e, struct map_buffer* b, uint32_t pressed)
{
    if (b->pressed != pressed) {
        b->pressed = pressed;
        maps_pressed(e);
    }
}

/* true = the page has left. One that differs from the flash needs a place for its copy first, and
 * the page above: one of these at a time is asked for. */
static bool leave(struct env* e, uint32_t level, uint32_t i, uint32_t* asked)
{
    struct map_buffer* b = maps_buffer_of(e, level);
    const uint64_t page = ((const uint32_t*)env_dram(e, maps_frames_of(e->maps, level)->page))[i];
    const uint8_t flags = *maps_flags(e, e->maps, level, page);
    FW_ASSERT(e, maps_buffered(e, level, i)->pins == 0 && (flags & MAP_RESIDENT) != 0);
    if ((flags & MAP_PUT) != 0) {
        return false;
    }
    if ((flags & MAP_DIRTY) != 0 && !above_here(e, level, page) && (*asked)++ != 0) {
        return false;
    }
    if ((flags & MAP_DIRTY) != 0 && !maps_put_copy(e, level, page)) {
        press(e, b, 1);
        return false;
    }
    chain_remove(&b->order, links_of(e, level), i);
    *maps_buffered(e, level, i) = (struct map_buffered){0, 0, 0};
    maps_drop_frame(e, level, page);
    e->telemetry->map_evictions += level == 1 ? 1u : 0u;
    b->refused = 0;
    press(e, b, 0);
    return true;
}

/* Whoever was waited for has not come back: they are waited for no more. */
static void forget_wanted(struct env* e, uint32_t level)
{
    struct map_buffer* b = maps_buffer_of(e, level);
    FW_ASSERT(e, b->refused <= REFUSED_MOST);
    if (b->refused++ < REFUSED_MOST) {
        if (flash_in_flight(e) == 0 && !maps_host_moves(e)) {
            ftl_ask_again(e); /* nothing else brings them back */
        }
        return;
    }
    b->refused = 0;
    ftl_ask_again(e);
    for (uint32_t i = b->order.first; i != INDEX_NONE; i = links_of(e, level)[i].next) {
        maps_buffered(e, level, i)->wanted = false;
    }
}

bool maps_buffer_evict(struct env* e, uint32_t level)
{
    struct map_buffer* b = maps_buffer_of(e, level);
    const bool stuck = maps_stuck(e); /* what differs from the flash may stay for ever */
    uint32_t others = 0;              /* that cannot leave for another reason, but will */
    uint32_t wanted = 0;
    uint32_t asked = 0;
    uint32_t left = stuck ? maps_frames_of(e->maps, level)->few : CANDIDATES;
    for (uint32_t i = b->order.first; i != INDEX_NONE && left != 0;) {
        const uint32_t next = links_of(e, level)[i].next;
        const struct map_buffered* s = maps_buffered(e, level, i);
        if (s->pins == 0 && !s->wanted && leave(e, level, i, &asked)) {
            return true;
        }
        left -= s->pins == 0 ? 1u : 0u;
        wanted += s->wanted ? 1u : 0u;
        others += !stuck && s->pins == 0 && !s->wanted ? 1u : 0u;
        i = next;
    }
    if (wanted != 0 && others == 0) {
        forget_wanted(e, level);
    }
    FW_ASSERT(e, others <= CANDIDATES);
    return false;
}

/* ---- Use ---- */

static bool differs(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, page < maps_pages(e, level));
    return (*maps_flags(e, e->maps, level, page) & MAP_DIRTY) != 0;
}

/* The first page that differs from the flash and may is written, and stays. false = none now. */
static bool write_one(struct env* e, uint32_t level)
{
    struct map_buffer* b = maps_buffer_of(e, level);
    const uint32_t* pages = env_dram(e, maps_frames_of(e->maps, level)->page);
    for (uint32_t i = b->order.first; i != INDEX_NONE; i = links_of(e, level)[i].next) {
        if (maps_buffered(e, level, i)->pins == 0 && differs(e, level, pages[i]) &&
            maps_put_copy(e, level, pages[i])) {
            press(e, b, 0);
            return true;
        }
    }
    press(e, b, 1);
    return false;
}

bool maps_buffer_use(struct env* e, uint32_t level, uint64_t page)
{
    const uint8_t* flags = maps_flags(e, e->maps, level, page);
    const bool here = (*flags & MAP_RESIDENT) != 0;
    const bool coming = (*flags & MAP_LOADING) != 0;
    const bool loaded = here || maps_load(e, level, page, false);
    if (!loaded && (*flags & MAP_LOADING) == 0) {
        return false; /* there is no frame, or the page above it comes first */
    }
    struct map_buffered* s = maps_buffered(e, level, maps_frame_of(e, level, page));
    e->telemetry->map_misses += level == 1 && !here && !coming ? 1u : 0u;
    if (!loaded) {
        s->wanted = true;
        return false;
    }
    e->telemetry->map_hits += level == 1 && here && !s->wanted && s->pins == 0 ? 1u : 0u;
    s->wanted = false;
    touch(e, level, maps_frame_of(e, level, page), !here);
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    return true;
}

bool maps_buffer_held(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, page < maps_pages(e, level));
    return maps_resides(e, level, page) &&
           maps_buffered(e, level, maps_frame_of(e, level, page))->pins != 0;
}

bool maps_buffer_may_hold(struct env* e, uint32_t level, uint64_t page)
{
    const uint32_t few = maps_frames_of(e->maps, level)->few;
    /* A write unit needs none of level 2. */
    const uint32_t all = level == 1 ? few : few + e->geo->group;
    FW_ASSERT(e, maps_buffer_of(e, level)->bound <= few);
    return maps_buffer_of(e, level)->bound + 1 < few || differs(e, level, page) ||
           maps_buffer_held(e, level, page) || !maps_spare_one(e, all) || write_one(e, level);
}

void maps_buffer_hold(struct env* e, uint32_t level, uint64_t page)
{
    struct map_buffered* s = maps_buffered(e, level, maps_frame_of(e, level, page));
    FW_ASSERT(e, maps_resides(e, level, page));
    FW_ASSERT(e, s->pins < UINT16_MAX);
    maps_buffer_of(e, level)->bound += s->pins == 0 && !differs(e, level, page) ? 1u : 0u;
    ++s->pins;
}

void maps_buffer_release(struct env* e, uint32_t level, uint64_t page)
{
    struct map_buffered* s = maps_buffered(e, level, maps_frame_of(e, level, page));
    FW_ASSERT(e, maps_resides(e, level, page));
    FW_ASSERT(e, s->pins != 0);
    --s->pins;
    maps_buffer_of(e, level)->bound -= s->pins == 0 && !differs(e, level, page) ? 1u : 0u;
}
