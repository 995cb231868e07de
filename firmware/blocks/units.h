/* SPDX-License-Identifier: Apache-2.0
 *
 * Hybrid mapping as struct ftl_ops of a scheme has it.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_UNITS_H
#define SSDVP_FIRMWARE_BLOCKS_UNITS_H

#include <stdbool.h>

#include "firmware/lib/env.h"

uint64_t hybrid_lookup(struct env* e, uint64_t unit);
bool hybrid_pin(struct env* e, uint64_t unit);
void hybrid_unpin(struct env* e, uint64_t unit);
void hybrid_commit(struct env* e, uint64_t unit, uint64_t address);
void hybrid_lose(struct env* e, uint64_t unit);
uint64_t hybrid_owner(struct env* e, uint64_t address);
bool hybrid_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to);
bool hybrid_trim(struct env* e, uint64_t unit);
uint64_t hybrid_holes(struct env* e, uint64_t unit, uint64_t end);
uint64_t hybrid_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped);
void hybrid_prefetch(struct env* e, uint64_t unit);

#endif
