/* SPDX-License-Identifier: Apache-2.0
 *
 * What the maps know: levels, frames, what is under way (maps.h).
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_STATE_H
#define SSDVP_FIRMWARE_MAP_MAPS_STATE_H

#include "firmware/lib/crc.h"
#include "firmware/lib/list.h"
#include "firmware/map/hmb.h"
#include "firmware/map/maps_buffer.h"
#include "firmware/map/maps_out.h"

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
    uint64_t home;  /* page n at home + n units; of a framed level, frame n, if it lies there */
    uint64_t dirty; /* pages with MAP_DIRTY */
    uint64_t frame; /* uint32_t per page: its frame, INDEX_NONE; 0 = the level is not framed */
};

struct map_frames { /* of a level */
    uint64_t page;  /* uint32_t per frame: the page in it */
    uint64_t links; /* uint32_t per frame */
    uint64_t lies;  /* where pages pass: uint32_t per frame of the few, its buffer (maps_out.h) */
    struct fifo free;
    uint32_t few;     /* while the drive serves */
    uint32_t all;     /* while it boots */
    uint64_t extra;   /* where those beyond the few lie */
    uint32_t holding; /* 1 = pages stay until they are told to leave */
    uint32_t wanted;  /* pages with MAP_PUT */
    uint32_t derived; /* enum derived_pages (maps_frames.h) */
    uint32_t kept;    /* 1 = of these some are in memory: what they lacked may be there now */
    uint64_t now;     /* the one that is being derived, FTL_NONE = none is */
    uint64_t came;    /* 1 + the one that comes in now; 0 = none does, or its sums are not known */
    struct content_sums sum; /* of that one, in its frame */
    struct map_buffer buffer;
};

struct maps_owner_search { /* for the owner of an address, where the map is not in memory */
    uint64_t address;
    uint64_t page; /* next to look through */
    uint64_t found;
    uint64_t moves; /* page of level 1 that lies there */
    uint32_t level; /* whose pages are looked through */
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
    uint32_t turns;  /* pages that have come, left a frame or a buffer, or been written */
    uint32_t walked; /* turns, when a walk over a level whose pages pass got no further */
    uint64_t ahead;  /* ... and the page up to which others were asked for */
    uint32_t reads;
    uint32_t asked;     /* of which somebody waits for */
    uint32_t credit;    /* such reads since the background loaded something */
    uint32_t counting;  /* 1 = a page is counted when it is loaded */
    uint32_t damaged;   /* pages that could not be read */
    uint32_t cleared;   /* 1 = homes may hold what was forgotten since (maps_clear) */
    uint64_t uncounted; /* pages not counted yet */
    uint64_t load_next; /* background loading: next page of a framed level 2, then of level 1 */
    struct map_frames frames; /* of level 1 */
    struct map_frames upper;  /* of level 2 */
    struct maps_owner_search search;
    struct hmb hmb;
};

/* Level 1 where all of it is in memory, for hardware that reads it. */
struct map_table {
    uint64_t entries;
    uint64_t states;      /* a byte per page: MAP_* */
    uint32_t page_shift;  /* log2 of the entries of a page */
    uint32_t entry_shift; /* log2 of the bytes of an entry */
};

static inline struct map_table maps_table(const struct env* e)
{
    const struct maps* m = e->maps;
    const struct map_table t = {m->level[1].home, m->level[1].flags, m->entry_shift,
                                m->wide != 0 ? 3u : 2u};
    return t;
}

#endif
