/* SPDX-License-Identifier: Apache-2.0
 *
 * Flash channel controller: what lies in the rings, submission descriptor and completion entry. The
 * registers, and how the rings work, are in channel.rdl, whose header includes this one.
 */
#ifndef SSDVP_REGS_CHANNEL_RECORDS_H
#define SSDVP_REGS_CHANNEL_RECORDS_H

#include <stdint.h>

#include "models/regs/choices/suspend_policy.h"
#include "models/regs/fe_wait.h"

enum flash_op {
    FLASH_OP_READ = 1,    /* array to register, then [column, column + length) of each plane out */
    FLASH_OP_PROGRAM = 2, /* length bytes from column of each plane in, then program */
    FLASH_OP_ERASE = 3,   /* block of each plane */
    FLASH_OP_RESET = 4,   /* LUN reset */
    /* Registers of a LUN: `column` is the address, `length` bytes move; no planes, no OOB, no list.
     */
    FLASH_OP_PARAMETER_PAGE = 5, /* ECh; address 0, up to three copies of 256 bytes */
    FLASH_OP_GET_FEATURES = 6,   /* EEh; 4 bytes */
    FLASH_OP_SET_FEATURES = 7,   /* EFh; 4 bytes */
    FLASH_OP_READ_ID = 8,        /* 90h; address 00h or 20h, up to 8 bytes */
    /* Page to page of the same planes without the bus: 00h..35h, 85h..10h. With length the page's
     * data go through the ECC to the buffer in between, and an uncorrectable page is not copied;
     * bit errors are copied in any case. OOB bytes, if any, replace the page's. */
    FLASH_OP_COPYBACK = 9
};

enum flash_purpose { /* who asked: counted per purpose, decides the class of a wait */
                     FLASH_PURPOSE_HOST = 0,
                     FLASH_PURPOSE_GC = 1,
                     FLASH_PURPOSE_MAP = 2,
                     FLASH_PURPOSE_MERGE = 3,
                     FLASH_PURPOSE_REFRESH = 4,
                     FLASH_PURPOSE_WEAR = 5,
                     FLASH_PURPOSE_RECOVERY = 6,
                     FLASH_PURPOSE_SCAN = 7,
                     FLASH_PURPOSE_PRECONDITION = 8,
                     FLASH_PURPOSE_FOLD = 9, /* of the SLC cache */
                     FLASH_PURPOSES = 10
};

enum flash_program_mode { FLASH_MODE_NORMAL = 0, FLASH_MODE_SHALLOW = 1, FLASH_MODE_SLC = 2 };

/* Vendor features of a LUN (FLASH_OP_SET_FEATURES, FLASH_OP_GET_FEATURES), by address. Reserved
 * bytes are 0.
 * SUSPEND_POLICY: P1 = enum flash_suspend_policy, P2 bit 0 = programs stop between their loops too.
 * SUSPEND_COUNTS (read only): P1, P2 = suspends of the last erase, P3, P4 = all suspends; both low
 * byte first, modulo 65536. */
#define FLASH_FEATURE_SUSPEND_POLICY 0x91u
#define FLASH_FEATURE_SUSPEND_COUNTS 0x92u

#define FLASH_FLAG_SG 0x01u /* buffer is an array of uint64_t addresses, one per sg_unit bytes */
#define FLASH_FLAG_METADATA 0x02u /* bytes matter in every data mode: never reduced to tags */
#define FLASH_FLAG_FOLD 0x04u     /* copyback in SLC mode: the copy is in the normal one */

#define FLASH_TRACE_NONE 0xFFFFu

/* Submission descriptor, 64 bytes. Planes of a multi-plane operation share block and page; their
 * data (and out-of-band bytes) follow each other in plane order, lowest set bit first. */
struct flash_desc {
    uint8_t op;           /* enum flash_op */
    uint8_t lun;          /* LUN on this channel */
    uint8_t plane_mask;   /* bit p = plane p; at least one bit */
    uint8_t flags;        /* FLASH_FLAG_* */
    uint8_t purpose;      /* enum flash_purpose */
    uint8_t program_mode; /* enum flash_program_mode */
    uint8_t priority;     /* 0 = most urgent; recorded, not used by the section-4 arbiters */
    uint8_t retry;        /* read: read retry level, 0 = the plain read */
    uint16_t tag;         /* returned in the completion */
    uint16_t
        trace; /* front-end slot whose latency this operation is part of, or FLASH_TRACE_NONE */
    uint32_t block;      /* block within the plane */
    uint32_t page;       /* page within the block. Erase while preconditioning: pages of each block
                          * that count as programmed, though none came here (hal.h, counts) */
    uint32_t column;     /* first data byte within the page */
    uint32_t length;     /* data bytes per plane; 0 for erase */
    uint32_t sg_unit;    /* bytes per scatter-gather entry, with FLASH_FLAG_SG */
    uint64_t buffer;     /* data, or with FLASH_FLAG_SG the address list; 8-byte aligned */
    uint64_t oob;        /* out-of-band bytes, oob_length per plane; 0 = none */
    uint32_t oob_length; /* per plane */
    uint32_t to_block;   /* copyback: destination */
    uint32_t to_page;
    uint8_t wait; /* enum fe_wait: why `trace`, or the data of a program, was held before */
    uint8_t reserved[3];
};

enum flash_status {
    FLASH_STATUS_OK = 0,
    FLASH_STATUS_UNCORRECTABLE = 1, /* a plane read back beyond the ECC */
    FLASH_STATUS_PROGRAM_FAIL = 2,
    FLASH_STATUS_ERASE_FAIL = 3,
    FLASH_STATUS_PHYSICS = 4, /* not erased, out of page order, worn out: a firmware error */
    FLASH_STATUS_BAD_DESCRIPTOR = 5
};

/* Completion entry, 32 bytes. */
struct flash_completion {
    uint16_t tag;
    uint8_t status;     /* enum flash_status */
    uint8_t phase;      /* bit 0 */
    uint8_t plane_fail; /* bit p = plane p failed */
    uint8_t lun;
    uint16_t reserved0;
    uint32_t corrected_bits;
    uint32_t suspends; /* how often this operation was suspended */
    uint64_t start_ns; /* first command cycle on the bus */
    uint64_t end_ns;   /* this entry was posted */
};

#endif
