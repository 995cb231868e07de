/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of heat (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_THERMAL_H
#define SSDVP_REGS_PARTS_THERMAL_H

#include <stdint.h>

struct boot_thermal {  /* limits in hundredths of a kelvin; 0 = never */
    uint32_t on;       /* 0 = nothing models heat */
    uint32_t step_us;  /* from one look at the sensors to the next */
    uint32_t warning;  /* WCTEMP, K */
    uint32_t critical; /* CCTEMP, K */
    uint32_t light;    /* throttling, and the default of TMT1 */
    uint32_t heavy;    /* ... of TMT2 */
    uint32_t shutdown;
    uint32_t hysteresis;
    uint32_t light_programs; /* of the host at a time: thousandths of what there is otherwise */
    uint32_t heavy_programs;
    uint32_t clock_exponent; /* of heavy throttling: cpu.clock / (2^exponent) */
    uint32_t reserved;
};

#endif
