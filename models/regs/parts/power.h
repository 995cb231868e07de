/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of power states (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_POWER_H
#define SSDVP_REGS_PARTS_POWER_H

#include <stdint.h>

#define BOOT_POWER_STATES 8u

struct boot_power_state { /* in 100 uW */
    uint32_t max_power;
    uint32_t idle; /* drawn while it is not operational; 0 for one that is */
    uint32_t entry_us;
    uint32_t exit_us;
};

struct boot_power {       /* NVMe power states */
    uint32_t count;       /* 0 = the drive has no figures for its states */
    uint32_t operational; /* the first so many work */
    uint32_t step_us;     /* from one look at the power drawn to the next */
    uint32_t reserved;
    struct boot_power_state state[BOOT_POWER_STATES];
};

#endif
