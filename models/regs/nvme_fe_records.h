/* SPDX-License-Identifier: Apache-2.0
 *
 * NVMe front end, device side: what lies in the three rings, commands, moves and mover completions.
 * The registers, and how the rings work, are in nvme_fe.rdl, whose header includes this one.
 *
 *   command ring        front end -> firmware   struct fe_command, phase bit
 *   mover ring          firmware -> front end   struct fe_move, doorbell MOVE_TAIL
 *   mover completions   front end -> firmware   struct fe_move_done, phase bit
 */
#ifndef SSDVP_REGS_NVME_FE_RECORDS_H
#define SSDVP_REGS_NVME_FE_RECORDS_H

#include <stdint.h>

#include "models/regs/fe_wait.h"

#include "models/regs/nvme_regs.h"

struct fe_command { /* 80 bytes */
    struct nvme_sqe sqe;
    uint16_t slot;
    uint16_t sq_id;
    uint32_t phase;  /* bit 0; written last */
    uint16_t status; /* nvme_status of what is wrong with its PRPs or SGLs, 0 = nothing */
    uint16_t reserved[3];
};

enum fe_move_op {
    FE_MOVE_TO_HOST = 1,        /* buffer -> host memory of the slot's PRPs or SGL at offset */
    FE_MOVE_FROM_HOST = 2,      /* host memory -> buffer */
    FE_MOVE_COMPLETE = 3,       /* no data; with FE_MOVE_CQE posts the completion entry */
    FE_MOVE_META_TO_HOST = 4,   /* buffer -> metadata in host memory (MPTR) at offset */
    FE_MOVE_META_FROM_HOST = 5, /* metadata in host memory -> buffer */
    /* Of no command: slot and FE_MOVE_CQE mean nothing. All bytes matter in every data mode. */
    FE_MOVE_READ_MEMORY = 6, /* host memory at `host` -> buffer */
    FE_MOVE_WRITE_MEMORY = 7 /* buffer -> host memory at `host` */
};

#define FE_MOVE_CQE 0x01u      /* after this move post the CQE with status and dw0, free the slot */
#define FE_MOVE_NOTIFY 0x02u   /* append a mover completion with tag */
#define FE_MOVE_IRQ 0x04u      /* ... that raises FE_INT_DONE */
#define FE_MOVE_METADATA 0x08u /* bytes matter in every data mode: never reduced to tags */

struct fe_move {   /* 48 bytes */
    uint8_t op;    /* enum fe_move_op */
    uint8_t flags; /* FE_MOVE_* */
    uint8_t wait;  /* enum fe_wait: before this move */
    uint8_t reserved0;
    uint16_t slot;
    uint16_t status; /* nvme_status, with FE_MOVE_CQE */
    uint32_t dw0;    /* of the CQE */
    uint32_t tag;    /* returned in the mover completion */
    uint32_t offset; /* byte offset into the command's host data, or metadata */
    uint32_t length; /* bytes */
    uint64_t buffer; /* controller address, 8-byte aligned */
    union {
        uint64_t result; /* of a SATA device (sata_fe_records.h) */
        uint64_t host;   /* FE_MOVE_READ_MEMORY, WRITE_MEMORY: address in the host's memory */
    };
    uint32_t operation; /* FE_WAIT_PROGRAM: tag of the flash operation that ended the wait, + 1;
                           of a partition: tag * boot_partition.count + index + 1 */
    uint32_t reserved2;
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
