/* SPDX-License-Identifier: Apache-2.0
 *
 * NVMe front end, device side: what firmware sees.
 *
 * The front end fetches submission entries, walks their PRPs, keeps each command in a hardware
 * slot and appends it to the command ring. Firmware moves data and completes commands through
 * the data-mover ring. Three rings in memory:
 *
 *   command ring        front end -> firmware   struct fe_command, phase bit
 *   mover ring          firmware -> front end   struct fe_move, doorbell MOVE_TAIL
 *   mover completions   front end -> firmware   struct fe_move_done, phase bit
 *
 * Phase bits start at 1 and flip at each wrap. Moves of one slot are done in ring order; those of
 * different slots may overlap.
 */
#ifndef SSDVP_REGS_NVME_FE_REGS_H
#define SSDVP_REGS_NVME_FE_REGS_H

#include "models/regs/nvme_regs.h"

#define FE_REG_CMD_BASE_LO 0x00u /* RW  command ring address */
#define FE_REG_CMD_BASE_HI 0x04u
#define FE_REG_CMD_SIZE 0x08u     /* RW  entries; a write resets producer to 0, phase to 1 */
#define FE_REG_CMD_HEAD 0x0Cu     /* RW  first entry firmware has not read */
#define FE_REG_MOVE_BASE_LO 0x10u /* RW  mover ring address */
#define FE_REG_MOVE_BASE_HI 0x14u
#define FE_REG_MOVE_SIZE 0x18u    /* RW  entries; a write resets head and tail */
#define FE_REG_MOVE_TAIL 0x1Cu    /* RW  doorbell */
#define FE_REG_DONE_BASE_LO 0x20u /* RW  mover completion ring address */
#define FE_REG_DONE_BASE_HI 0x24u
#define FE_REG_DONE_SIZE 0x28u
#define FE_REG_DONE_HEAD 0x2Cu
#define FE_REG_INT_ENABLE 0x30u /* RW  FE_INT_* that raise the line */
#define FE_REG_INT_STATUS 0x34u /* RO  FE_INT_* conditions that hold now */
#define FE_REG_CC 0x38u         /* RO  copy of NVMe CC; reading clears FE_INT_CC */
#define FE_REG_CSTS 0x3Cu /* RW  NVMe CSTS as the host sees it; RDY 0->1 arms the admin queues */
#define FE_REG_LBA_SHIFT                                                                           \
    0x40u                      /* RW  log2 of the LBA size: lets the front end size I/O transfers  \
                                */
#define FE_REG_MDTS 0x44u      /* RW  largest data transfer in bytes */
#define FE_REG_SLOTS 0x48u     /* RO  hardware command slots */
#define FE_REG_QUEUE_MAX 0x4Cu /* RO  I/O queue pairs the hardware holds */
#define FE_REG_VECTORS 0x50u   /* RO  MSI-X vectors */
#define FE_REG_QUEUE_ENTRIES 0x54u /* RO  entries of the largest I/O queue: CAP.MQES + 1 */
/* Queue window: fill Q_*, then write Q_COMMAND; Q_COMMAND reads 0 when done. */
#define FE_REG_Q_ID 0x60u      /* RW  1.. for I/O queues */
#define FE_REG_Q_BASE_LO 0x64u /* RW  host address, physically contiguous */
#define FE_REG_Q_BASE_HI 0x68u
#define FE_REG_Q_SIZE 0x6Cu    /* RW  entries */
#define FE_REG_Q_CQID 0x70u    /* RW  completion queue of a submission queue */
#define FE_REG_Q_VECTOR 0x74u  /* RW  bits 15:0 vector, bit 16 interrupts enabled */
#define FE_REG_Q_COMMAND 0x78u /* WO  enum fe_queue_command */
#define FE_REG_Q_STATE                                                                             \
    0x7Cu /* RO  of Q_ID: bit 0 SQ exists, bit 1 CQ exists, 31:16 SQs bound to the CQ */

enum fe_queue_command {
    FE_Q_CREATE_SQ = 1,
    FE_Q_DELETE_SQ = 2,
    FE_Q_CREATE_CQ = 3,
    FE_Q_DELETE_CQ = 4
};

#define FE_INT_COMMAND 0x1u /* a command was appended */
#define FE_INT_DONE 0x2u    /* a mover completion with FE_MOVE_IRQ was appended */
#define FE_INT_DONE_QUIET                                                                          \
    0x4u               /* any unread mover completion: enable before sleeping for buffers          \
                        */
#define FE_INT_CC 0x8u /* the host wrote CC */

struct fe_command { /* 80 bytes */
    struct nvme_sqe sqe;
    uint16_t slot;
    uint16_t sq_id;
    uint32_t phase; /* bit 0; written last */
    uint64_t reserved;
};

enum fe_move_op {
    FE_MOVE_TO_HOST = 1,   /* buffer -> host memory of the slot's PRPs at offset */
    FE_MOVE_FROM_HOST = 2, /* host memory -> buffer */
    FE_MOVE_COMPLETE = 3   /* no data; with FE_MOVE_CQE posts the completion entry */
};

#define FE_MOVE_CQE 0x01u      /* after this move post the CQE with status and dw0, free the slot */
#define FE_MOVE_NOTIFY 0x02u   /* append a mover completion with tag */
#define FE_MOVE_IRQ 0x04u      /* ... that raises FE_INT_DONE */
#define FE_MOVE_METADATA 0x08u /* bytes matter in every data mode: never reduced to tags */

/* Why firmware held the command before this move: telemetry, attributed in the latency parts. */
enum fe_wait { FE_WAIT_FIRMWARE = 0, FE_WAIT_PROGRAM = 1, FE_WAIT_GC = 2, FE_WAIT_ERASE = 3 };

struct fe_move {   /* 48 bytes */
    uint8_t op;    /* enum fe_move_op */
    uint8_t flags; /* FE_MOVE_* */
    uint8_t wait;  /* enum fe_wait */
    uint8_t reserved0;
    uint16_t slot;
    uint16_t status; /* nvme_status, with FE_MOVE_CQE */
    uint32_t dw0;    /* of the CQE */
    uint32_t tag;    /* returned in the mover completion */
    uint32_t offset; /* byte offset into the command's host data */
    uint32_t length; /* bytes */
    uint64_t buffer; /* controller address */
    uint64_t reserved1;
    uint64_t reserved2;
};

enum fe_done_status { FE_DONE_OK = 0, FE_DONE_TRANSFER_ERROR = 1 };

struct fe_move_done { /* 16 bytes */
    uint32_t tag;
    uint16_t slot;
    uint8_t status; /* enum fe_done_status */
    uint8_t phase;  /* bit 0 */
    uint64_t reserved;
};

#endif
