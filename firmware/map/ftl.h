/* SPDX-License-Identifier: Apache-2.0
 *
 * Flash translation layer: logical unit -> physical unit address. A scheme is one file with one
 * ops table; boot_params.ftl.scheme picks it from ftl.c. Addresses are packed as geometry.h says.
 *
 * The part of the map that tells of a unit may not be in memory. A look-up then says so and has it
 * fetched; the caller asks again after the next completion of anything. Whoever will change the
 * map pins the unit first, and until it is unpinned the change cannot fail.
 */
#ifndef SSDVP_FIRMWARE_MAP_FTL_H
#define SSDVP_FIRMWARE_MAP_FTL_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/map/layout.h"

#define FTL_NONE UINT64_MAX          /* unmapped */
#define FTL_UNKNOWN (UINT64_MAX - 1) /* not in memory yet: ask again */

/* The data of the unit are lost: with its address in a lookup, with its number where collection
 * carries it. The unit keeps a place on the flash, so that the mark outlives moves and can be
 * found again there; what that place holds is nobody's data. */
#define FTL_LOST (UINT64_C(1) << 62)

/* What a pin needs of the map. */
enum ftl_asked {
    FTL_HERE = 0,
    FTL_COMING = 1, /* maps_asks->came tells when */
    FTL_LATER = 2   /* it cannot be asked for now */
};

/* Where the next program of a unit goes, and what its spare word calls it. */
struct ftl_place {
    uint32_t block;
    uint32_t page;
    uint32_t kind; /* enum spare_kind */
};

struct ftl_ops {
    const struct ftl_layout* layout;
    uint32_t counts;            /* 1 = preconditioning may go by counts: all maps are in memory */
    uint32_t hoards;            /* 1 = garbage is not collected: it stays until power-off */
    uint32_t narrow;            /* 1 = it may be unable to hold as many pins as a write unit has */
    int (*init)(struct env* e); /* 0 = done */
    /* The address, with FTL_LOST when there are no data any more; FTL_NONE; FTL_UNKNOWN. */
    uint64_t (*lookup)(struct env* e, uint64_t unit);
    /* true = pinned: commit, lose, move and trim may follow. false = ask again. Pins are counted.
     */
    bool (*pin)(struct env* e, uint64_t unit);
    /* Pinned only to be moved, and not lost: where that needs less of the map than a pin, for the
     * unit lies at `from` unless that is valid no more. NULL = it does not. */
    bool (*pin_move)(struct env* e, uint64_t unit, uint64_t from);
    void (*unpin)(struct env* e, uint64_t unit);
    /* Asks for what a pin needs, which then stays for whoever asked. NULL = a page that has come
     * may be gone again when it is pinned. */
    enum ftl_asked (*ask)(struct env* e, uint64_t unit);
    /* The unit's newest data are programmed at address. Nothing of it is lost. */
    void (*commit)(struct env* e, uint64_t unit, uint64_t address);
    /* Marks a mapped unit as lost, until it is written or trimmed. */
    void (*lose)(struct env* e, uint64_t unit);
    /* The unit that lies at a valid address: a walk, for when nothing else tells. */
    uint64_t (*owner)(struct env* e, uint64_t address);
    /* Collection copied the unit: repoints it unless it has moved on meanwhile, and keeps the mark
     * of a lost one. true = repointed. */
    bool (*move)(struct env* e, uint64_t unit, uint64_t from, uint64_t to);
    bool (*trim)(struct env* e, uint64_t unit); /* true = it was mapped */
    /* Many units at a time, NULL = not here; the buffer has none of them. Units from this one on,
     * up to `end`, that are not mapped: found without a read, so 0 tells nothing. And the pinned
     * one with those behind it that its pin covers: all of them are trimmed; how many; and that
     * were mapped. */
    uint64_t (*holes)(struct env* e, uint64_t unit, uint64_t end);
    uint64_t (*trim_run)(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped);
    void (*prefetch)(struct env* e, uint64_t unit);
    /* Where level 1 of the maps is framed, else NULL: the page has come into a frame; it is about
     * to go out, so what is newer than it has to be in it. 1 = not all of it. Whether its entry of
     * a unit is out of date, NULL = never. merge is NULL where pages stay in their frames. */
    void (*arrived)(struct env* e, uint64_t page);
    bool (*merge)(struct env* e, uint64_t page);
    bool (*newer)(struct env* e, uint64_t unit);
    /* Nothing is mapped any more, or known: entries that it has, and who waits. NULL = it has none.
     */
    void (*forget)(struct env* e);
    /* Power-up, where entries are cached without their pages, else NULL: keeps what replay tells of
     * a unit, false = it is full (then it forgets all of it); counts it as valid when all is there.
     * Which entries of a page have been counted without it: a bit each, false = none has, and no
     * bit is set. */
    bool (*keep)(struct env* e, uint64_t unit, uint64_t entry);
    void (*count)(struct env* e);
    bool (*counted)(struct env* e, uint64_t page, uint64_t* newer);
    /* Block and hybrid mapping (blocks/blockmap.h), else NULL: where the pinned unit of the
     * buffer is programmed now; its page is taken then. false = not yet, a merge comes first. What
     * the scheme has to do whether something is written or not, NULL = nothing. */
    bool (*place)(struct env* e, uint64_t unit, struct ftl_place* to);
    void (*tend)(struct env* e);
    /* Where no index tells which page holds the data of a unit, else NULL: the next page below
     * `from`, of *block, that has to be looked into before that one. INDEX_NONE = none any more. */
    uint32_t (*scan)(struct env* e, uint64_t unit, uint32_t from, uint32_t* block);
};

#define FTL_OWN_BYTES 288u

struct ftl_modes {       /* modes.h */
    uint32_t functional; /* 1 = preconditioning */
    uint32_t stopping;
    uint32_t hold;
    uint32_t spent;
    uint32_t clearing;
    uint32_t clears;  /* how often it was cleared ... */
    uint32_t cleared; /* ... with a record that says so */
    uint32_t voids;
};

struct ftl {
    uint32_t scheme; /* index in the table of ftl.c */
    uint32_t again;  /* 1 = who was refused may ask again, now */
    uint32_t span;   /* units of a logical block, where superblocks hold those */
    uint32_t pins;   /* that the scheme can hold at a time, 0 = it does not say */
    uint32_t reserved;
    uint32_t stream_bytes; /* a write of so many or more is sequential */
    uint64_t ended;        /* sequence of the newest program that ended */
    struct ftl_modes modes;
    uint64_t own[FTL_OWN_BYTES / 8]; /* state that only the scheme knows */
};

/* Of a copy: what a scheme keeps of being asked, in vain too (orders of use, counts of refusals).
 */
static inline void ftl_overlook(struct ftl* f)
{
    for (uint32_t i = 0; i < FTL_OWN_BYTES / 8; ++i) {
        f->own[i] = 0;
    }
}

/* The scheme's own state: zero until its init. */
static inline void* ftl_own(const struct env* e, size_t bytes)
{
    FW_ASSERT(e, bytes <= FTL_OWN_BYTES);
    return e->ftl->own;
}

static inline bool ftl_known(uint64_t found)
{
    return found < FTL_UNKNOWN;
}

static inline bool ftl_lost(uint64_t found)
{
    return ftl_known(found) && (found & FTL_LOST) != 0;
}

/* The data of a unit are read for the buffer: counts the pages that a search for it looks into,
 * which takes no time here. */
void ftl_scanned(struct env* e, uint64_t unit);
int ftl_init(struct env* e); /* -1 = unknown scheme or no memory */
extern const struct ftl_ops* const ftl_schemes[];
static inline const struct ftl_ops* ftl_ops_of(const struct env* e)
{
    return ftl_schemes[e->ftl->scheme];
}
/* true = the scheme is, and has, all that: SCHEME_*. false of what is no scheme. */
bool ftl_has(uint32_t scheme, uint32_t what);

static inline uint32_t ftl_scheme(const struct env* e)
{
    return e->ftl->scheme;
}

static inline const struct ftl_layout* ftl_layout_of(const struct env* e)
{
    return ftl_ops_of(e)->layout;
}

/* A program has ended, well or not; the newest one that has. */
static inline void ftl_ended(struct env* e, uint64_t sequence)
{
    e->ftl->ended = sequence > e->ftl->ended ? sequence : e->ftl->ended;
}

static inline uint64_t ftl_newest(const struct env* e)
{
    return e->ftl->ended;
}

/* Who was refused may ask again, now: nothing else would say so. true = somebody said that. */
static inline void ftl_ask_again(struct env* e)
{
    e->ftl->again = 1;
}

static inline bool ftl_asks_again(struct env* e)
{
    const bool again = e->ftl->again != 0;
    e->ftl->again = 0;
    return again;
}

static inline bool ftl_may_ask_again(const struct env* e)
{
    return e->ftl->again != 0;
}

/* The scheme can hold so many pins at a time. */
static inline void ftl_set_pins(struct env* e, uint32_t pins)
{
    e->ftl->pins = pins;
}

static inline uint32_t ftl_pins(const struct env* e)
{
    return e->ftl->pins;
}

/* Where superblocks hold logical blocks of so many units. */
static inline void ftl_span(struct env* e, uint32_t units)
{
    e->ftl->span = units;
}

static inline uint32_t ftl_lblock(const struct env* e, uint64_t unit)
{
    return (uint32_t)(unit / e->ftl->span);
}

/* true = a command that writes so many bytes is sequential. */
static inline bool ftl_streams(const struct env* e, uint64_t bytes)
{
    return bytes >= e->ftl->stream_bytes;
}

/* ftl_ops.scan, for reads of the host. */
static inline uint32_t ftl_next_searched(struct env* e, uint64_t unit, uint32_t from,
                                         uint32_t* block)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    FW_ASSERT(e, unit < FTL_LOST);
    return ftl->scan != NULL && from != 0 ? ftl->scan(e, unit, from, block) : INDEX_NONE;
}

#endif
