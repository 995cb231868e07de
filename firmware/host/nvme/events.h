/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous events and Abort.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_EVENTS_H
#define SSDVP_FIRMWARE_HOST_NVME_EVENTS_H

#include "firmware/host/core/hil.h"

void nvme_event(struct env* e, uint32_t type, uint32_t info, uint32_t log);
void nvme_notice(struct env* e, uint32_t info, uint32_t log); /* if the host wants it */
void nvme_log_read(struct env* e, uint32_t log);
void nvme_watch(struct env* e);
void nvme_doorbells(struct env* e); /* the host may have written one wrongly */

#endif
