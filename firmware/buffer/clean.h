/* SPDX-License-Identifier: Apache-2.0
 *
 * Clean units, which go without being written.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_CLEAN_H
#define SSDVP_FIRMWARE_BUFFER_CLEAN_H

#include "firmware/buffer/cache.h"
#include "firmware/lib/telemetry.h"

void cache_drop(struct env* e, uint32_t slot); /* a clean unit, or one that is being read */
bool cache_drop_victim(struct env* e);         /* false = there is none */
/* The slot is, or is not, among the clean units that leave first. */
void cache_set_victim(struct env* e, uint32_t slot, int victim);

/* Nobody has read what was read ahead. */
static inline void cache_ahead_ends(struct env* e, uint32_t slot)
{
    uint8_t* ahead = e->cache->ahead != 0 ? env_dram(e, e->cache->ahead) : NULL;
    if (ahead != NULL && ahead[slot] != 0) {
        ahead[slot] = 0;
        ++e->telemetry->cache_ahead_wasted;
    }
}

#endif
