/* SPDX-License-Identifier: Apache-2.0
 *
 * Which slots can leave, and of which stream of the host a write unit is.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_GATHER_H
#define SSDVP_FIRMWARE_BUFFER_GATHER_H

#include "firmware/lib/env.h"
#include <stdbool.h>

/* Whether a dirty slot can be programmed now; starts what it lacks. If so its unit is pinned. */
bool cache_eligible(struct env* e, uint32_t slot);
/* true = the map will not hold more pins than those `count` at a time: they go as they are. */
bool cache_goes_short(struct env* e, uint32_t count);
uint32_t cache_walk_most(const struct env* e); /* slots that are looked at for a write unit */
/* The one that is written next. alone: none has a whole write unit, and waiting would bring
 * none. */
uint32_t cache_choose_stream(struct env* e, bool flushing, bool* alone);

#endif
