/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of the SLC cache (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_SLC_H
#define SSDVP_REGS_PARTS_SLC_H

#include <stdint.h>

struct boot_slc {            /* SLC cache */
    uint32_t fixed;          /* superblocks that are in SLC mode for good, the first ones */
    uint32_t dynamic;        /* ... that may be in it as long as they are not needed otherwise */
    uint32_t pages;          /* of a block in it; 0 = there is no cache */
    uint32_t policy;         /* enum slc_policy_id */
    uint32_t goal_permille;  /* share of it that idle time makes free */
    uint32_t low_permille;   /* ... below which writes of the host drain it */
    uint32_t drain_permille; /* units folded then per unit that the host writes */
    uint32_t endurance;      /* rated P/E cycles in SLC mode; 0 = none */
    uint64_t idle_ns;        /* without a command, after which the drive is idle */
    /* Share of a superblock outside that has to be garbage for idle time to make room of it for the
     * dynamic part; 1000 = none is collected for that. */
    uint32_t reclaim_permille;
    uint32_t copyback; /* 1 = whole pages leave it by copyback where they can */
    uint64_t close_ns; /* ... after which the superblock that is open leaves it too; 0 = never */
    uint32_t taper_permille; /* free share below which it takes less of the host's writes */
    uint32_t reserved;       /* no hole: what lies in memory is the same in each run */
};

#endif
