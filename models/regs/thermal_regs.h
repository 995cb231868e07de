/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/thermal.rdl by scripts/generate-registers: do not edit.
 *
 * Thermal unit. Temperature sensors, a comparator that wakes firmware when the drive's temperature
 * leaves a range, and the divider of the cores' clock. Temperatures are in hundredths of a kelvin,
 * with 0 degrees Celsius at 273.00 K as NVMe hosts count. All but LEVEL, DIVIDER, ENERGY and POWER
 * read as 0 where the drive has no thermal model.
 */
#ifndef SSDVP_REGS_THERMAL_REGS_H
#define SSDVP_REGS_THERMAL_REGS_H

/* clang-format off */
#include <stdint.h>

/*
 * RO  temperature of the drive: that of its hottest sensor; reading begins a conversion of all
 * sensors where the last one is old enough (thermal.step)
 */
#define THERMAL_REG_COMPOSITE  0x00u
#define THERMAL_REG_CONTROLLER 0x04u /* RO  of the controller, as of the last conversion */
#define THERMAL_REG_NAND       0x08u /* RO  of the hottest die, likewise */
#define THERMAL_REG_LOW        0x0Cu /* RW  the line is raised once COMPOSITE is below; 0 = never */
/*
 * RW  the line is raised once COMPOSITE is as high or higher; 0 = never. A write starts the
 * comparator, which raises the line once
 */
#define THERMAL_REG_HIGH       0x10u
/*
 * RW  what firmware does about heat, for reports: 0 nothing, 1 light, 2 heavy throttling, 3 stopped
 */
#define THERMAL_REG_LEVEL      0x14u
#define THERMAL_REG_DIVIDER    0x18u /* RW  cores run at cpu.clock / (2^EXPONENT) */
/* RO  microjoules that the drive has drawn since power-on; wraps. 0 without figures of energy */
#define THERMAL_REG_ENERGY     0x1Cu
/*
 * RW  power state of the drive, for the account of energy; ASLEEP: it draws what that state draws,
 * whatever its parts would
 */
#define THERMAL_REG_POWER      0x20u

#define THERMAL_LEVEL_STEP_SHIFT 0
#define THERMAL_LEVEL_STEP_MASK  0x3u

#define THERMAL_DIVIDER_EXPONENT_SHIFT 0
#define THERMAL_DIVIDER_EXPONENT_MASK  0x7u

#define THERMAL_POWER_STATE_SHIFT 0
#define THERMAL_POWER_STATE_MASK  0x1Fu
#define THERMAL_POWER_ASLEEP      0x100u

#endif
