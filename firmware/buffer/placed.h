/* SPDX-License-Identifier: Apache-2.0
 *
 * Eviction where the scheme says of each unit where it goes (placed.c).
 */
#ifndef SSDVP_FIRMWARE_BUFFER_PLACED_H
#define SSDVP_FIRMWARE_BUFFER_PLACED_H

#include "firmware/lib/env.h"
#include <stdbool.h>

bool cache_evict_placed(struct env* e); /* one unit; false = none can go now */

#endif
