/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drive knows of its superblocks, as it lies in front of the anchor record.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_TABLES_H
#define SSDVP_FIRMWARE_DURABLE_TABLES_H

#include <stdbool.h>

#include "firmware/lib/env.h"

uint64_t tables_bytes(const struct env* e);
void tables_store(struct env* e, uint64_t base, void* to);
/* Erase counts and bad blocks; with states those of superblocks and streams too. */
void tables_load(struct env* e, const void* from, bool states);

#endif
