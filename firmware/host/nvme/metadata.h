/* SPDX-License-Identifier: Apache-2.0
 *
 * Namespaces with metadata. NVM Express base 1.4 sections 8.2 (metadata) and 8.3 (protection).
 *
 * On the drive such a block is twice as many sectors as its data: the data, a sector with the
 * metadata, and what is left. So it lies in one unit of the map, and is as whole as any unit, all
 * the way through buffer, collection and losses of power (docs/DESIGN.md). A command's data and
 * metadata are staged as the host has them; what is read or written of the drive is taken apart
 * and put together on its way.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_METADATA_H
#define SSDVP_FIRMWARE_HOST_NVME_METADATA_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

int metadata_init(struct env* e);
void metadata_reset(struct env* e);
/* Of the host role: keeps what an I/O command says of protection. */
void metadata_parse(struct env* e, uint32_t slot, const struct nvme_sqe* q);
/* true = the command is of a namespace with metadata, and is taken care of. */
bool metadata_io(struct env* e, uint32_t slot, uint32_t opcode);
void metadata_landed(struct env* e, uint32_t slot);
bool metadata_divert(struct env* e, struct command* c, struct fe_move* move, bool last);
void metadata_step(struct env* e);
/* Bytes have left for the host: from a metadata buffer, or from a staging. */
void metadata_left(struct env* e, uint32_t index);

#endif
