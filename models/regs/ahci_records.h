/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies in host memory for an AHCI port: command list, command tables, received FIS. Serial ATA
 * AHCI 1.3.1 section 4.2. Little-endian. The registers are in ahci.rdl.
 */
#ifndef SSDVP_REGS_AHCI_RECORDS_H
#define SSDVP_REGS_AHCI_RECORDS_H

#include <stdint.h>

#define AHCI_SLOTS 32u
#define AHCI_SIGNATURE_DISK 0x00000101u

struct ahci_command_header { /* 32 bytes; the command list has 32 of them */
    uint16_t flags;          /* AHCI_HEADER_* */
    uint16_t prdtl;          /* entries of the PRDT */
    uint32_t prdbc;          /* bytes moved: written by the HBA */
    uint32_t ctba;           /* command table, 128-byte aligned */
    uint32_t ctbau;
    uint32_t reserved[4];
};
#define AHCI_HEADER_CFL_MASK 0x001Fu /* DW of the command FIS: 2..16 */
#define AHCI_HEADER_A 0x0020u        /* ATAPI: not there */
#define AHCI_HEADER_W 0x0040u        /* data go to the device */
#define AHCI_HEADER_P 0x0080u        /* prefetchable */
#define AHCI_HEADER_R 0x0100u        /* reset: first half of a software reset */
#define AHCI_HEADER_C 0x0400u        /* BSY and PxCI are cleared by R_OK */

/* A command table: the command FIS at 0, ATAPI command at 40h, PRDT at 80h. */
#define AHCI_TABLE_PRDT 0x80u

struct ahci_prd { /* 16 bytes */
    uint32_t dba; /* data, 2-byte aligned */
    uint32_t dbau;
    uint32_t reserved;
    uint32_t dbc; /* bits 21..0 = bytes - 1, which is odd; bit 31 = interrupt */
};
#define AHCI_PRD_DBC_MASK 0x003FFFFFu
#define AHCI_PRD_I 0x80000000u
#define AHCI_PRDT_MAX 65535u

/* Received FIS, 256-byte aligned. */
#define AHCI_RFIS_DMA_SETUP 0x00u
#define AHCI_RFIS_PIO_SETUP 0x20u
#define AHCI_RFIS_D2H 0x40u
#define AHCI_RFIS_SDB 0x58u
#define AHCI_RFIS_UNKNOWN 0x60u
#define AHCI_RFIS_SIZE 0x100u

#endif
