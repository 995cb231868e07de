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

#include "firmware/lib/list.h"
#include "firmware/map/ftl.h"
#include "firmware/map/hmb.h"
#include "firmware/map/maps_buffer.h"
#include "firmware/map/maps_out.h"
#include "firmware/ops/flash.h"

enum map_flag {
    MAP_RESIDENT = 0x01,
    MAP_LOADING = 0x02,
    MAP_DIRTY = 0x04,   /* differs from what is on the flash or on its way there */
    MAP_WRITING = 0x08, /* a copy is on its way to the flash */
    MAP_COUNTED = 0x10, /* the valid bits of what it points to are set */
    MAP_PUT = 0x20,     /* framed: to be put out as soon as it can be */
    MAP_TOUCHED = 0x40, /* replay: the window tells of units of it; framed: it is derived */
    MAP_CHECKED = 0x80  /* read since power-up: what it says is true from then on */
};

struct map_level {
    uint64_t pages;
    uint64_t flags; /* uint8_t per page */
    uint64_t home;  /* page n at home + n units; of a framed level, frame n */
    uint64_t dirty; /* pages with MAP_DIRTY */
    uint64_t frame; /* uint32_t per page: its frame, INDEX_NONE; 0 = the level is not framed */
};

struct map_frames { /* of a level */
    uint64_t page;  /* uint32_t per frame: the page in it */
    uint64_t links; /* uint32_t per frame */
    struct fifo free;
    uint32_t few;     /* while the drive serves */
    uint32_t all;     /* while it boots */
    uint64_t extra;   /* where those beyond the few lie */
    uint32_t holding; /* 1 = pages stay until they are told to leave */
    uint32_t wanted;  /* pages with MAP_PUT */
    uint32_t derived; /* enum derived_pages (maps_frames.h) */
    uint64_t now;     /* the one that is being derived, FTL_NONE = none is */
    struct map_buffer buffer;
};

struct maps {
    struct map_level level[MAPS_LEVELS + 1]; /* [0] is not used */
    uint32_t levels;
    uint32_t wide;        /* entries of 8 bytes */
    uint32_t span;        /* units of an entry of level 1: 1, or a logical block */
    uint64_t raw;         /* pages of level 1, without entries: of an image; 0 = none */
    uint32_t raw_damaged; /* 1 = what they say is not all: what is not found may be lost */
    uint32_t segment;     /* pages of level 1, then the only one, per segment; 0 = no segments */
    uint32_t entry_shift; /* log2 of the entries of a page */
    uint64_t top;         /* address of the top page, FTL_NONE = never written */
    struct map_outs out;
    uint32_t reads;
    uint32_t asked;     /* of which somebody waits for */
    uint32_t credit;    /* such reads since the background loaded something */
    uint32_t counting;  /* 1 = a page is counted when it is loaded */
    uint32_t damaged;   /* pages that could not be read */
    uint32_t cleared;   /* 1 = homes may hold what was forgotten since (maps_clear.c) */
    uint64_t uncounted; /* pages not counted yet */
    uint64_t load_next; /* background loading: next page of a framed level 2, then of level 1 */
    struct map_frames frames; /* of level 1 */
    struct map_frames upper;  /* of level 2 */
    struct hmb hmb;
};

/* frames: of level 1, 0 = each page has a home of its own; upper: likewise of level 2. extra: bytes
 * behind those of level 1 that are frames too while the drive boots, then all zero; 0 = done. */
int maps_init(struct env* e, uint32_t frames, uint64_t extra);
int maps_plan(struct env* e); /* its two halves: sizes; memory */
int maps_take(struct env* e, uint32_t frames, uint32_t upper, uint64_t extra);
uint64_t maps_units(const struct env* e); /* of all pages of all levels */

static inline uint8_t* maps_flags(struct env* e, struct maps* m, uint32_t level, uint64_t page)
{
    return (uint8_t*)env_dram(e, m->level[level].flags) + page;
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

static inline uint64_t maps_home(const struct env* e, const struct maps* m, uint32_t level,
                                 uint64_t page)
{
    const struct map_level* l = &m->level[level];
    const uint64_t n = l->frame != 0 ? ((const uint32_t*)env_dram(e, l->frame))[page] : page;
    return l->home + (n << e->geo->unit_shift);
}

/* true = pages of the level have no entries. */
static inline bool maps_raw(const struct maps* m, uint32_t level)
{
    return level == 1 && m->raw != 0;
}

/* The entry behind the last one of a page. */
uint64_t maps_entries_end(const struct env* e, uint32_t level, uint64_t page);

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

/* true = resident; else it is being fetched, or will be when asked again. bulk: pages that lie
 * behind it on the same flash page come along. */
bool maps_load(struct env* e, uint32_t level, uint64_t page, bool bulk);
bool maps_load_above(struct env* e, uint32_t level, uint64_t page, bool bulk); /* the one above */
void maps_dirty(struct env* e, uint32_t level, uint64_t page);
void maps_clean(struct env* e, uint32_t level, uint64_t page);
/* A page is in memory now. word: its spare word, NULL = never written; failed: or not readable. */
void maps_came(struct env* e, uint32_t level, uint64_t page, const uint64_t* word, bool failed);

/* Entries of resident pages, by their number in the level: address, with FTL_LOST; FTL_NONE. Lost
 * without a place is FTL_LOST | MAPS_NOWHERE. set does not count anything. */
#define MAPS_NOWHERE (FTL_LOST - 1)
/* true = the entry names a place on the flash. */
static inline bool maps_placed(uint64_t entry)
{
    return entry != FTL_NONE && (entry & ~FTL_LOST) != MAPS_NOWHERE;
}
static inline uint64_t maps_entry(const struct env* e, uint32_t level, uint64_t index)
{
    const struct maps* m = e->maps;
    uint64_t place; /* + 1, 0 = none */
    uint64_t lost;
    if (m->wide) {
        const uint64_t* at = (const uint64_t*)maps_at(e, level, index, 3);
        const uint64_t raw = *at;
        env_touch(e, at, sizeof *at, false);
        place = raw & (UINT64_MAX >> 1);
        lost = raw >> 63;
    } else {
        const uint32_t* at = (const uint32_t*)maps_at(e, level, index, 2);
        const uint32_t raw = *at;
        env_touch(e, at, sizeof *at, false);
        place = raw & (UINT32_MAX >> 1);
        lost = raw >> 31;
    }
    if (lost != 0) {
        return FTL_LOST | (place == 0 ? MAPS_NOWHERE : place - 1);
    }
    return place - 1; /* 0 becomes FTL_NONE */
}
void maps_set(struct env* e, uint32_t level, uint64_t index, uint64_t address);

/* Sets the valid bits of what the resident page points to, once; that is done. */
void maps_count(struct env* e, uint32_t level, uint64_t page);
void maps_counted(struct env* e, uint32_t level, uint64_t page);
/* Whether the page that tells of the unit of a spare word has been counted; if not it is fetched:
 * ask again. may: as many are being fetched as may be at a time, if 0. */
bool maps_told(struct env* e, uint64_t word);
bool maps_may_tell(struct env* e);
/* Loads what is not counted yet, some pages at a time. true = it goes on in the next round. */
bool maps_load_all(struct env* e);

void maps_validate(struct env* e, uint64_t address);
void maps_invalidate(struct env* e, uint64_t address);
/* The spare word of the map page or journal unit at an address, 0 = there is none. word: what the
 * flash says, NULL = it cannot be believed. */
uint64_t maps_word(struct env* e, uint64_t address, const uint64_t* word);
void maps_resident(struct env* e, uint32_t level, uint64_t page);
void maps_read_done(struct env* e, const struct flash_result* result);

#endif
