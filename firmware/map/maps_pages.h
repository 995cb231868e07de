/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of the maps and their entries (maps.h), as they are in memory: what a part may ask of them
 * at any time.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_PAGES_H
#define SSDVP_FIRMWARE_MAP_MAPS_PAGES_H

#include "firmware/map/ftl.h"
#include "firmware/map/maps_state.h"
#include "firmware/ops/flash.h"

#define MAPS_ENTRIES_MOST (32768 / sizeof(uint32_t)) /* of a page, which is a map unit */

static inline uint8_t* maps_flags(struct env* e, struct maps* m, uint32_t level, uint64_t page)
{
    return (uint8_t*)env_dram(e, m->level[level].flags) + page;
}

/* ---- What others ask of a page of a level ---- */

static inline bool maps_is(const struct env* e, uint32_t level, uint64_t page, uint32_t flags)
{
    return (((const uint8_t*)env_dram(e, e->maps->level[level].flags))[page] & flags) != 0;
}

static inline bool maps_resides(const struct env* e, uint32_t level, uint64_t page)
{
    return maps_is(e, level, page, MAP_RESIDENT);
}

static inline bool maps_loading(const struct env* e, uint32_t level, uint64_t page)
{
    return maps_is(e, level, page, MAP_LOADING);
}

/* It is in memory or on its way there, or a copy of it waits to be programmed. */
static inline bool maps_near(const struct env* e, uint32_t level, uint64_t page)
{
    return maps_is(e, level, page, MAP_RESIDENT | MAP_LOADING | MAP_WRITING);
}

/* Of level 1: it is to be put out, or any is. */
static inline bool maps_leaves(const struct env* e, uint64_t page)
{
    return maps_is(e, 1, page, MAP_PUT);
}

static inline bool maps_any_leaves(const struct env* e)
{
    return e->maps->frames.wanted != 0;
}

static inline uint64_t maps_pages(const struct env* e, uint32_t level)
{
    return e->maps->level[level].pages;
}

/* The page that has an entry, by its number in the level; the first entry of a page; how many one
 * has. */
static inline uint64_t maps_page(const struct env* e, uint64_t index)
{
    return index >> e->maps->entry_shift;
}

static inline uint64_t maps_first(const struct env* e, uint64_t page)
{
    return page << e->maps->entry_shift;
}

static inline uint32_t maps_page_entries(const struct env* e)
{
    return 1u << e->maps->entry_shift;
}

/* ---- ... and of all of them ---- */

/* true = the valid bits of all that is mapped are set. */
static inline bool maps_all_counted(const struct env* e)
{
    return e->maps->uncounted == 0;
}

/* Some of what the flash says of the map is lost, or cannot be true. */
static inline bool maps_damaged(const struct env* e)
{
    return e->maps->damaged != 0;
}

static inline void maps_damage(struct env* e)
{
    ++e->maps->damaged;
}

/* Programs of map pages are under way; reads, from the flash or the host's memory. */
static inline bool maps_programming(const struct env* e)
{
    return e->maps->out.programs != 0;
}

static inline bool maps_reading(const struct env* e)
{
    return e->maps->reads != 0;
}

/* Moves from or to the host's memory are. */
static inline bool maps_host_moves(const struct env* e)
{
    return e->maps->hmb.under_way != 0;
}

/* Level 1 comes in and leaves in segments. */
static inline bool maps_segmented(const struct env* e)
{
    return e->maps->segment != 0;
}

/* Copies wait for others to share a flash page with, and none is in a hurry. */
static inline bool maps_want_company(const struct env* e)
{
    return e->maps->out.ready != 0 && e->maps->out.urgent == 0;
}

/* Queues of copies, each with superblocks of its own; before maps_take: one for each level. */
static inline uint32_t maps_queues(const struct env* e)
{
    return e->maps->out.queues;
}

/* The queue of map pages of the level. */
static inline uint32_t maps_queue(const struct env* e, uint32_t level)
{
    return level <= e->maps->out.queues ? level - 1 : 0;
}

static inline void maps_part_queues(struct env* e)
{
    e->maps->out.queues = e->maps->levels;
}

/* Changes with each page that has come, left its frame or been written: who could not have a page
 * put out need not try again before. */
static inline uint32_t maps_turns(const struct env* e)
{
    return e->maps->turns;
}

/* Pages of the framed level wait for room to go out. */
static inline bool maps_press(struct env* e, uint32_t level)
{
    const struct map_frames* f = level == 1 ? &e->maps->frames : &e->maps->upper;
    return f->wanted != 0 || f->buffer.pressed != 0;
}

/* Pages of the image from that one on. Whether what they say may not be all: what is not found may
 * be lost. */
static inline uint32_t* maps_image(const struct env* e, uint64_t page)
{
    return (uint32_t*)env_dram(e, e->maps->level[1].home + (page << e->geo->unit_shift));
}

static inline bool maps_image_damaged(const struct env* e)
{
    return e->maps->raw_damaged != 0;
}

static inline void maps_damage_image(struct env* e)
{
    e->maps->raw_damaged = 1;
}

static inline bool maps_framed(const struct maps* m, uint32_t level)
{
    return m->level[level].frame != 0;
}

static inline struct map_frames* maps_frames_of(struct maps* m, uint32_t level)
{
    return level == 1 ? &m->frames : &m->upper;
}

/* true = pages of level 1 leave their frames as soon as they have been looked at or changed. */
static inline bool maps_passing(const struct maps* m)
{
    return maps_framed(m, 1) && m->frames.buffer.stays == 0;
}

/* Where a frame lies. One through which pages pass has the buffer of a page that went out before:
 * the page itself went out with its own. */
static inline uint64_t maps_frame_home(const struct env* e, const struct maps* m, uint32_t level,
                                       uint32_t frame)
{
    const bool lent = level == 1 && m->frames.lies != 0 && frame < m->frames.few;
    const uint64_t base = lent ? m->out.buffers : m->level[level].home;
    const uint32_t n = lent ? ((const uint32_t*)env_dram(e, m->frames.lies))[frame] : frame;
    return base + ((uint64_t)n << e->geo->unit_shift);
}

static inline uint64_t maps_home(const struct env* e, const struct maps* m, uint32_t level,
                                 uint64_t page)
{
    const struct map_level* l = &m->level[level];
    return l->frame == 0
               ? l->home + (page << e->geo->unit_shift)
               : maps_frame_home(e, m, level, ((const uint32_t*)env_dram(e, l->frame))[page]);
}

/* true = pages of the level have no entries. */
static inline bool maps_raw(const struct maps* m, uint32_t level)
{
    return level == 1 && m->raw != 0;
}

/* Where an entry of a resident page lies. shift: log2 of its bytes. */
static inline void* maps_at(const struct env* e, uint32_t level, uint64_t index, uint32_t shift)
{
    const struct maps* m = e->maps;
    uint64_t base = m->level[level].home;
    if (maps_framed(m, level)) {
        base = maps_home(e, m, level, index >> m->entry_shift);
        index &= (UINT64_C(1) << m->entry_shift) - 1;
    }
    return env_dram(e, base + (index << shift));
}

/* Entries of resident pages, by their number in the level: address, with FTL_LOST; FTL_NONE. Lost
 * without a place is FTL_LOST | MAPS_NOWHERE. set does not count anything. */
#define MAPS_NOWHERE (FTL_LOST - 1)
/* true = the entry names a place on the flash. */
static inline bool maps_placed(uint64_t entry)
{
    return (entry & ~FTL_LOST) < MAPS_NOWHERE;
}

/* The entry that lies there. */
static inline uint64_t maps_entry_at(const struct env* e, const void* at)
{
    const uint32_t narrow = e->maps->wide != 0 ? 0 : *(const uint32_t*)at;
    const uint64_t raw = e->maps->wide != 0
                             ? *(const uint64_t*)at
                             : (narrow & (UINT32_MAX >> 1)) | (uint64_t)(narrow >> 31) << 63;
    const uint64_t place = raw & (UINT64_MAX >> 1); /* + 1, 0 = none */
    return raw == place ? place - 1                 /* 0 becomes FTL_NONE */
                        : FTL_LOST | (place == 0 ? MAPS_NOWHERE : place - 1);
}

static inline void maps_set_at(const struct env* e, void* at, uint64_t address)
{
    const uint64_t lost = ftl_lost(address) ? 1 : 0;
    const uint64_t place = lost != 0 ? address & ~FTL_LOST : address;
    const uint64_t raw = place == MAPS_NOWHERE ? 0 : place + 1;
    if (e->maps->wide != 0) {
        *(uint64_t*)at = raw | lost << 63;
    } else {
        FW_ASSERT(e, raw <= UINT32_MAX >> 1);
        *(uint32_t*)at = (uint32_t)(raw | lost << 31);
    }
}

static inline uint64_t maps_entry(const struct env* e, uint32_t level, uint64_t index)
{
    const uint32_t shift = e->maps->wide != 0 ? 3 : 2;
    const void* at = maps_at(e, level, index, shift);
    env_touch(e, at, (size_t)1 << shift, false);
    return maps_entry_at(e, at);
}

/* Entries of level 1. */
static inline uint64_t maps_entries(const struct env* e)
{
    return (e->geo->user_units + e->maps->span - 1) / e->maps->span;
}

/* true = the unit's entry is in memory. */
static inline bool maps_has(struct env* e, uint64_t unit)
{
    return (*maps_flags(e, e->maps, 1, unit >> e->maps->entry_shift) & MAP_RESIDENT) != 0;
}

/* true = each page of a unit map has its place in memory: once there it stays. */
static inline bool maps_all_here(const struct maps* m)
{
    return m->level[1].frame == 0 && m->segment == 0 && m->raw == 0 && m->span == 1;
}

/* false = nobody can have a page of level 1 read now: reads, or frames, are all in use. */
static inline bool maps_may_ask(const struct env* e)
{
    return flash_may_take(e, OWNER_MAP_READ) &&
           (!maps_passing(e->maps) || e->maps->frames.free.count != 0);
}

#endif
