/* SPDX-License-Identifier: Apache-2.0
 *
 * ATA commands of a SATA drive: parsed to the requests that NVMe commands become, and ended with
 * ATA status. What differs from NVMe is here; reads, writes, flushes and trims are the same code.
 */
#ifndef SSDVP_FIRMWARE_HOST_ATA_ATA_H
#define SSDVP_FIRMWARE_HOST_ATA_ATA_H

#include <stdbool.h>

#include "firmware/drv/cores.h"
#include "firmware/drv/front_end.h"

struct command;

struct ata { /* of the role that has the tables; `on` is everybody's */
    uint32_t on;
    uint32_t smart;         /* enabled */
    uint32_t ahead_units;   /* that the buffer reads ahead when the host lets it */
    uint32_t auto_activate; /* SET FEATURES 10h, 02h */
    uint32_t preserves;     /* ... 06h: settings outlive a COMRESET */
    uint32_t transfer_mode; /* SET FEATURES 03h */
    uint32_t standby;       /* 1 = the drive was told to stop, and nothing woke it */
    uint32_t stopper;       /* slot + 1 of the command that waits until it has */
    uint64_t result;        /* SFE_RESULT of the command that is not queued, 0 = none */
    uint32_t result_error;  /* its Error, where Status says none */
    uint32_t reserved;
};

enum { ATA_PAGE = 512, ATA_DSM_BLOCKS = 4 };

void ata_init(struct env* e, bool on);
/* After a reset of the host: what SET FEATURES set is as at power-up, unless it is to outlive it.
 */
void ata_reset(struct env* e);
/* true = a command for hil_io, which ata_parse understands; false = one for ata_admin. */
bool ata_is_io(const struct nvme_sqe* q);
struct host_request ata_parse(const struct env* e, struct command* c, const struct nvme_sqe* q);
/* The last move of a command tells the host how it ended. */
void ata_finish(struct env* e, const struct command* c, struct fe_move* move);
/* Ranges of a trim as they came, turned where they are into those of NVMe. */
void ata_ranges(uint8_t* page, uint32_t ranges);
/* A command that needs the medium. */
void ata_wake(struct env* e);

#endif
