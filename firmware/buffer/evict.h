/* SPDX-License-Identifier: Apache-2.0
 *
 * Eviction: when dirty slots leave.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_EVICT_H
#define SSDVP_FIRMWARE_BUFFER_EVICT_H

#include "firmware/buffer/state.h"

void cache_step(struct env* e); /* evicts what is due */
/* Of a copy: what tells of the last step alone (run/steps.c). */
static inline void cache_overlook(struct cache* c)
{
    c->blocked = c->held = c->hungry = c->awaits = c->plain = 0;
}

#endif
