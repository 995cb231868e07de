/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of where a write lands (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_PLACEMENT_H
#define SSDVP_REGS_PARTS_PLACEMENT_H

#include <stdint.h>

struct boot_placement {
    uint32_t kind;          /* enum placement_id */
    uint32_t order;         /* PLACEMENT_ORDER of a static placement */
    uint32_t window;        /* superblocks that a stream may have open then, from 1 on */
    uint32_t dies_per_chip; /* divides luns_per_channel */
    uint32_t planes_most;   /* that a program of the host takes; 0 = all */
    uint32_t reserved;
};

#endif
