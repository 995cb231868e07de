/* SPDX-License-Identifier: Apache-2.0
 *
 * Host memory buffer: copies of map pages of level 1 in memory that the host lends (NVM Express
 * base 1.4 section 8.9). A page that has come from the flash, or goes there, is copied into it. One
 * that is wanted and not in memory comes from there instead of the flash. A copy is never the only
 * one: the host may take its memory back, overwrite it or lose it at any time.
 *
 * The index is here: which page a place holds, and the checksum of its bytes. What comes back with
 * another one is forgotten, and read from the flash. A page may lie in HMB_WAYS places, and the
 * copy used longest ago leaves for it; or each page has its own, where all have room.
 */
#ifndef SSDVP_FIRMWARE_MAP_HMB_H
#define SSDVP_FIRMWARE_MAP_HMB_H

#include <stdbool.h>

#include "firmware/lib/env.h"

#define HMB_WAYS 4u
#define HMB_WRITES 8u /* at a time */
#define HMB_READS 8u
#define HMB_MOVES (HMB_WRITES + HMB_READS)
#define HMB_AREAS 32u /* HMMAXD: descriptors that can be used */

enum hmb_state { HMB_EMPTY = 0, HMB_WRITING = 1, HMB_VALID = 2 };

struct hmb_place { /* of a page in host memory */
    uint32_t page;
    uint32_t check; /* of its bytes */
    uint32_t used;  /* when */
    uint8_t state;  /* enum hmb_state */
    uint8_t moves;  /* under way: it stays what it is */
    uint8_t stale;  /* 1 = empty as soon as those have ended */
    uint8_t reserved;
};

struct hmb_area { /* of the host's memory, one descriptor */
    uint64_t address;
    uint32_t first; /* place in it */
    uint32_t places;
};

enum hmb_progress { HMB_REST = 0, HMB_UNDER_WAY = 1, HMB_AGAIN = 2 };

struct hmb_move {
    /* Where the page lies on the flash; of a segment: number of its fetch. Of a write: the buffer
     * that it is read from, which is given back (maps_out.h); FTL_NONE = a staging one. */
    uint64_t address;
    uint32_t page;
    uint32_t place;
    uint32_t check;
    uint32_t progress; /* enum hmb_progress; AGAIN = it has to be read from the flash */
};

struct hmb {
    uint64_t index;   /* struct hmb_place, `most` of them */
    uint64_t staging; /* units that are on their way to the host */
    uint64_t area;    /* struct hmb_area, HMB_AREAS of them */
    uint64_t move;    /* struct hmb_move, HMB_MOVES of them, writes first */
    uint64_t fetch;   /* of a map in segments (segments_read.h) */
    uint64_t minimum; /* bytes of the host's below which it makes no use of them */
    uint32_t most;    /* places that there can be, 0 = there is no such buffer */
    uint32_t places;  /* in use, 0 = the host lends none */
    uint32_t ways;
    uint32_t areas;
    uint32_t clock;
    uint32_t under_way; /* moves */
    uint32_t again;     /* moves with HMB_AGAIN */
    uint32_t fetches;   /* of segments, pages on their way */
};

/* With the maps' sizes known. bytes, minimum: of the host's that it can use, at most and at least;
 * 0 = there is no such buffer. */
int hmb_init(struct env* e, uint64_t bytes, uint64_t minimum);
/* Bytes that it can use of all that there is. */
uint64_t hmb_most_bytes(const struct env* e);
bool hmb_wanted(const struct env* e);
bool hmb_lent(const struct env* e);        /* ... and there is one */
uint64_t hmb_minimum(const struct env* e); /* bytes of the host's below which none are used */
/* It was taken back, and moves are still under way. */
bool hmb_leaves(const struct env* e);

/* The host lends memory, in so many areas. Before: where each lies; false = it has no room for a
 * page. The host takes it back: it is not written any more, and once nothing moves not read
 * either. */
bool hmb_offer(struct env* e, uint32_t index, uint64_t address, uint64_t bytes);
void hmb_lend(struct env* e, uint32_t areas);
void hmb_return(struct env* e);
/* Maps hold nothing any more. */
void hmb_clear(struct env* e);

/* true = an absent page of level 1 can come from there. It does, into its frame; it lies at that
 * address. */
bool hmb_may_fetch(struct env* e, uint64_t page);
void hmb_fetch(struct env* e, uint64_t page, uint64_t address);
/* Of a map in segments. holds: there is a copy of the page. fetch_unit: it goes to the page's home;
 * false = no move is free. */
bool hmb_holds(struct env* e, uint64_t page);
bool hmb_fetch_unit(struct env* e, uint64_t page, uint32_t fetch);
/* Bytes of a page, and their check. */
struct hmb_source {
    uint64_t from;
    uint32_t out; /* its buffer, which is given back (maps_out.h); INDEX_NONE = they are copied */
    uint32_t check;
};
/* They are those of the page on the flash: a copy of it is made. */
void hmb_keep(struct env* e, uint64_t page, const struct hmb_source* source);
/* They will be those: what copy there is is an old one. */
void hmb_renew(struct env* e, uint64_t page, const struct hmb_source* source);
struct hmb_move* hmb_move_of(struct env* e, uint32_t i);
static inline bool hmb_reads(uint32_t move)
{
    return move >= HMB_WRITES;
}
/* A move has ended. true = what it brought is whole. */
bool hmb_ended(struct env* e, uint32_t move, bool failed);

#endif
