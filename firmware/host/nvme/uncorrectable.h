/* SPDX-License-Identifier: Apache-2.0
 *
 * Write Uncorrectable. NVM Express base 1.4 section 6. The ranges that it has left outlive power
 * (struct drive_state); what is written, or unmapped, is no longer one.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_UNCORRECTABLE_H
#define SSDVP_FIRMWARE_HOST_NVME_UNCORRECTABLE_H

#include <stdbool.h>

#include "firmware/lib/env.h"

bool nvme_is_spoilt(const struct env* e, uint64_t lba, uint64_t sectors);
uint32_t nvme_spoil(struct env* e, uint64_t lba, uint64_t sectors); /* a status */
/* false = a range would have to be cut in two, and the table is full. */
bool nvme_unspoil(struct env* e, uint64_t lba, uint64_t sectors);

#endif
