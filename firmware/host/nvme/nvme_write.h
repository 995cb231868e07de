/* SPDX-License-Identifier: Apache-2.0
 *
 * NVM command set: Write and Flush, and the writes that other commands are made of.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NVME_WRITE_H
#define SSDVP_FIRMWARE_HOST_NVME_NVME_WRITE_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

void hil_begin_write(struct env* e, uint32_t slot); /* as it comes in */
bool hil_write(struct env* e, uint32_t slot);       /* true = all data are on their way */
void hil_start_flush(struct env* e, uint32_t slot);

#endif
