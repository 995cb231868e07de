/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of the map's memory (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_MAP_H
#define SSDVP_REGS_PARTS_MAP_H

#include <stdint.h>

enum boot_map_memory { BOOT_MAP_DRAM = 0, BOOT_MAP_SRAM = 1, BOOT_MAP_HMB = 2 };

struct boot_map {       /* memory of the map and of what is cached of it */
    uint64_t bank;      /* on-chip bytes for it, the last ones of dram_size; 0 = it is in DRAM */
    uint64_t preferred; /* HMPRE, bytes; 0 = there is no host memory buffer */
    uint64_t minimum;   /* HMMIN, bytes */
    uint32_t memory;    /* enum boot_map_memory */
    uint32_t reserved;
};

#endif
