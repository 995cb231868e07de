/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies with exact residents: rw_cflru, fab, bplru, and rw_lru with a limit of dirty units. So
 * many units are resident. When another one comes the policy chooses who goes: what is dirty waits
 * in `leaving`, still found and written to, until it is programmed. Slots beside the residents hold
 * these, and what comes meanwhile.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_RESIDENTS_H
#define SSDVP_FIRMWARE_BUFFER_RESIDENTS_H

#include "firmware/buffer/state.h"

/* How many there are, and the slots. */
void cache_staged_size(struct env* e, uint64_t capacity, struct cache* out);
/* A resident is none any more, and is programmed if it is dirty. */
void cache_let_go(struct env* e, uint32_t slot);
/* true = it is no resident any more; a clean unit is dropped then. */
bool cache_left(struct env* e, uint32_t slot);

#endif
