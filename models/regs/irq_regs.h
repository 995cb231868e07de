/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/irq.rdl by scripts/generate-registers: do not edit.
 *
 * Interrupt controller. 64 level-insensitive lines, latched until acknowledged. Every core has
 * enables and a doorbell of its own: those of core n at n * IRQ_CORE_STRIDE. What is pending is
 * common: a line is enabled in one core only.
 */
#ifndef SSDVP_REGS_IRQ_REGS_H
#define SSDVP_REGS_IRQ_REGS_H

/* clang-format off */
#include <stdint.h>

#define IRQ_REG_PENDING_LO 0x00u /* RW1C  lines 0..31 that have been raised and not acknowledged */
#define IRQ_REG_PENDING_HI 0x04u /* RW1C  lines 32..63 */
#define IRQ_REG_ENABLE_LO  0x08u /* RW  1 = line wakes the core, lines 0..31 */
#define IRQ_REG_ENABLE_HI  0x0Cu /* RW  lines 32..63 */
#define IRQ_REG_DOORBELL   0x10u /* WO  any value raises line IRQ_LINE_MAILBOX0 + n of core n */

#define IRQ_CORE_STRIDE 0x20u /* bytes from the registers of one core to those of the next */

#endif
