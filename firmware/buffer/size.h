/* SPDX-License-Identifier: Apache-2.0
 *
 * How many slots the buffer has, for policies.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_SIZE_H
#define SSDVP_FIRMWARE_BUFFER_SIZE_H

#include "firmware/buffer/cache.h"

/* Places of the part that may have a write unit of the host each at the same time: LUNs, or planes
 * where each has blocks of its own. */
uint32_t cache_writers(const struct env* e);
/* Slots that a capacity gives, and how many of them so many LUNs can program at once. */
uint32_t cache_spare(struct env* e, uint64_t capacity, uint32_t luns, struct cache* out);
/* As many of so many slots as may be dirty. */
uint32_t cache_dirty_most(struct env* e, uint32_t slots);

#endif
