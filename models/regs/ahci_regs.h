/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/ahci.rdl by scripts/generate-registers: do not edit.
 *
 * AHCI host bus adapter. ABAR (BAR5) as the driver sees it, with one port. Sections in brackets are
 * of Serial ATA AHCI 1.3.1. What is reserved reads 0.
 */
#ifndef SSDVP_REGS_AHCI_REGS_H
#define SSDVP_REGS_AHCI_REGS_H

/* clang-format off */
#include <stdint.h>

#include "models/regs/ahci_records.h" /* what lies in memory: not generated */

#define AHCI_REG_CAP    0x00u  /* RO  what the adapter can do (3.1.1) */
#define AHCI_REG_GHC    0x04u  /* RW/RO  reset and interrupts of the adapter (3.1.2) */
#define AHCI_REG_IS     0x08u  /* RW1C  ports with a pending interrupt (3.1.3) */
#define AHCI_REG_PI     0x0Cu  /* RO  bit per port (3.1.4) */
#define AHCI_REG_VS     0x10u  /* RO  version of the specification (3.1.5) */
#define AHCI_REG_CAP2   0x24u  /* RO  BIOS hand-off, DevSleep and the like: not there (3.1.10) */
#define AHCI_REG_PXCLB  0x100u /* RW  host address of the 32 command headers, bits 31..0 (3.3.1) */
#define AHCI_REG_PXCLBU 0x104u /* RW  bits 63..32 (3.3.2) */
/* RW  host address of the area for received FIS, bits 31..0 (3.3.3) */
#define AHCI_REG_PXFB   0x108u
#define AHCI_REG_PXFBU  0x10Cu /* RW  bits 63..32 (3.3.4) */
#define AHCI_REG_PXIS   0x110u /* RW1C/RO  what has happened (3.3.5) */
#define AHCI_REG_PXIE   0x114u /* RW  bits of PxIS that interrupt (3.3.6) */
#define AHCI_REG_PXCMD  0x118u /* RW/RO  what runs (3.3.7) */
#define AHCI_REG_PXTFD  0x120u /* RO  what the device last said (3.3.8) */
/* RO  LBA and count of the first D2H Register FIS after a reset; 101h = disk (3.3.9) */
#define AHCI_REG_PXSIG  0x124u
#define AHCI_REG_PXSSTS 0x128u /* RO  state of the link (3.3.10) */
#define AHCI_REG_PXSCTL 0x12Cu /* RW  what the link is told (3.3.11) */
#define AHCI_REG_PXSERR 0x130u /* RW1C  errors of the link (3.3.12) */
/* RW  tags that are with the device; a 1 sets its bit while PxCMD.ST (3.3.13) */
#define AHCI_REG_PXSACT 0x134u
/* RW  slots whose command is to be sent; a 1 sets its bit while PxCMD.ST (3.3.14) */
#define AHCI_REG_PXCI   0x138u

#define AHCI_CAP_NP_SHIFT  0           /* ports, zero-based */
#define AHCI_CAP_NP_MASK   0x1Fu
#define AHCI_CAP_SXS       0x20u       /* external SATA: not there */
#define AHCI_CAP_EMS       0x40u       /* enclosure management: not there */
#define AHCI_CAP_CCCS      0x80u       /* command completion coalescing: not there */
#define AHCI_CAP_NCS_SHIFT 8           /* command slots, zero-based */
#define AHCI_CAP_NCS_MASK  0x1F00u
#define AHCI_CAP_PSC       0x2000u     /* partial state: not there */
#define AHCI_CAP_SSC       0x4000u     /* slumber state: not there */
#define AHCI_CAP_PMD       0x8000u     /* several DRQ blocks in one PIO data transfer */
#define AHCI_CAP_FBSS      0x10000u    /* FIS-based switching: not there */
#define AHCI_CAP_SPM       0x20000u    /* port multiplier: not there */
#define AHCI_CAP_SAM       0x40000u    /* AHCI only, no legacy interface */
#define AHCI_CAP_ISS_SHIFT 20          /* fastest rate: 1, 2, 3 = 1.5, 3, 6 Gb/s */
#define AHCI_CAP_ISS_MASK  0xF00000u
#define AHCI_CAP_SCLO      0x1000000u  /* command list override: not there */
#define AHCI_CAP_SAL       0x2000000u  /* activity LED: not there */
#define AHCI_CAP_SALP      0x4000000u  /* aggressive link power management: not there */
#define AHCI_CAP_SSS       0x8000000u  /* staggered spin-up: not there */
#define AHCI_CAP_SMPS      0x10000000u /* mechanical presence switch: not there */
#define AHCI_CAP_SSNTF     0x20000000u /* PxSNTF: not there */
#define AHCI_CAP_SNCQ      0x40000000u /* native command queuing */
#define AHCI_CAP_S64A      0x80000000u /* addresses of 64 bits */

#define AHCI_GHC_HR   0x1u        /* reset; reads 0 when done */
#define AHCI_GHC_IE   0x2u        /* interrupt enable */
#define AHCI_GHC_MRSM 0x4u        /* single message for all: there is one */
#define AHCI_GHC_AE   0x80000000u /* AHCI enable: always, as CAP.SAM says */

#define AHCI_IS_IPS 0x1u /* port 0 */

#define AHCI_PI_PORT0 0x1u /* port 0 */

#define AHCI_VS_MNR_SHIFT 0           /* minor */
#define AHCI_VS_MNR_MASK  0xFFFFu
#define AHCI_VS_MJR_SHIFT 16          /* major */
#define AHCI_VS_MJR_MASK  0xFFFF0000u

#define AHCI_CAP2_NONE_SHIFT 0     /* none of them */
#define AHCI_CAP2_NONE_MASK  0x3Fu

#define AHCI_PXCLB_CLB_SHIFT 10          /* in units of 1 KiB */
#define AHCI_PXCLB_CLB_MASK  0xFFFFFC00u

#define AHCI_PXFB_FB_SHIFT 8           /* in units of 256 bytes */
#define AHCI_PXFB_FB_MASK  0xFFFFFF00u

#define AHCI_PXIS_DHRS 0x1u        /* D2H Register FIS with I */
#define AHCI_PXIS_PSS  0x2u        /* PIO Setup FIS with I, and its data are here */
#define AHCI_PXIS_DSS  0x4u        /* DMA Setup FIS with I */
#define AHCI_PXIS_SDBS 0x8u        /* Set Device Bits FIS with I */
#define AHCI_PXIS_UFS  0x10u       /* unknown FIS: follows PxSERR.DIAG.F */
#define AHCI_PXIS_DPS  0x20u       /* a descriptor with I is done */
#define AHCI_PXIS_PCS  0x40u       /* connection changed: follows PxSERR.DIAG.X */
#define AHCI_PXIS_PRCS 0x400000u   /* PhyRdy changed: follows PxSERR.DIAG.N */
#define AHCI_PXIS_OFS  0x1000000u  /* more data than the descriptors hold */
#define AHCI_PXIS_INFS 0x4000000u  /* error of the link, and the transfer went on */
#define AHCI_PXIS_IFS  0x8000000u  /* error of the link that stopped the transfer */
#define AHCI_PXIS_HBDS 0x10000000u /* no host memory where data belong */
#define AHCI_PXIS_HBFS 0x20000000u /* no host memory where list, table or FIS area belong */
#define AHCI_PXIS_TFES 0x40000000u /* status with ERR */

#define AHCI_PXIE_LOW_SHIFT    0           /* DHRS, PSS, DSS, SDBS, UFS, DPS, PCS */
#define AHCI_PXIE_LOW_MASK     0x7Fu
#define AHCI_PXIE_PRCE         0x400000u   /* PRCS */
#define AHCI_PXIE_OFE          0x1000000u  /* OFS */
#define AHCI_PXIE_ERRORS_SHIFT 26          /* INFS, IFS, HBDS, HBFS, TFES */
#define AHCI_PXIE_ERRORS_MASK  0x7C000000u

#define AHCI_PXCMD_ST        0x1u        /* start: process the command list */
#define AHCI_PXCMD_SUD       0x2u        /* spin-up: always */
#define AHCI_PXCMD_POD       0x4u        /* power: always */
#define AHCI_PXCMD_FRE       0x10u       /* FIS receive enable */
#define AHCI_PXCMD_CCS_SHIFT 8           /* current command slot */
#define AHCI_PXCMD_CCS_MASK  0x1F00u
#define AHCI_PXCMD_FR        0x4000u     /* FIS receive running */
#define AHCI_PXCMD_CR        0x8000u     /* command list running */
#define AHCI_PXCMD_ICC_SHIFT 28          /* interface state: 1 = active, done at once */
#define AHCI_PXCMD_ICC_MASK  0xF0000000u

#define AHCI_PXTFD_STS_SHIFT 0       /* status of ATA; 7Fh = no device has said anything */
#define AHCI_PXTFD_STS_MASK  0xFFu
#define AHCI_PXTFD_ERR_SHIFT 8       /* error of ATA */
#define AHCI_PXTFD_ERR_MASK  0xFF00u

#define AHCI_PXSSTS_DET_SHIFT 0      /* 0 = no device, 3 = there and PhyRdy, 4 = Phy off */
#define AHCI_PXSSTS_DET_MASK  0xFu
#define AHCI_PXSSTS_SPD_SHIFT 4      /* rate: 1, 2, 3 = 1.5, 3, 6 Gb/s */
#define AHCI_PXSSTS_SPD_MASK  0xF0u
#define AHCI_PXSSTS_IPM_SHIFT 8      /* 1 = active */
#define AHCI_PXSSTS_IPM_MASK  0xF00u

#define AHCI_PXSCTL_DET_SHIFT 0      /* 1 = COMRESET as long as it is there, 4 = Phy off */
#define AHCI_PXSCTL_DET_MASK  0xFu
#define AHCI_PXSCTL_SPD_SHIFT 4      /* rate at most; kept, not acted on */
#define AHCI_PXSCTL_SPD_MASK  0xF0u
#define AHCI_PXSCTL_IPM_SHIFT 8      /* power states not allowed: there are none */
#define AHCI_PXSCTL_IPM_MASK  0xF00u

#define AHCI_PXSERR_T 0x100u     /* ERR.T: data were damaged and are lost */
#define AHCI_PXSERR_P 0x400u     /* ERR.P: a FIS that the protocol does not have here */
#define AHCI_PXSERR_N 0x10000u   /* DIAG.N: PhyRdy changed */
#define AHCI_PXSERR_C 0x200000u  /* DIAG.C: CRC error */
#define AHCI_PXSERR_H 0x400000u  /* DIAG.H: R_ERR to a frame of the host */
#define AHCI_PXSERR_F 0x2000000u /* DIAG.F: unknown FIS */
#define AHCI_PXSERR_X 0x4000000u /* DIAG.X: COMINIT came */

/* Values at reset that are not 0. */
#define AHCI_CAP_RESET   0xC0049F00u /* without what the configuration decides */
#define AHCI_GHC_RESET   0x80000000u
#define AHCI_PI_RESET    0x1u
#define AHCI_VS_RESET    0x10301u
#define AHCI_PXCMD_RESET 0x6u
#define AHCI_PXTFD_RESET 0x7Fu
#define AHCI_PXSIG_RESET 0xFFFFFFFFu

#endif
