/* SPDX-License-Identifier: Apache-2.0
 *
 * Flash translation layer: logical unit -> physical unit address. A scheme is one file with one
 * ops table; boot_params.ftl_scheme picks it from ftl.c. Addresses are packed as geometry.h says.
 */
#ifndef SSDVP_FIRMWARE_FTL_FTL_H
#define SSDVP_FIRMWARE_FTL_FTL_H

#include "firmware/lib/env.h"

#define FTL_NONE 0xFFFFFFFFu /* unmapped */

struct ftl_ops {
    const char* name;
    int (*init)(struct env* e); /* 0 = done */
    uint32_t (*lookup)(struct env* e, uint32_t unit);
    /* The unit's newest data are programmed at address. */
    void (*commit)(struct env* e, uint32_t unit, uint32_t address);
    /* Collection copied the unit: repoints it unless it has moved on meanwhile. 1 = repointed. */
    int (*move)(struct env* e, uint32_t unit, uint32_t from, uint32_t to);
    int (*trim)(struct env* e, uint32_t unit); /* 1 = it was mapped */
    void (*prefetch)(struct env* e, uint32_t unit);
};

struct ftl {
    uint32_t scheme; /* index in the table of ftl.c */
    uint32_t reserved;
    uint64_t map; /* page_map: uint32_t per logical unit, address + 1, 0 = unmapped */
};

extern const struct ftl_ops ftl_page_map;

int ftl_init(struct env* e, uint32_t scheme); /* -1 = unknown scheme or no memory */
const struct ftl_ops* ftl_ops_of(const struct env* e);

#endif
