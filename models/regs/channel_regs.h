/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/channel.rdl by scripts/generate-registers: do not edit.
 *
 * Flash channel controller. Per channel one submission ring and one completion ring in memory.
 * Firmware fills descriptors, then writes the ring index of the next free one to SQ_TAIL. The
 * controller posts completions with a phase bit that starts at 1 and flips each time the completion
 * ring wraps; firmware returns the index of the next entry it will read by CQ_HEAD.
 */
#ifndef SSDVP_REGS_CHANNEL_REGS_H
#define SSDVP_REGS_CHANNEL_REGS_H

/* clang-format off */
#include <stdint.h>

#include "models/regs/channel_records.h" /* what lies in memory: not generated */

#define CHANNEL_REG_SQ_BASE_LO 0x00u /* RW  submission ring address, bits 31..0 */
#define CHANNEL_REG_SQ_BASE_HI 0x04u /* RW  bits 63..32 */
#define CHANNEL_REG_SQ_SIZE    0x08u /* RW  entries, 2..65536; a write resets head and tail to 0 */
#define CHANNEL_REG_SQ_TAIL    0x0Cu /* RW  doorbell: below SQ_SIZE */
#define CHANNEL_REG_CQ_BASE_LO 0x10u /* RW  completion ring address, bits 31..0 */
#define CHANNEL_REG_CQ_BASE_HI 0x14u /* RW  bits 63..32 */
#define CHANNEL_REG_CQ_SIZE    0x18u /* RW  entries; a write resets the producer to 0, phase to 1 */
#define CHANNEL_REG_CQ_HEAD    0x1Cu /* RW  first entry firmware has not read: below CQ_SIZE */
#define CHANNEL_REG_INT_ENABLE 0x20u /* RW  whether completions interrupt */
#define CHANNEL_REG_LUNS       0x24u /* RO  LUNs on this channel */
/* RW  what reads may ask the dies to suspend; other bits are refused */
#define CHANNEL_REG_SUSPEND    0x28u

#define CHANNEL_INT_ENABLE_POSTED 0x1u /* raise the line when a completion is posted */

#define CHANNEL_SUSPEND_ERASES   0x1u /* erases */
#define CHANNEL_SUSPEND_PROGRAMS 0x2u /* programs, between their loops */

/* What a register takes. */
#define CHANNEL_SQ_SIZE_MIN 2u
#define CHANNEL_SQ_SIZE_MAX 65536u
#define CHANNEL_CQ_SIZE_MIN 2u
#define CHANNEL_CQ_SIZE_MAX 65536u

#endif
