/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/sata_fe.rdl by scripts/generate-registers: do not edit.
 *
 * SATA front end, device side. What firmware sees of the SATA device: rings as those of the NVMe
 * front end, at the same offsets. The front end receives command frames, answers what the protocol
 * asks for at once, and appends each command to the command ring; its slot is its tag, or
 * SFE_SLOT_SINGLE. A move with FE_MOVE_CQE ends the command: by a Set Device Bits FIS where it is
 * queued, else by a Register FIS, or the last PIO Setup.
 */
#ifndef SSDVP_REGS_SATA_FE_REGS_H
#define SSDVP_REGS_SATA_FE_REGS_H

/* clang-format off */
#include <stdint.h>

#include "models/regs/sata_fe_records.h" /* what lies in memory: not generated */

#define SFE_REG_CMD_BASE_LO  0x00u /* RW  command ring address, bits 31..0 */
#define SFE_REG_CMD_BASE_HI  0x04u /* RW  bits 63..32 */
/* RW  entries, 0 takes the ring away; a write resets producer to 0, phase to 1 */
#define SFE_REG_CMD_SIZE     0x08u
#define SFE_REG_CMD_HEAD     0x0Cu /* RW  first entry firmware has not read */
#define SFE_REG_MOVE_BASE_LO 0x10u /* RW  mover ring address, bits 31..0 */
#define SFE_REG_MOVE_BASE_HI 0x14u /* RW  bits 63..32 */
#define SFE_REG_MOVE_SIZE    0x18u /* RW  entries, likewise; a write resets head and tail */
#define SFE_REG_MOVE_TAIL    0x1Cu /* RW  doorbell; reads the first descriptor not yet taken */
#define SFE_REG_DONE_BASE_LO 0x20u /* RW  mover completion ring address, bits 31..0 */
#define SFE_REG_DONE_BASE_HI 0x24u /* RW  bits 63..32 */
/* RW  entries, likewise; a write resets producer to 0, phase to 1 */
#define SFE_REG_DONE_SIZE    0x28u
#define SFE_REG_DONE_HEAD    0x2Cu /* RW  first entry firmware has not read */
#define SFE_REG_INT_ENABLE   0x30u /* RW  conditions that raise the line */
#define SFE_REG_INT_STATUS   0x34u /* RO  conditions that hold now */
/* RO  what the host does to the device; reading clears SFE_INT_LINK */
#define SFE_REG_LINK         0x38u
#define SFE_REG_READY        0x3Cu /* RW  what firmware says of the device */
#define SFE_REG_OPTIONS      0x40u /* RW  what the host has agreed to by SET FEATURES */
/* RW  largest data transfer of a command in bytes; others have none. Not with commands under way */
#define SFE_REG_MDTS         0x44u
#define SFE_REG_SLOTS        0x48u /* RO  command slots: 32 tags and one for what is not queued */
#define SFE_REG_SPEED        0x4Cu /* RO  generation of the link as it runs */
/* RO  the error that stopped the queue: what log page 10h tells; all 0 when it runs */
#define SFE_REG_QUEUE_ERROR  0x50u
#define SFE_REG_ERROR_LBA_LO 0x54u /* RO  of that command, LBA of the error, bits 31..0 */
#define SFE_REG_ERROR_LBA_HI 0x58u /* RO  bits 47..32 */

#define SFE_INT_COMMAND    0x1u /* a command was appended */
#define SFE_INT_DONE       0x2u /* a mover completion with FE_MOVE_IRQ was appended */
/* any unread mover completion: enable before sleeping for buffers */
#define SFE_INT_DONE_QUIET 0x4u
#define SFE_INT_LINK       0x8u /* LINK changed */

/*
 * the device is to be ready; 0 from a reset of the host (COMRESET, SRST) until firmware has written
 * READY.RDY = 0
 */
#define SFE_LINK_ENABLE 0x1u
#define SFE_LINK_HARD   0x10000u /* the last reset was a COMRESET, not SRST */

#define SFE_READY_RDY 0x1u /* 0 -> 1 sends the signature; BSY is set until then */

#define SFE_OPTIONS_AUTO_ACTIVATE 0x1u /* the first Data FIS to the device needs no DMA Activate */

#define SFE_SPEED_GENERATION_SHIFT 0    /* 1, 2, 3 = 1.5, 3, 6 Gb/s */
#define SFE_SPEED_GENERATION_MASK  0x7u

#define SFE_QUEUE_ERROR_TAG_SHIFT    0           /* tag of the command, 0 where SINGLE */
#define SFE_QUEUE_ERROR_TAG_MASK     0x1Fu
#define SFE_QUEUE_ERROR_STATUS_SHIFT 8           /* ATA Status */
#define SFE_QUEUE_ERROR_STATUS_MASK  0xFF00u
#define SFE_QUEUE_ERROR_ERROR_SHIFT  16          /* ATA Error */
#define SFE_QUEUE_ERROR_ERROR_MASK   0xFF0000u
#define SFE_QUEUE_ERROR_SINGLE       0x40000000u /* the command was not queued */
#define SFE_QUEUE_ERROR_STOPPED      0x80000000u /* the queue has stopped */

#define SFE_ERROR_LBA_HI_BITS_SHIFT 0
#define SFE_ERROR_LBA_HI_BITS_MASK  0xFFFFu

/* What a register takes. */
#define SFE_CMD_SIZE_MIN  2u
#define SFE_MOVE_SIZE_MIN 2u
#define SFE_DONE_SIZE_MIN 2u
#define SFE_MDTS_MIN      512u
#define SFE_MDTS_MAX      33554432u

/* Values at reset that are not 0. */
#define SFE_MDTS_RESET  0x20000u
#define SFE_SLOTS_RESET 0x21u

#endif
