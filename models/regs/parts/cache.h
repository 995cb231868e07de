/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of the buffer (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_CACHE_H
#define SSDVP_REGS_PARTS_CACHE_H

#include <stdint.h>

struct boot_cache {    /* 0 = without */
    uint64_t capacity; /* bytes of DRAM for the write buffer */
    uint32_t policy;   /* enum cache_policy_id */
    uint32_t reserved;
    uint32_t dirty_permille;  /* share that may be dirty; 0 = what the policy takes for itself */
    uint32_t group_units;     /* fab, bplru: units of a logical block */
    uint32_t window_permille; /* rw_cflru: share that is searched for a clean unit */
    uint32_t window_adapts;
    uint32_t program_cost; /* rw_cflru: of a page, in 1/16 of a read */
    uint32_t padding;      /* bplru: a block leaves with what it lacks */
    uint32_t compensation; /* bplru: a block that was written in order leaves first */
    uint32_t whole_units;  /* a unit that is written in part is completed at once */
    uint32_t side_by_side; /* bplru: blocks that leave with pads at a time; 0 = one per LUN */
    uint32_t readings;     /* bplru: BPLRU_... */
    uint64_t idle_ns;      /* without commands, after which dirty units are programmed */
    uint64_t ahead_units;  /* read ahead of sequential reads */
};

#endif
