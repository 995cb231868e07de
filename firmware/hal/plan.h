/* SPDX-License-Identifier: Apache-2.0
 *
 * What the entry `plan` of a firmware image (hal.h) tells.
 */
#ifndef SSDVP_FIRMWARE_HAL_PLAN_H
#define SSDVP_FIRMWARE_HAL_PLAN_H

#include <stdint.h>

/* What main will need of the drive that struct boot_params describes, and what of it is for what.
 * hal->sram has FIRMWARE_PLAN_SRAM bytes, as at power-up, whatever sram_size says, hal->dram is
 * NULL. Registers read as at power-up, writes to them do nothing; no other function of the port but
 * log and panic may be called. Where main would give up, the first error that was logged says why.
 */
struct firmware_share {
    const char* name;
    uint64_t sram; /* bytes */
    uint64_t dram;
};

#define FIRMWARE_SHARES_MOST 16u

struct firmware_plan {
    uint64_t sram; /* bytes from the start of each memory */
    uint64_t dram;
    /* Superblocks that the flash needs beside the user's data and bad ones, and why: those that are
     * open or kept free; what maps and the like fill; free ones at which collection starts, stops.
     * 0 = whatever there is will do. */
    uint32_t superblocks;
    uint32_t open;
    uint32_t overhead;
    uint32_t gc_low;
    uint32_t gc_high;
    uint32_t shares;
    struct firmware_share share[FIRMWARE_SHARES_MOST]; /* 0 to shares - 1 */
    /* Of sram: what the map needs, in one piece (boot_params.map.bank). */
    uint64_t map;
};

#define FIRMWARE_PLAN_SRAM 0x100000u

#endif
