/* SPDX-License-Identifier: Apache-2.0
 *
 * Eviction: when dirty slots leave.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_EVICT_H
#define SSDVP_FIRMWARE_BUFFER_EVICT_H

#include "firmware/lib/env.h"

void cache_step(struct env* e); /* evicts what is due */

#endif
