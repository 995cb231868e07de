/* SPDX-License-Identifier: Apache-2.0
 *
 * Compare and Copy of namespaces without metadata.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_TRANSFERS_H
#define SSDVP_FIRMWARE_HOST_NVME_TRANSFERS_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

void nvme_transfer_start(struct env* e, uint32_t slot);
void nvme_copy_start(struct env* e, uint32_t slot, uint32_t dword12);
void nvme_transfer_landed(struct env* e, uint32_t slot);
void nvme_transfers(struct env* e); /* the next step of one, or the next one */
/* struct command_table: divert */
bool nvme_divert(struct env* e, struct command* c, struct fe_move* move, bool last);

#endif
