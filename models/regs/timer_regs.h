/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/timer.rdl by scripts/generate-registers: do not edit.
 *
 * Timer. A free-running nanosecond counter and one one-shot comparator.
 */
#ifndef SSDVP_REGS_TIMER_REGS_H
#define SSDVP_REGS_TIMER_REGS_H

/* clang-format off */
#include <stdint.h>

#define TIMER_REG_NOW_LO  0x00u /* RO  simulated time in ns, bits 31..0; reading latches NOW_HI */
#define TIMER_REG_NOW_HI  0x04u /* RO  bits 63..32 of the value latched by NOW_LO */
/* WO  raise the interrupt this many ns after the write; 0 cancels */
#define TIMER_REG_ONESHOT 0x08u

#endif
