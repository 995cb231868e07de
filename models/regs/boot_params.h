/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameter block: straps and part data that firmware finds at the start of SRAM when it
 * starts. The platform fills it from the configuration.
 */
#ifndef SSDVP_REGS_BOOT_PARAMS_H
#define SSDVP_REGS_BOOT_PARAMS_H

#include <stdint.h>

#include "models/regs/memory_map.h"
#include "models/regs/parts/cache.h"
#include "models/regs/parts/cores.h"
#include "models/regs/parts/map.h"
#include "models/regs/parts/partition.h"
#include "models/regs/parts/placed.h"
#include "models/regs/parts/power.h"
#include "models/regs/parts/retention.h"
#include "models/regs/parts/slc.h"
#include "models/regs/parts/thermal.h"
#include "models/regs/parts/zones.h"

#define BOOT_PARAMS_MAGIC 0x50444253u /* "SBDP" */
#define BOOT_PARAMS_VERSION 1u
#define BOOT_PARAMS_OFFSET 0u        /* from the start of SRAM */
#define BOOT_TELEMETRY_OFFSET 0x400u /* struct telemetry, telemetry.h */
#define BOOT_MAP_CACHE_ENTRY 48u     /* bytes of map_cache per entry of dftl */
#define BOOT_FREE_OFFSET 0x2000u     /* first SRAM byte that firmware may use */

struct boot_params {
    uint32_t magic;
    uint32_t version;
    uint64_t sram_size; /* bytes */
    uint64_t dram_size; /* bytes */

    uint32_t channels;
    uint32_t luns_per_channel;
    uint32_t planes;
    uint32_t blocks_per_plane;
    uint32_t pages_per_block;
    uint32_t page_size; /* bytes, without spare */
    uint32_t oob_size;  /* spare bytes per page */
    uint32_t endurance; /* rated P/E cycles */

    uint32_t map_unit;   /* bytes that one map entry covers: divides page_size, multiple of 512 */
    uint32_t ftl_scheme; /* enum ftl_scheme_id */
    uint64_t user_units; /* logical capacity in map units, after over-provisioning */

    uint32_t cache_policy;      /* enum cache_policy_id */
    uint32_t gc_policy;         /* enum gc_policy_id */
    uint64_t cache_capacity;    /* bytes of DRAM for the write buffer */
    uint32_t gc_low_permille;   /* collect when free blocks fall below this share of all blocks */
    uint32_t gc_high_permille;  /* ... until they reach this share */
    uint32_t wear_static_delta; /* erase-count spread that starts static wear levelling; 0 = off */
    uint32_t wear_dynamic; /* 1 = free block with the fewest erases first; 0 = oldest free first */
    uint32_t trim;         /* 1 = Deallocate and Write Zeroes unmap; 0 = Deallocate is ignored */
    uint32_t multi_plane;  /* 1 = program and erase all planes of a LUN at once */
    uint32_t queue_pairs;  /* I/O queue pairs to offer the host */
    uint32_t mdts;         /* largest transfer, bytes: power of two times 4096 */
    uint32_t data_mode;    /* 0 none, 1 tag, 2 full: how much of a buffer is meaningful */
    uint32_t lun_programs; /* programs of one LUN that the channel may hold at once, 1..255 */
    uint32_t suspend_policy;    /* enum flash_suspend_policy, set in each LUN at boot */
    uint32_t suspend_programs;  /* 1 = programs too may stop for a read */
    uint32_t host_program_mode; /* enum flash_program_mode of host data */
    uint32_t retry_levels;      /* read retry levels of the part, beside the plain read; 0 = none */
    uint32_t codeword;          /* data bytes that one code word of the channel's ECC covers */
    uint32_t pe_cycles;         /* that every block had behind it when it came to this drive */
    /* Refresh: data move when a read needed so much; 0 = never. */
    uint32_t refresh_bits;   /* corrected bits per code word, mean of a read */
    uint32_t refresh_reads;  /* reads of a block since its erase */
    uint32_t refresh_level;  /* read retry level */
    uint32_t refresh_retire; /* a block that asked for so many refreshes retires; 0 = never */
    uint32_t patrol_us;      /* a page of each block is read this often; 0 = never */
    /* enum flash_program_mode of everything but host programs: normal, or SLC for all of them;
     * pages_per_block is what a block has in it */
    uint32_t array_mode;
    uint32_t gc_copyback;      /* 1 = collection moves whole pages by copyback where it can */
    uint32_t copyback_bits;    /* ... with at most so many wrong bits per code word, mean of a page;
                                  0 = the part has no bit errors, pages are not checked */
    uint32_t stripe;           /* enum stripe_id */
    uint32_t host_interface;   /* enum host_interface_id */
    uint64_t checkpoint_units; /* programmed from one checkpoint of the maps to the next */
    uint64_t map_cache;        /* bytes of DRAM for the cached part of a map that is paged */
    uint32_t
        map_batch; /* 1 = a map page that is written again takes all that changed of it along */
    uint32_t map_segments;        /* vm_map: segments in DRAM, 0 = as many as map_cache holds */
    uint32_t map_policy;          /* enum map_policy_id: page that leaves the buffer of log_set */
    uint32_t gc_invalid_permille; /* a superblock with a greater share of garbage is collected
                                     though space is not low; 0 = never */
    uint32_t log_blocks;   /* log_set_block: of the W-log; 0 = all is written to data blocks */
    uint32_t log_direct;   /* ... dirty units side by side that are; 0 = half a block */
    uint32_t map_apart;    /* log_set: 1 = each level of the maps has superblocks of its own */
    uint32_t upper_policy; /* enum map_policy_id: page of level 2 that leaves its buffer */
    uint64_t upper_cache;  /* log_set: bytes of DRAM for level 2 of the maps, 0 = all of it */
    struct boot_placed placed;
    struct boot_cache cache;
    uint32_t placement;     /* enum placement_id */
    uint32_t place_order;   /* PLACEMENT_ORDER of a static placement */
    uint32_t place_window;  /* superblocks that a stream may have open then, from 1 on */
    uint32_t dies_per_chip; /* divides luns_per_channel */
    uint32_t planes_most;   /* that a program of the host takes; 0 = all */
    uint32_t lookup;        /* 1 = the front end has a look-up engine, for page_map */
    struct boot_retention retention;
    struct boot_zones zones;
    uint32_t cores;                     /* that run firmware; 0 = 1 */
    uint32_t core_roles[MAP_CORES_MAX]; /* BOOT_ROLE_* of each; each role on one core */
    uint32_t streams;                   /* that the host may have open by directive; 0 = none */
    struct boot_thermal thermal;
    struct boot_slc slc;
    struct boot_map map;
    struct boot_power power;
    struct boot_partition partition;
    uint32_t word_line; /* pages of one, where the part programs it in two passes; 0 = one pass */
    uint32_t word_line_reserved;
};

#endif
