/* SPDX-License-Identifier: Apache-2.0
 *
 * Health of the whole drive, all its partitions, as its host sees it.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_HEALTH_H
#define SSDVP_FIRMWARE_HOST_NVME_HEALTH_H

#include "firmware/durable/drive_state.h"

uint32_t nvme_log_smart(struct env* e, uint8_t* page); /* these return their size */
uint32_t nvme_log_vendor(struct env* e, uint8_t* page);

enum nvme_warning { /* byte 0 of the SMART log */
                    WARN_SPARE = 0x01,
                    WARN_TEMPERATURE = 0x02,
                    WARN_DEGRADED = 0x04, /* data have been lost */
                    WARN_READ_ONLY = 0x08
};
uint32_t nvme_warnings(const struct env* e);
struct drive_life nvme_life(const struct env* e);

#endif
