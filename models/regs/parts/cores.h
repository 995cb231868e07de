/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of the cores that run firmware (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_CORES_H
#define SSDVP_REGS_PARTS_CORES_H

#include <stdint.h>

#include "models/regs/memory_map.h"

#define BOOT_ROLE_HOST 1u  /* front end: commands, moves, completions */
#define BOOT_ROLE_FTL 2u   /* all else: boots the drive, and owns its tables */
#define BOOT_ROLE_FLASH 4u /* rings of the flash channels */
#define BOOT_ROLE_ALL 7u

struct boot_cores {
    uint32_t count;                /* that run firmware; 0 = 1 */
    uint32_t roles[MAP_CORES_MAX]; /* BOOT_ROLE_* of each; each role on one core */
};

#endif
