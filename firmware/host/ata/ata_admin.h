/* SPDX-License-Identifier: Apache-2.0
 *
 * ATA: commands about the drive itself.
 */
#ifndef SSDVP_FIRMWARE_HOST_ATA_ATA_ADMIN_H
#define SSDVP_FIRMWARE_HOST_ATA_ATA_ADMIN_H

#include "firmware/host/core/hil.h"

void ata_admin(struct env* e, uint32_t slot, const struct nvme_sqe* q);
/* Everything is on the flash, and power-up will find it at once. */
void ata_stopped(struct env* e);

#endif
