/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/nvme_fe.rdl by scripts/generate-registers: do not edit.
 *
 * NVMe front end, device side. What firmware sees. The front end fetches submission entries, walks
 * their PRPs or SGLs, keeps each command in a hardware slot and appends it to the command ring.
 * Firmware moves data and completes commands through the data-mover ring. Three rings in memory:
 * commands (front end to firmware, phase bit), moves (firmware to front end, doorbell MOVE_TAIL),
 * mover completions (front end to firmware, phase bit). Phase bits start at 1 and flip at each
 * wrap. Moves of one slot are done in ring order; those of different slots may overlap.
 */
#ifndef SSDVP_REGS_NVME_FE_REGS_H
#define SSDVP_REGS_NVME_FE_REGS_H

/* clang-format off */
#include <stdint.h>

#include "models/regs/nvme_fe_records.h" /* what lies in memory: not generated */

#define FE_REG_CMD_BASE_LO     0x00u /* RW  command ring address, bits 31..0 */
#define FE_REG_CMD_BASE_HI     0x04u /* RW  bits 63..32 */
/* RW  entries, 0 takes the ring away; a write resets producer to 0, phase to 1 */
#define FE_REG_CMD_SIZE        0x08u
#define FE_REG_CMD_HEAD        0x0Cu /* RW  first entry firmware has not read */
#define FE_REG_MOVE_BASE_LO    0x10u /* RW  mover ring address, bits 31..0 */
#define FE_REG_MOVE_BASE_HI    0x14u /* RW  bits 63..32 */
#define FE_REG_MOVE_SIZE       0x18u /* RW  entries, likewise; a write resets head and tail */
#define FE_REG_MOVE_TAIL       0x1Cu /* RW  doorbell; reads the first descriptor not yet taken */
#define FE_REG_DONE_BASE_LO    0x20u /* RW  mover completion ring address, bits 31..0 */
#define FE_REG_DONE_BASE_HI    0x24u /* RW  bits 63..32 */
/* RW  entries, likewise; a write resets producer to 0, phase to 1 */
#define FE_REG_DONE_SIZE       0x28u
#define FE_REG_DONE_HEAD       0x2Cu /* RW  first entry firmware has not read */
#define FE_REG_INT_ENABLE      0x30u /* RW  conditions that raise the line */
#define FE_REG_INT_STATUS      0x34u /* RO  conditions that hold now */
#define FE_REG_CC              0x38u /* RO  copy of NVMe CC; reading clears FE_INT_CC */
/* RW  NVMe CSTS as the host sees it; RDY 0->1 arms the admin queues */
#define FE_REG_CSTS            0x3Cu
/* RW  log2 of the LBA size: lets the front end size I/O transfers */
#define FE_REG_LBA_SHIFT       0x40u
#define FE_REG_MDTS            0x44u /* RW  largest data transfer in bytes */
#define FE_REG_SLOTS           0x48u /* RO  hardware command slots */
#define FE_REG_QUEUE_MAX       0x4Cu /* RO  I/O queue pairs the hardware holds */
#define FE_REG_VECTORS         0x50u /* RO  MSI-X vectors */
#define FE_REG_QUEUE_ENTRIES   0x54u /* RO  entries of the largest I/O queue: CAP.MQES + 1 */
/* RW  how queues take turns, as feature 01h; a controller reset brings back the first value */
#define FE_REG_ARBITRATION     0x58u
/* RW  interrupts of I/O completion queues, as feature 08h; likewise */
#define FE_REG_COALESCING      0x5Cu
#define FE_REG_Q_ID            0x60u /* RW  queue window: 1.. for I/O queues */
/* RW  host address of the queue, physically contiguous, bits 31..0 */
#define FE_REG_Q_BASE_LO       0x64u
#define FE_REG_Q_BASE_HI       0x68u /* RW  bits 63..32 */
#define FE_REG_Q_SIZE          0x6Cu /* RW  entries */
#define FE_REG_Q_CQID          0x70u /* RW  completion queue of a submission queue */
#define FE_REG_Q_VECTOR        0x74u /* RW  interrupt of a completion queue */
#define FE_REG_Q_COMMAND       0x78u /* RW  what to do with queue Q_ID; reads 0 when done */
#define FE_REG_Q_STATE         0x7Cu /* RO  of queue Q_ID */
/* RW  class of a submission queue under weighted round robin */
#define FE_REG_Q_PRIORITY      0x80u
#define FE_REG_VEC_ID          0x84u /* RW  vector window: the vector that VEC_CONTROL is about */
/* RW  of vector VEC_ID, as feature 09h; a controller reset clears it */
#define FE_REG_VEC_CONTROL     0x88u
/*
 * RO  doorbells that the host wrote wrongly since this was read; reading clears it and
 * FE_INT_DOORBELL
 */
#define FE_REG_DOORBELL_ERROR  0x8Cu
/* RW  namespace window: 1..64, the namespace that NS_FORMAT is about */
#define FE_REG_NS_ID           0x90u
/* RW  how namespace NS_ID is formatted: lets the front end size its transfers */
#define FE_REG_NS_FORMAT       0x94u
/* RW  look-up engine: reads of one map unit that it carries out without firmware */
#define FE_REG_LOOKUP_CONTROL  0x98u
/*
 * RW  of the map that it reads; the registers from here to LOOKUP_DATA_HI are written while ENABLE
 * is 0
 */
#define FE_REG_LOOKUP_FORMAT   0x9Cu
/* RW  lowest bits of the fields of a unit's address: row, LUN, plane, unit in the page at bit 0 */
#define FE_REG_LOOKUP_ADDRESS  0xA0u
#define FE_REG_LOOKUP_PAGES    0xA4u /* RW  pages of a block */
/* RW  units of namespace 1, from LBA 0 on; reads beyond are firmware's */
#define FE_REG_LOOKUP_UNITS    0xA8u
/* RW  map, bits 31..0: an entry per unit, address + 1; 0 and the highest bit: firmware's */
#define FE_REG_LOOKUP_MAP_LO   0xACu
#define FE_REG_LOOKUP_MAP_HI   0xB0u /* RW  bits 63..32 */
/* RW  a byte per map page, bits 31..0: bit 0 = its entries hold; else firmware's */
#define FE_REG_LOOKUP_STATE_LO 0xB4u
#define FE_REG_LOOKUP_STATE_HI 0xB8u /* RW  bits 63..32 */
/* RW  a bit per unit, bits 31..0: 1 = firmware has newer data: firmware's */
#define FE_REG_LOOKUP_MARKS_LO 0xBCu
#define FE_REG_LOOKUP_MARKS_HI 0xC0u /* RW  bits 63..32 */
#define FE_REG_LOOKUP_DATA_LO  0xC4u /* RW  a unit of buffer for each slot, bits 31..0 */
#define FE_REG_LOOKUP_DATA_HI  0xC8u /* RW  bits 63..32 */
/* RW  a write sets a fence behind the look-ups that have begun */
#define FE_REG_LOOKUP_FENCE    0xCCu
#define FE_REG_LOOKUP_READS    0xD0u /* RO  reads that the engine has taken and completed; wraps */
#define FE_REG_LOOKUP_SECTORS  0xD4u /* RO  sectors of 512 bytes of them; wraps */

#define FE_INT_COMMAND    0x1u  /* a command was appended */
#define FE_INT_DONE       0x2u  /* a mover completion with FE_MOVE_IRQ was appended */
/* any unread mover completion: enable before sleeping for buffers */
#define FE_INT_DONE_QUIET 0x4u
#define FE_INT_CC         0x8u  /* the host wrote CC */
#define FE_INT_DOORBELL   0x10u /* the host wrote a doorbell wrongly: DOORBELL_ERROR */

#define FE_ARBITRATION_AB_SHIFT  0           /* a queue's turn: 2^AB commands, 7 = no limit */
#define FE_ARBITRATION_AB_MASK   0x7u
#define FE_ARBITRATION_LPW_SHIFT 8           /* commands of low priority in a round, zero-based */
#define FE_ARBITRATION_LPW_MASK  0xFF00u
/* commands of medium priority in a round, zero-based */
#define FE_ARBITRATION_MPW_SHIFT 16
#define FE_ARBITRATION_MPW_MASK  0xFF0000u
#define FE_ARBITRATION_HPW_SHIFT 24          /* commands of high priority in a round, zero-based */
#define FE_ARBITRATION_HPW_MASK  0xFF000000u

#define FE_COALESCING_THR_SHIFT  0       /* completions that a message waits for, zero-based */
#define FE_COALESCING_THR_MASK   0xFFu
#define FE_COALESCING_TIME_SHIFT 8       /* and how long at most, in 100 us; 0 = not at all */
#define FE_COALESCING_TIME_MASK  0xFF00u

#define FE_Q_VECTOR_NUMBER_SHIFT 0        /* MSI-X vector */
#define FE_Q_VECTOR_NUMBER_MASK  0xFFFFu
#define FE_Q_VECTOR_IEN          0x10000u /* interrupts enabled */

enum fe_queue_command {
    FE_Q_CREATE_SQ = 1,
    FE_Q_DELETE_SQ = 2,
    FE_Q_CREATE_CQ = 3,
    FE_Q_DELETE_CQ = 4
};

#define FE_Q_STATE_SQ          0x1u        /* the submission queue exists */
#define FE_Q_STATE_CQ          0x2u        /* the completion queue exists */
#define FE_Q_STATE_BOUND_SHIFT 16          /* submission queues bound to the completion queue */
#define FE_Q_STATE_BOUND_MASK  0xFFFF0000u

#define FE_Q_PRIORITY_CLASS_SHIFT 0    /* QPRIO of Create I/O Submission Queue */
#define FE_Q_PRIORITY_CLASS_MASK  0x3u

enum fe_queue_priority {
    FE_PRIORITY_URGENT = 0,
    FE_PRIORITY_HIGH = 1,
    FE_PRIORITY_MEDIUM = 2,
    FE_PRIORITY_LOW = 3
};

#define FE_VEC_CONTROL_CD 0x1u /* no coalescing */

/* one of a queue that does not exist: event 0, 00h */
#define FE_DOORBELL_ERROR_REGISTER    0x1u
/* one with a value that cannot be: event 0, 01h */
#define FE_DOORBELL_ERROR_VALUE       0x2u
#define FE_DOORBELL_ERROR_COMPLETION  0x4u        /* the first was a completion queue's */
#define FE_DOORBELL_ERROR_QUEUE_SHIFT 16          /* queue of the first */
#define FE_DOORBELL_ERROR_QUEUE_MASK  0xFFFF0000u

#define FE_NS_FORMAT_SHIFT_SHIFT    0          /* log2 of its LBA size; 0 = that of LBA_SHIFT */
#define FE_NS_FORMAT_SHIFT_MASK     0xFFu
#define FE_NS_FORMAT_METADATA_SHIFT 8          /* metadata of a block in bytes */
#define FE_NS_FORMAT_METADATA_MASK  0xFFFF00u
#define FE_NS_FORMAT_EXTENDED       0x1000000u /* metadata follow each block's data, not at MPTR */
/* 8 bytes of metadata are protection information: PRACT leaves them out */
#define FE_NS_FORMAT_PROTECTED      0x2000000u

/* it takes reads from now on; those it has go on whatever this says */
#define FE_LOOKUP_CONTROL_ENABLE     0x1u
#define FE_LOOKUP_CONTROL_MODE_SHIFT 8      /* program mode of its reads */
#define FE_LOOKUP_CONTROL_MODE_MASK  0x300u

#define FE_LOOKUP_FORMAT_UNIT_SHIFT  0         /* log2 of the bytes of a map unit */
#define FE_LOOKUP_FORMAT_UNIT_MASK   0xFFu
#define FE_LOOKUP_FORMAT_PAGE_SHIFT  8         /* log2 of the units of a map page */
#define FE_LOOKUP_FORMAT_PAGE_MASK   0xFF00u
#define FE_LOOKUP_FORMAT_ENTRY_SHIFT 16        /* log2 of the bytes of an entry: 2 or 3 */
#define FE_LOOKUP_FORMAT_ENTRY_MASK  0xFF0000u

#define FE_LOOKUP_ADDRESS_PLANE_SHIFT 0         /* of the plane */
#define FE_LOOKUP_ADDRESS_PLANE_MASK  0xFFu
/* of the LUN, whose number is LUN on the channel * channels + channel */
#define FE_LOOKUP_ADDRESS_LUN_SHIFT   8
#define FE_LOOKUP_ADDRESS_LUN_MASK    0xFF00u
/* of the row, which is block * LOOKUP_PAGES + page */
#define FE_LOOKUP_ADDRESS_ROW_SHIFT   16
#define FE_LOOKUP_ADDRESS_ROW_MASK    0xFF0000u

#define FE_LOOKUP_FENCE_PENDING 0x1u /* flash reads from before the fence are under way */

/* What a register takes. */
#define FE_CMD_SIZE_MIN  2u
#define FE_MOVE_SIZE_MIN 2u
#define FE_DONE_SIZE_MIN 2u

/* Values at reset that are not 0. */
#define FE_LBA_SHIFT_RESET   0x9u
#define FE_MDTS_RESET        0x20000u
#define FE_ARBITRATION_RESET 0x3u

#endif
