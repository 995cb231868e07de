/* SPDX-License-Identifier: Apache-2.0
 *
 * What the entries `plan` and `counts` of a firmware image (hal.h) tell and do.
 */
#ifndef SSDVP_FIRMWARE_HAL_ENTRIES_H
#define SSDVP_FIRMWARE_HAL_ENTRIES_H

#include <stdint.h>

struct hal;

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

/* Preconditioning by counts: superblocks are allocated and collected by how many of their units are
 * valid, and only at the end anything is programmed. The channels execute functionally meanwhile.
 * Which units lie where is told at the end too, or, with a table, as they are given. */
struct firmware_counted {
    uint64_t units;      /* logical map units [0, units) are written once ... */
    uint64_t overwrites; /* ... then so many of them again, each time any one alike */
    uint64_t seed;       /* of what is random */
    uint32_t room;       /* units that deal gets at a time, at most */
    /* NULL, or the caller's, for the unit of each place, until deal is through: `give` says which
     * units are written, all of them below `units`, instead of overwrites and seed. */
    uint32_t* table;
    /* With a table: collection waits for as long as it does under load (1), or goes from the low
     * mark to the high one (0). */
    uint32_t paced;
};

#define FIRMWARE_COUNTS_FULL UINT64_MAX /* there is no space left */
#define FIRMWARE_NO_UNIT UINT64_MAX     /* padding: zeroes */

struct firmware_counts {
    /* The drive holds nothing. 0 = done; else nothing has changed, and units have to be written one
     * by one. */
    int (*begin)(struct hal* hal, const struct firmware_counted* what);
    /* Writes units, about `count`. Returns how many are left, or FIRMWARE_COUNTS_FULL. */
    uint64_t (*write)(struct hal* hal, uint64_t count);
    /* Entries of the table. */
    uint64_t (*places)(struct hal* hal);
    /* The host writes these units now. 0 units: what waits for others of its write unit goes as it
     * is, and there are no more. 0 = done, -1 = there is no space left. */
    int (*give)(struct hal* hal, const uint64_t* units, uint32_t count);
    /* How many units are valid in each superblock that is full, `most` of them at most; how many
     * those are. */
    uint32_t (*valid)(struct hal* hal, uint32_t* units, uint32_t most);
    /* Then, again and again: programs the units that the last call asked for, from the buffer
     * (controller address), one after the other; and asks for the next ones. Returns how many those
     * are, 0 = all data are where they belong. */
    uint32_t (*deal)(struct hal* hal, uint64_t* units, uint64_t buffer);
};

#endif
