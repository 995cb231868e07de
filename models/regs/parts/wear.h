/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of wear (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_WEAR_H
#define SSDVP_REGS_PARTS_WEAR_H

#include <stdint.h>

struct boot_wear {
    uint32_t endurance;    /* rated P/E cycles */
    uint32_t pe_cycles;    /* that every block had behind it when it came to this drive */
    uint32_t static_delta; /* erase-count spread that starts static wear levelling; 0 = off */
    uint32_t dynamic;      /* 1 = free block with the fewest erases first; 0 = oldest free first */
};

#endif
