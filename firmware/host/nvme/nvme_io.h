/* SPDX-License-Identifier: Apache-2.0
 *
 * I/O commands, of either interface: what they ask for, where that lies, and who carries it out.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NVME_IO_H
#define SSDVP_FIRMWARE_HOST_NVME_NVME_IO_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

/* true = a command for hil_io, false = one for hil_admin. */
static inline bool hil_is_io(const struct env* e, const struct fe_command* f)
{
    return e->hil->ata.on != 0 ? ata_is_io(&f->sqe) : f->sq_id != 0;
}
/* Of the host role: what a command asks for, into its context, and what is wrong with it; nothing
 * of the drive is looked at but its size. */
struct host_request hil_parse(struct env* e, const struct fe_command* f);
void hil_io(struct env* e, uint32_t slot, const struct host_request* q);
/* A read in whose form nothing is wrong; one of a SATA device may have to wake that first. */
void hil_io_read(struct env* e, uint32_t slot);
static inline bool hil_only_reads(const struct env* e, const struct host_request* q)
{
    return q->opcode == NVME_IO_READ && q->status == NVME_SC_SUCCESS && e->hil->ata.on == 0;
}

#endif
