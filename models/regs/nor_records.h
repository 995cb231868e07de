/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands of the boot flash, and what it is made of. A serial NOR flash of 16 MiB as they are
 * sold: 64 KiB erase in 150 ms, 256 bytes program in 0.4 ms, 50 MB/s reads.
 */
#ifndef SSDVP_REGS_NOR_RECORDS_H
#define SSDVP_REGS_NOR_RECORDS_H

#include <stdint.h>

#define NOR_AREAS 4u
#define NOR_AREA_SIZE 0x400000u
#define NOR_PAGE 4096u          /* most that one command programs */
#define NOR_SECTOR 65536u       /* erased when its first byte is programmed */
#define NOR_AREA_BUILT_IN 0xFFu /* the image that the drive came with, not in the flash */

enum nor_command {
    NOR_PROGRAM = 1,    /* page buffer to AREA, OFFSET */
    NOR_LOAD = 2,       /* the image of AREA is looked at and made ready; nothing changes yet */
    NOR_START = 3,      /* the cores and their memories start from reset, with
                           the loaded image of AREA; the host's side stays. Also at each power-up */
    NOR_START_WARM = 4, /* the core that has returned runs that image, with memory as it is */
};

/* What the loader leaves in SRAM for the image that it starts, behind struct boot_params. */
#define NOR_BOOT_OFFSET 0x3F0u

struct nor_boot {
    uint32_t area;  /* whose image runs, + 1; 0 = NOR_AREA_BUILT_IN */
    uint32_t again; /* 1 = the image before started it, without a loss of power */
};

#endif
