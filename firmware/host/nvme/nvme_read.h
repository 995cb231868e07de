/* SPDX-License-Identifier: Apache-2.0
 *
 * NVM command set: Read, and the reads that other commands are made of.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NVME_READ_H
#define SSDVP_FIRMWARE_HOST_NVME_NVME_READ_H

#include "firmware/host/core/hil.h"

void hil_start_read(struct env* e, uint32_t slot);
/* Of one from the flash alone: what the buffer alone had of it has been programmed. */
void hil_read_committed(struct env* e, uint32_t slot);
/* Those that wait go on, in order of arrival. */
void hil_retry_reads(struct env* e);
void hil_read_done(struct env* e, const struct flash_result* result);
/* Of the host role: the move of what a flash read has brought. */
void hil_page_move(struct env* e, struct fe_move* move, uint32_t request);

#endif
