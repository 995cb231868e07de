/* SPDX-License-Identifier: Apache-2.0
 *
 * Zeroing and unmapping: Write Zeroes, Dataset Management, and a run of sectors for whoever else
 * unmaps.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_UNMAP_H
#define SSDVP_FIRMWARE_HOST_NVME_UNMAP_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

/* The current run of a command. true = all of it is zeroed; budget: units that this round may. */
bool hil_zero_run(struct env* e, struct command* c, uint32_t* budget);

void hil_start_zeroes(struct env* e, uint32_t slot);
bool hil_zero(struct env* e, uint32_t slot); /* true = done */

/* Dataset Management: it begins; its ranges are asked for, as soon as there is a buffer; they are
 * here; they are unmapped, true = all are. */
void hil_dsm_start(struct env* e, uint32_t slot);
void hil_dsm_fetch(struct env* e, uint32_t slot);
void hil_dsm_landed(struct env* e, uint32_t slot);
bool hil_dsm(struct env* e, uint32_t slot);

#endif
