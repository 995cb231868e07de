/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's streams by directive.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_DIRECTED_H
#define SSDVP_FIRMWARE_BUFFER_DIRECTED_H

#include "firmware/buffer/merged.h"

/* The host's stream that a slot's data belong to, 0 = none. */
static inline uint32_t cache_stream_of(const struct cache_slot* s)
{
    return s->streams >> CACHE_DIRECTED_SHIFT;
}

uint32_t cache_walk_most(const struct env* e); /* slots that are looked at for a write unit */
/* The one that is written next. alone: none has a whole write unit, and waiting would bring
 * none. */
uint32_t cache_choose_stream(struct env* e, bool flushing, bool* alone);

#endif
