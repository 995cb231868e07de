/* SPDX-License-Identifier: Apache-2.0
 *
 * The thermal unit: sensors, their comparator, the clock of the cores, and the power drawn.
 * Temperatures are in hundredths of a kelvin.
 */
#ifndef SSDVP_FIRMWARE_DRV_THERMAL_H
#define SSDVP_FIRMWARE_DRV_THERMAL_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "models/regs/thermal_regs.h"

/* Reading the composite temperature begins a conversion: the others are of that time. */
static inline uint32_t thermal_read(struct env* e, uint32_t sensor)
{
    return hal_read32(e->hal, MAP_THERMAL_BASE + sensor);
}

/* Raises IRQ_LINE_THERMAL once the composite temperature is below `low` or at least `high`; 0 = no
 * such limit. */
static inline void thermal_await(struct env* e, uint32_t low, uint32_t high)
{
    hal_write32(e->hal, MAP_THERMAL_BASE + THERMAL_REG_LOW, low);
    hal_write32(e->hal, MAP_THERMAL_BASE + THERMAL_REG_HIGH, high);
}

static inline void thermal_throttle(struct env* e, uint32_t level, uint32_t clock_exponent)
{
    hal_write32(e->hal, MAP_THERMAL_BASE + THERMAL_REG_LEVEL, level);
    hal_write32(e->hal, MAP_THERMAL_BASE + THERMAL_REG_DIVIDER, clock_exponent);
}

/* The power state that the drive is in, for the account of energy. */
static inline void thermal_power(struct env* e, uint32_t state, bool asleep)
{
    hal_write32(e->hal, MAP_THERMAL_BASE + THERMAL_REG_POWER,
                state | (asleep ? THERMAL_POWER_ASLEEP : 0u));
}

#endif
