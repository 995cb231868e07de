/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges of hybrid mapping: a logical block is written as a whole, page by page in order, to a
 * fresh block. A log block becomes free when all logical blocks of its pages have been merged.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_HYBRID_MERGE_H
#define SSDVP_FIRMWARE_BLOCKS_HYBRID_MERGE_H

#include <stdbool.h>

#include "firmware/ops/flash.h"

void merges_take_memory(struct env* e);
bool merge_busy(struct env* e, uint64_t lblock); /* it is being merged, or about to be */
/* false = as many as there may be are at work */
bool merge_request(struct env* e, uint64_t lblock);
bool hybrid_idle(const struct env* e); /* no merge is at work */
void merge_step(struct env* e);
void merge_read_done(struct env* e, const struct flash_result* result);
void merge_program_done(struct env* e, const struct flash_result* result);

#endif
