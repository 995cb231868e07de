/* SPDX-License-Identifier: Apache-2.0
 *
 * Data structures that admin commands return: NVM Express base 1.4 sections 5.14 and 5.15. Each
 * function fills a zeroed 4 KiB page; those for logs return the log's size.
 */
#ifndef SSDVP_FIRMWARE_HIL_NVME_PAGES_H
#define SSDVP_FIRMWARE_HIL_NVME_PAGES_H

#include "firmware/lib/env.h"

void nvme_identify_controller(struct env* e, uint8_t* page);
void nvme_identify_namespace(struct env* e, uint8_t* page);
void nvme_namespace_list(uint32_t after, uint8_t* page);
uint32_t nvme_log_error(struct env* e, uint8_t* page);
uint32_t nvme_log_smart(struct env* e, uint8_t* page);
uint32_t nvme_log_vendor(struct env* e, uint8_t* page);

#endif
