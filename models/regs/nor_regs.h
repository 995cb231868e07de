/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/nor.rdl by scripts/generate-registers: do not edit.
 *
 * Boot flash. A serial NOR flash of NOR_AREAS areas for firmware images, and the boot loader that
 * starts them. Words written to DATA collect in a page buffer; a command raises the interrupt when
 * it has ended. What it holds, and what it started last, outlive power.
 */
#ifndef SSDVP_REGS_NOR_REGS_H
#define SSDVP_REGS_NOR_REGS_H

/* clang-format off */
#include <stdint.h>

#include "models/regs/nor_records.h" /* what lies in memory: not generated */

#define NOR_REG_STATUS  0x00u /* RO  of the last command */
#define NOR_REG_COMMAND 0x04u /* WO  enum nor_command (nor_records.h); others are refused */
/* RW  area that the command is about, below NOR_AREAS; NOR_AREA_BUILT_IN */
#define NOR_REG_AREA    0x08u
/* RW  program: where the page buffer goes, a multiple of NOR_PAGE; a write empties that */
#define NOR_REG_OFFSET  0x0Cu
#define NOR_REG_LENGTH  0x10u /* RW  bytes: program, of the page buffer; load, of the image */
#define NOR_REG_DATA    0x14u /* WO  the next four bytes of the page buffer */

#define NOR_STATUS_BUSY   0x1u /* it is under way: another one is refused */
#define NOR_STATUS_FAILED 0x2u /* there was nothing to load or start */

#endif
