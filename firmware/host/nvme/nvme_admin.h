/* SPDX-License-Identifier: Apache-2.0
 *
 * Admin commands: dispatch, and queues.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NVME_ADMIN_H
#define SSDVP_FIRMWARE_HOST_NVME_NVME_ADMIN_H

#include "firmware/host/core/hil.h"

void hil_admin(struct env* e, const struct fe_command* command);
void nvme_landed(struct env* e, uint32_t slot);        /* its data */
void nvme_execute_again(struct env* e, uint32_t slot); /* it waited for a page */

void hil_reset_queues(struct env* e);
/* Deletions of queues wait for their commands. */
void hil_retry_deletes(struct env* e);

#endif
