/* SPDX-License-Identifier: Apache-2.0
 *
 * Small devices that are nothing but their registers: timer, thermal unit, boot flash.
 */
#ifndef SSDVP_FIRMWARE_DRV_DEVICES_H
#define SSDVP_FIRMWARE_DRV_DEVICES_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/lib/geometry.h"
#include "models/regs/nor_regs.h"
#include "models/regs/thermal_regs.h"
#include "models/regs/timer_regs.h"

/* ---- The timer's one-shot comparator ---- */

#define TIMER_MOST 4000000000u /* ns that it takes at a time */

struct timers { /* of those who share it: when, in ns; 0 = not at all */
    uint64_t armed;
    uint64_t work;   /* of the drive's own accord, as of the last time that it was awake */
    uint32_t shared; /* 1 = by others than the patrol; set at boot */
    uint32_t reserved;
    uint64_t lines; /* of interrupts, that the round took in */
};

/* The timer's interrupt line, as a bit: each partition has a timer of its own. */
static inline uint64_t timer_line(const struct env* e)
{
    return UINT64_C(1) << (IRQ_LINE_TIMER0 + e->geo->partition.index);
}

/* Raises the line so many ns from now, instead of what was armed before. */
static inline void timer_arm(struct env* e, uint32_t ns)
{
    const uint64_t base = MAP_TIMER_BASE + e->geo->partition.index * MAP_TIMER_SIZE;
    hal_write32(e->hal, base + TIMER_REG_ONESHOT, ns);
}

/* ---- The thermal unit: sensors, their comparator, the clock of the cores, and the power drawn.
 * Temperatures are in hundredths of a kelvin. ---- */

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

/* ---- The boot flash: areas for firmware images, and the loader that starts them ---- */

static inline void nor_set(struct env* e, uint32_t offset, uint32_t value)
{
    hal_write32(e->hal, MAP_NOR_BASE + offset, value);
}

static inline uint32_t nor_status(struct env* e)
{
    return hal_read32(e->hal, MAP_NOR_BASE + NOR_REG_STATUS);
}

/* Each raises IRQ_LINE_NOR when it has ended, but for those that start another image. */
static inline void nor_command(struct env* e, uint32_t command, uint32_t area, uint32_t length)
{
    FW_ASSERT(e, area < NOR_AREAS || (area == NOR_AREA_BUILT_IN && command != NOR_PROGRAM));
    nor_set(e, NOR_REG_AREA, area);
    nor_set(e, NOR_REG_LENGTH, length);
    nor_set(e, NOR_REG_COMMAND, command);
}

/* A multiple of four bytes, a page at most, at a multiple of pages. */
static inline void nor_program(struct env* e, uint32_t area, uint32_t offset, const uint8_t* data,
                               uint32_t bytes)
{
    FW_ASSERT(e, bytes % 4 == 0 && bytes <= NOR_PAGE);
    FW_ASSERT(e, offset % 4 == 0 && offset <= NOR_AREA_SIZE - bytes);
    nor_set(e, NOR_REG_OFFSET, offset);
    for (uint32_t i = 0; i < bytes; i += 4) {
        nor_set(e, NOR_REG_DATA,
                (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16 |
                    (uint32_t)data[i + 3] << 24);
    }
    nor_command(e, NOR_PROGRAM, area, bytes);
}

#endif
