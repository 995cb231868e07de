/* SPDX-License-Identifier: Apache-2.0
 *
 * Flash translation layer: logical unit -> physical unit address. A scheme is one file with one
 * ops table; boot_params.ftl_scheme picks it from ftl.c. Addresses are packed as geometry.h says.
 */
#ifndef SSDVP_FIRMWARE_FTL_FTL_H
#define SSDVP_FIRMWARE_FTL_FTL_H

#include "firmware/lib/env.h"

#define FTL_NONE 0xFFFFFFFFu /* unmapped */

/* The data of the unit are lost: with its address in a lookup, with its number in out-of-band
 * bytes. The unit keeps a place on the flash, so that the mark outlives moves and can be found
 * again there; what that place holds is nobody's data. Addresses and units have 31 bits, less the
 * two highest. */
#define FTL_LOST 0x80000000u
#define FTL_ADDRESSES 0x7FFFFFFFu

struct ftl_ops {
    const char* name;
    int (*init)(struct env* e); /* 0 = done */
    /* The address, with FTL_LOST when there are no data any more; FTL_NONE. */
    uint32_t (*lookup)(struct env* e, uint32_t unit);
    /* The unit's newest data are programmed at address. Nothing of it is lost. */
    void (*commit)(struct env* e, uint32_t unit, uint32_t address);
    /* Marks a mapped unit as lost, until it is written or trimmed. */
    void (*lose)(struct env* e, uint32_t unit);
    /* The unit that lies at a valid address: a walk, for when nothing else tells. */
    uint32_t (*owner)(struct env* e, uint32_t address);
    /* Collection copied the unit: repoints it unless it has moved on meanwhile, and keeps the mark
     * of a lost one. 1 = repointed. */
    int (*move)(struct env* e, uint32_t unit, uint32_t from, uint32_t to);
    int (*trim)(struct env* e, uint32_t unit); /* 1 = it was mapped */
    void (*prefetch)(struct env* e, uint32_t unit);
};

struct ftl {
    uint32_t scheme; /* index in the table of ftl.c */
    uint32_t reserved;
    uint64_t map; /* page_map: uint32_t per logical unit, address + 1, 0 = unmapped */
};

static inline int ftl_lost(uint32_t found)
{
    return found != FTL_NONE && (found & FTL_LOST) != 0;
}

extern const struct ftl_ops ftl_page_map;

int ftl_init(struct env* e, uint32_t scheme); /* -1 = unknown scheme or no memory */
const struct ftl_ops* ftl_ops_of(const struct env* e);

#endif
