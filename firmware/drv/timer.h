/* SPDX-License-Identifier: Apache-2.0
 *
 * The timer's one-shot comparator.
 */
#ifndef SSDVP_FIRMWARE_DRV_TIMER_H
#define SSDVP_FIRMWARE_DRV_TIMER_H

#include "firmware/lib/env.h"
#include "firmware/lib/geometry.h"
#include "models/regs/timer_regs.h"

#define TIMER_MOST 4000000000u /* ns that it takes at a time */

struct timers { /* of those who share it: when, in ns; 0 = not at all */
    uint64_t armed;
    uint64_t work;   /* of the drive's own accord, as of the last time that it was awake */
    uint32_t shared; /* 1 = by others than the patrol; set at boot */
    uint32_t looks;  /* 1 = some parts look in each round; set at boot */
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

#endif
