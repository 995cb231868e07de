/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of the map (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_MAP_H
#define SSDVP_REGS_PARTS_MAP_H

#include <stdint.h>

#include "models/regs/parts/placed.h"

#define BOOT_MAP_CACHE_ENTRY 48u /* bytes of `cache` per entry of dftl */

enum boot_map_memory { BOOT_MAP_DRAM = 0, BOOT_MAP_SRAM = 1, BOOT_MAP_HMB = 2 };

struct boot_map {
    /* Memory of the map and of what is cached of it. */
    uint64_t bank;        /* on-chip bytes for it, the last ones of dram_size; 0 = it is in DRAM */
    uint64_t preferred;   /* HMPRE, bytes; 0 = there is no host memory buffer */
    uint64_t minimum;     /* HMMIN, bytes */
    uint32_t memory;      /* enum boot_map_memory */
    uint32_t segments;    /* vm_map: segments in DRAM, 0 = as many as `cache` holds */
    uint64_t cache;       /* bytes of DRAM for the cached part of a map that is paged */
    uint64_t upper_cache; /* log_set: bytes of DRAM for level 2 of the maps, 0 = all of it */
    uint64_t checkpoint_units; /* programmed from one checkpoint of the maps to the next */
    uint32_t batch;  /* 1 = a map page that is written again takes all that changed of it along */
    uint32_t policy; /* enum map_policy_id: page that leaves the buffer of log_set */
    uint32_t upper_policy; /* enum map_policy_id: page of level 2 that leaves its buffer */
    uint32_t apart;        /* log_set: 1 = each level of the maps has superblocks of its own */
    uint32_t log_blocks;   /* log_set_block: of the W-log; 0 = all is written to data blocks */
    uint32_t log_direct;   /* ... dirty units side by side that are; 0 = half a block */
    struct boot_placed placed;
};

#endif
