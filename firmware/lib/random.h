/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers that follow from a seed: SplitMix64 (Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014).
 */
#ifndef SSDVP_FIRMWARE_LIB_RANDOM_H
#define SSDVP_FIRMWARE_LIB_RANDOM_H

#include <stdint.h>

struct random_source {
    uint64_t state; /* the seed */
};

static inline uint64_t random_next(struct random_source* r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A number below n that follows from 32 random bits. Some are more likely than others by a share of
 * n / 2^32. */
static inline uint32_t random_share(uint32_t bits, uint32_t n)
{
    return (uint32_t)(((uint64_t)bits * n) >> 32);
}

static inline uint32_t random_below(struct random_source* r, uint32_t n)
{
    return random_share((uint32_t)(random_next(r) >> 32), n);
}

#endif
