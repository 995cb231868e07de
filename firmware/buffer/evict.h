/* SPDX-License-Identifier: Apache-2.0
 *
 * Eviction: when dirty slots leave, and which of them can.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_EVICT_H
#define SSDVP_FIRMWARE_BUFFER_EVICT_H

#include <stdbool.h>

#include "firmware/lib/env.h"

bool cache_over_high(const struct env* e); /* as many units are dirty as may be */
bool cache_flush_waits(struct env* e);
/* Whether a dirty slot can be programmed now; starts what it lacks. If so its unit is pinned. */
bool cache_eligible(struct env* e, uint32_t slot);
bool cache_shallow(struct env* e, uint32_t slot); /* it is to be programmed shallow (retention.h) */
/* true = the map will not hold more pins than those `count` at a time: they go as they are. */
bool cache_goes_short(struct env* e, uint32_t count);

/* Where a unit's address says where it goes, or its scheme does (gather_lanes.c, placed.c): one
 * write unit of a bin, or one unit. false = none can go now. */
bool cache_evict_lanes(struct env* e);
bool cache_evict_placed(struct env* e);

#endif
