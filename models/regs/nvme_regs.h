/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated from models/regs/nvme.rdl by scripts/generate-registers: do not edit.
 *
 * NVMe controller registers. BAR0 as the host sees it. Sections in brackets are of NVM Express base
 * 1.4. Registers of 64 bits take one access of 8 bytes or two of 4. What is reserved reads 0.
 */
#ifndef SSDVP_REGS_NVME_REGS_H
#define SSDVP_REGS_NVME_REGS_H

/* clang-format off */
#include <stdint.h>

#include "models/regs/nvme_records.h" /* what lies in memory: not generated */

#define NVME_REG_CAP   0x00u /* RO 64  what the controller can do (3.1.1) */
#define NVME_REG_VS    0x08u /* RO  version of the specification (3.1.2) */
/* RW1S  holds the messages of vectors 0..31 back, beside their own masks (3.1.3) */
#define NVME_REG_INTMS 0x0Cu
#define NVME_REG_INTMC 0x10u /* RW1C  the same mask; reads as INTMS (3.1.4) */
#define NVME_REG_CC    0x14u /* RW  what the host asks for (3.1.5); EN 1->0 is a controller reset */
/* RO  firmware's, by FE_REG_CSTS; CFS is also the hardware's (3.1.6) */
#define NVME_REG_CSTS  0x1Cu
#define NVME_REG_AQA   0x24u /* RW  sizes of the admin queues (3.1.8) */
#define NVME_REG_ASQ   0x28u /* RW 64  host address of the admin submission queue (3.1.9) */
#define NVME_REG_ACQ   0x30u /* RW 64  host address of the admin completion queue (3.1.10) */

/* entries of the largest I/O queue, zero-based */
#define NVME_CAP_MQES_SHIFT   0
#define NVME_CAP_MQES_MASK    UINT64_C(0xFFFF)
#define NVME_CAP_CQR          UINT64_C(0x10000)           /* queues must be physically contiguous */
/* arbitration beside round robin: weighted, with urgent */
#define NVME_CAP_AMS_SHIFT    17
#define NVME_CAP_AMS_MASK     UINT64_C(0x60000)
#define NVME_CAP_TO_SHIFT     24                          /* longest time to ready, in 500 ms */
#define NVME_CAP_TO_MASK      UINT64_C(0xFF000000)
#define NVME_CAP_DSTRD_SHIFT  32                          /* doorbell stride: 4 bytes << DSTRD */
#define NVME_CAP_DSTRD_MASK   UINT64_C(0xF00000000)
#define NVME_CAP_NSSRS        UINT64_C(0x1000000000)      /* NVM subsystem reset: not there */
/* command sets: bit 0 = NVM, bit 6 = those of Identify 1Ch */
#define NVME_CAP_CSS_SHIFT    37
#define NVME_CAP_CSS_MASK     UINT64_C(0x1FE000000000)
#define NVME_CAP_BPS          UINT64_C(0x200000000000)    /* boot partitions: not there */
#define NVME_CAP_MPSMIN_SHIFT 48                          /* smallest page: 4 KiB << MPSMIN */
#define NVME_CAP_MPSMIN_MASK  UINT64_C(0xF000000000000)
#define NVME_CAP_MPSMAX_SHIFT 52                          /* largest page: 4 KiB << MPSMAX */
#define NVME_CAP_MPSMAX_MASK  UINT64_C(0xF0000000000000)
#define NVME_CAP_PMRS         UINT64_C(0x100000000000000) /* persistent memory region: not there */
#define NVME_CAP_CMBS         UINT64_C(0x200000000000000) /* controller memory buffer: not there */

#define NVME_VS_TER_SHIFT 0           /* tertiary */
#define NVME_VS_TER_MASK  0xFFu
#define NVME_VS_MNR_SHIFT 8           /* minor */
#define NVME_VS_MNR_MASK  0xFF00u
#define NVME_VS_MJR_SHIFT 16          /* major */
#define NVME_VS_MJR_MASK  0xFFFF0000u

#define NVME_CC_EN           0x1u      /* enable */
#define NVME_CC_CSS_SHIFT    4         /* command sets: 0 = NVM, 6 = all that Identify tells */
#define NVME_CC_CSS_MASK     0x70u
#define NVME_CC_MPS_SHIFT    7         /* page size: 4 KiB << MPS */
#define NVME_CC_MPS_MASK     0x780u
#define NVME_CC_AMS_SHIFT    11        /* arbitration: 0 = round robin, 1 = weighted with urgent */
#define NVME_CC_AMS_MASK     0x3800u
#define NVME_CC_SHN_SHIFT    14        /* shutdown notification */
#define NVME_CC_SHN_MASK     0xC000u
#define NVME_CC_SHN_NORMAL   0x4000u   /* normal shutdown */
#define NVME_CC_SHN_ABRUPT   0x8000u   /* abrupt shutdown */
#define NVME_CC_IOSQES_SHIFT 16        /* log2 of the size of an entry of I/O submission queues */
#define NVME_CC_IOSQES_MASK  0xF0000u
#define NVME_CC_IOCQES_SHIFT 20        /* log2 of the size of an entry of I/O completion queues */
#define NVME_CC_IOCQES_MASK  0xF00000u

#define NVME_CSTS_RDY            0x1u /* ready */
#define NVME_CSTS_CFS            0x2u /* controller fatal status */
#define NVME_CSTS_SHST_SHIFT     2    /* shutdown status */
#define NVME_CSTS_SHST_MASK      0xCu
#define NVME_CSTS_SHST_OCCURRING 0x4u /* shutdown under way */
#define NVME_CSTS_SHST_COMPLETE  0x8u /* shutdown complete */

#define NVME_AQA_ASQS_SHIFT 0          /* entries of the submission queue, zero-based */
#define NVME_AQA_ASQS_MASK  0xFFFu
#define NVME_AQA_ACQS_SHIFT 16         /* entries of the completion queue, zero-based */
#define NVME_AQA_ACQS_MASK  0xFFF0000u

#define NVME_ASQ_ASQB_SHIFT 12                           /* page of 4 KiB */
#define NVME_ASQ_ASQB_MASK  UINT64_C(0xFFFFFFFFFFFFF000)

#define NVME_ACQ_ACQB_SHIFT 12                           /* page of 4 KiB */
#define NVME_ACQ_ACQB_MASK  UINT64_C(0xFFFFFFFFFFFFF000)

/* Values at reset that are not 0. */
#define NVME_CAP_RESET UINT64_C(0x82000030000) /* without what the configuration decides */
#define NVME_VS_RESET  0x10400u

#define NVME_REG_DOORBELL    0x1000u /* queue y's pair of doorbells (CAP.DSTRD = 0); they read 0 */
#define NVME_DOORBELL_STRIDE 0x8u    /* bytes from one to the next */
#define NVME_DOORBELL_COUNT  512u    /* places in the window */
#define NVME_DOORBELL_SQTDBL 0x0u    /* WO  index behind the last entry that the host filled */
#define NVME_DOORBELL_CQHDBL 0x4u    /* WO  index of the first entry that the host has not read */

#define NVME_REG_MSIX_PBA     0x2000u /* 32 vectors each (PCI 3.0, 6.8.2.5) */
#define NVME_MSIX_PBA_STRIDE  0x4u    /* bytes from one to the next */
#define NVME_MSIX_PBA_COUNT   8u      /* places in the window */
#define NVME_MSIX_PBA_PENDING 0x0u    /* RO  messages that are due and masked */

/* a vector's entry, as PCI's MSI-X has it; those beyond the vectors there are read 0 */
#define NVME_REG_MSIX_TABLE           0x3000u
#define NVME_MSIX_TABLE_STRIDE        0x10u   /* bytes from one to the next */
#define NVME_MSIX_TABLE_COUNT         256u    /* places in the window */
#define NVME_MSIX_TABLE_ADDRESS_LO    0x0u    /* RW  bits 31..0 */
#define NVME_MSIX_TABLE_ADDRESS_HI    0x4u    /* RW  bits 63..32 */
#define NVME_MSIX_TABLE_DATA          0x8u    /* RW  what the message writes */
/* RW  a message that comes due while masked is sent when the mask goes */
#define NVME_MSIX_TABLE_CONTROL       0xCu
#define NVME_MSIX_TABLE_CONTROL_MASK  0x1u    /* masked */
#define NVME_MSIX_TABLE_CONTROL_RESET 0x1u

#define NVME_BAR_SIZE 0x4000u

#endif
