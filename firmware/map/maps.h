/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps in pages of one map unit, kept on the flash as logs (M-logs of Min et al., 2011).
 *
 * Level 1 maps logical units, level n + 1 maps the pages of level n, and so on until one page, the
 * top, holds a whole level. A page is written to a new place each time; its place is an entry of
 * the level above, the top's place is in the anchor record. Entries have 4 bytes, or 8 where the
 * addresses need them: 0 = unmapped, else the address + 1; the highest bit marks what is lost.
 *
 * A page is absent, or resident at its home in memory. Every page has a home of its own, but
 * those of a framed level (maps_frames.c): they come into one of a few frames, are looked at or
 * written again, and leave. A page is resident only if the page above it is, unless that is of a
 * framed level: then it comes in when the place of the page below is asked for, and stays while
 * that is written.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_H
#define SSDVP_FIRMWARE_MAP_MAPS_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/map/maps_pages.h"

/* frames: of level 1, 0 = each page has a home of its own; upper: likewise of level 2. extra: bytes
 * behind those of level 1 that are frames too while the drive boots, then all zero; 0 = done. */
int maps_init(struct env* e, uint32_t frames, uint64_t extra);
int maps_plan(struct env* e); /* its two halves: sizes; memory */
int maps_take(struct env* e, uint32_t frames, uint32_t upper, uint64_t extra);
/* Before maps_init: an entry of level 1 is of so many units; level 1 has no entries, but pages of
 * an image. */
static inline void maps_plan_span(struct env* e, uint32_t units)
{
    e->maps->span = units;
}

static inline void maps_plan_image(struct env* e, uint64_t pages)
{
    e->maps->raw = pages;
}

uint64_t maps_units(const struct env* e); /* of all pages of all levels */

void maps_prefetch(struct env* e, uint64_t unit); /* the entry of level 1 */
void maps_dirty(struct env* e, uint32_t level, uint64_t page);
void maps_clean(struct env* e, uint32_t level, uint64_t page);
/* Of a resident page; it does not count anything. */
void maps_set(struct env* e, uint32_t level, uint64_t index, uint64_t address);
/* Where the entries of a resident page of level 1 lie; one of them there, of a page that goes out
 * now: that it differs need not be said. Its sums change with it. */
static inline void* maps_entries_at(const struct env* e, uint64_t page)
{
    return env_dram(e, maps_home(e, e->maps, 1, page));
}

static inline void maps_set_there(const struct env* e, void* entries, uint64_t index,
                                  uint64_t address)
{
    const bool wide = e->maps->wide != 0;
    const uint32_t offset = (uint32_t)(index & (maps_page_entries(e) - 1)) << (wide ? 3 : 2);
    void* at = (uint8_t*)entries + offset;
    const uint64_t before = wide ? *(const uint64_t*)at : *(const uint32_t*)at;
    maps_set_at(e, at, address);
    const uint64_t more = (wide ? *(const uint64_t*)at : *(const uint32_t*)at) - before;
    content_add(&e->maps->frames.sum, (e->geo->unit_size - offset - 1) / CONTENT_WORD,
                more << offset % CONTENT_WORD * 8);
    env_touch(e, at, wide ? sizeof(uint64_t) : sizeof(uint32_t), true);
}

/* A page whose level is buffered came to differ from the flash (1), or does not any more (-1). */
void maps_differs(struct env* e, uint32_t level, uint64_t page, int change);

void maps_validate(struct env* e, uint64_t address);
void maps_invalidate(struct env* e, uint64_t address);

/* Of a framed level whose pages stay: the buffer, a frame of it, the frame of a page that is there.
 */
static inline struct map_buffer* maps_buffer_of(struct env* e, uint32_t level)
{
    return &maps_frames_of(e->maps, level)->buffer;
}

static inline struct map_buffered* maps_buffered(struct env* e, uint32_t level, uint32_t frame)
{
    FW_ASSERT(e, frame < maps_frames_of(e->maps, level)->few);
    return (struct map_buffered*)env_dram_entry(e, maps_buffer_of(e, level)->table, frame,
                                                sizeof(struct map_buffered));
}

static inline uint32_t maps_frame_of(struct env* e, uint32_t level, uint64_t page)
{
    return ((const uint32_t*)env_dram(e, e->maps->level[level].frame))[page];
}

/* What the maps ask of the parts above them, and tell them. Each env has the table (run/fw.c). */
struct maps_asks {
    /* The buffer, and reads that wait: a page of level 1 has come. */
    void (*came)(struct env* e, uint64_t page);
    /* Recovery. What power-up found is applied to map pages that have come in; to one that is
     * derived (maps_frames.h). Whether it found the block of an address erased, or none of a
     * superblock that is written to its end. */
    void (*apply)(struct env* e, uint64_t from, uint64_t to);
    void (*derive)(struct env* e, uint64_t page);
    bool (*erased)(const struct env* e, uint64_t address);
    bool (*whole)(const struct env* e, uint32_t block);
    /* Units of the journal, which go out as map pages do: one is at that address now; it has to
     * leave it, 0 = not now; which one lies there, UINT64_MAX = none. */
    void (*unit_written)(struct env* e, uint64_t index, uint64_t address);
    bool (*unit_relocate)(struct env* e, uint64_t index, uint64_t address);
    uint64_t (*unit_at)(struct env* e, uint64_t address);
    /* A map unit goes to, or comes from, an address in the host's memory (hmb.h), which `move`
     * says; maps_host_moved() when it is over. */
    void (*host_move)(struct env* e, uint32_t move, uint64_t host, uint64_t buffer);
};

#endif
