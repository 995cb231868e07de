/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of map entries that name places one behind the other.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_RISING_H
#define SSDVP_FIRMWARE_MAP_MAPS_RISING_H

#include <stdint.h>

/* Two entries of 4 bytes. */
static inline uint64_t maps_pair(const uint32_t* at)
{
    return at[0] | (uint64_t)at[1] << 32;
}

/* How many entries of 4 bytes, at most so many, are each one more than the one before. */
static inline uint32_t maps_rising(const uint32_t* at, uint32_t most)
{
    const uint64_t two = (UINT64_C(2) << 32) | 2;
    uint64_t next = at[0] | (uint64_t)(at[0] + 1) << 32;
    uint32_t k = 0;
    while (k + 4 <= most && maps_pair(at + k) == next && maps_pair(at + k + 2) == next + two) {
        next += 2 * two;
        k += 4;
    }
    k = k == 0 ? 1 : k;
    while (k < most && at[k] == at[0] + k) {
        ++k;
    }
    return k;
}

#endif
