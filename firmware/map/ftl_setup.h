/* SPDX-License-Identifier: Apache-2.0
 *
 * What the configuration says of the map, for the scheme's init: it keeps what it needs. And the
 * schemes.
 */
#ifndef SSDVP_FIRMWARE_MAP_FTL_SETUP_H
#define SSDVP_FIRMWARE_MAP_FTL_SETUP_H

#include "firmware/map/ftl.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/parts/placed.h"

#define FTL_CACHE_ENTRY_BYTES 48u /* of cache_bytes, that an entry of dftl takes */

struct ftl_setup {
    uint32_t scheme;      /* enum ftl_scheme_id */
    uint32_t batch;       /* dftl: 1 = all that is dirty of a page goes out with it */
    uint32_t policy;      /* log_set: enum map_policy_id: which page of a buffer leaves */
    uint32_t upper;       /* ... of level 2 */
    uint32_t apart;       /* log_set: 1 = each level of the maps has superblocks of its own */
    uint32_t segments;    /* vm_map: in memory, 0 = as many as the bytes hold */
    uint64_t cache_bytes; /* for the part of the map that is in memory */
    uint64_t upper_bytes; /* for level 2, where it does not fit; 0 = all of it */
    uint32_t log_blocks;  /* hybrid mapping */
    uint32_t log_direct;  /* log_set_block: dirty units side by side that do not go to log blocks,
                             0 = half a block */
    struct boot_placed placed;
};

/* One file per scheme, and one line in models/regs/choices/ftl_scheme.h. */
#define FTL_SCHEME_OPS(ID, id, ...) extern const struct ftl_ops ftl_##id;
FTL_SCHEMES(FTL_SCHEME_OPS)
#undef FTL_SCHEME_OPS

#endif
