/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of operations of the flash (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_FLASH_H
#define SSDVP_REGS_PARTS_FLASH_H

#include <stdint.h>

struct boot_flash {
    uint32_t lun_programs;      /* programs of one LUN that the channel may hold at once, 1..255 */
    uint32_t suspend_policy;    /* enum flash_suspend_policy, set in each LUN at boot */
    uint32_t suspend_programs;  /* 1 = programs too may stop for a read */
    uint32_t retry_levels;      /* read retry levels of the part, beside the plain read; 0 = none */
    uint32_t host_program_mode; /* enum flash_program_mode of host data */
    /* enum flash_program_mode of everything but host programs: normal, or SLC for all of them;
     * pages_per_block is what a block has in it */
    uint32_t array_mode;
};

#endif
