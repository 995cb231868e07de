/* SPDX-License-Identifier: Apache-2.0
 *
 * SATA front end, device side: what differs in the three rings from the NVMe front end's
 * (nvme_fe_records.h). The registers are in sata_fe.rdl, whose header includes this one.
 */
#ifndef SSDVP_REGS_SATA_FE_RECORDS_H
#define SSDVP_REGS_SATA_FE_RECORDS_H

#include <stdint.h>

#include "models/regs/nvme_fe_records.h"

#define SFE_SLOT_SINGLE 32u /* slot of a command that is not queued; others: their tag */
#define SFE_SQ_ID 1u        /* fe_command.sq_id of every command */

/* Why firmware has to refuse a command, or may have to. */
#define SFE_NOTE_MIXED 0x1u   /* not queued, and came while queued ones were under way */
#define SFE_NOTE_TAG 0x2u     /* its tag was in use, or is beyond the queue */
#define SFE_NOTE_STOPPED 0x4u /* the queue had stopped: only log page 10h will do */

struct sata_fe_request { /* 64 bytes, at the place of fe_command.sqe */
    uint8_t fis[20];     /* Register FIS, host to device: Serial ATA 3.x section 10.5.5 */
    uint32_t notes;      /* SFE_NOTE_* */
    uint8_t reserved[40];
};

/* Moves: fe_move.status with FE_MOVE_CQE = ATA Status | ATA Error << 8, Status 0 = 50h; result =
 * SFE_RESULT of what the Register FIS to the host carries, of a queued command that failed LBA of
 * the error. */
#define SFE_MOVE_CLEAN                                                                             \
    0x80u /* first tells the host that no queued command is left: it had stopped */
#define SFE_RESULT(lba, count) ((uint64_t)(lba) | (uint64_t)(count) << 48)
#define SFE_RESULT_LBA 0xFFFFFFFFFFFFull

#endif
