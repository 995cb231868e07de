/* SPDX-License-Identifier: Apache-2.0
 *
 * ATA: the pages that tell of the drive.
 */
#ifndef SSDVP_FIRMWARE_HOST_ATA_ATA_PAGES_H
#define SSDVP_FIRMWARE_HOST_ATA_ATA_PAGES_H

#include <stdbool.h>

#include "firmware/host/ata/ata.h"

/* Each fills a zeroed page of ATA_PAGE bytes. */
void ata_identify(struct env* e, uint8_t* page);
void ata_smart_data(struct env* e, uint8_t* page);
void ata_smart_thresholds(struct env* e, uint8_t* page);
bool ata_smart_exceeded(struct env* e); /* an attribute at or below its threshold */
/* false = there is no such page. */
bool ata_log_page(struct env* e, uint32_t log, uint32_t number, uint8_t* page);
/* The byte at its end makes the sum of all 0. */
void ata_checksum(uint8_t* page);

#endif
