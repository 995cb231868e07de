/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers, and a random order, that follow from a seed: SplitMix64 (Steele, Lea, Flood,
 * "Fast splittable pseudorandom number generators", OOPSLA 2014).
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

/* A random order of the numbers below a count, without a table: a Feistel network over two digits
 * of about the root of the count each (Black and Rogaway, "Ciphers with arbitrary finite domains",
 * CT-RSA 2002). What falls on one of the few numbers above the count goes through it again. */
#define SHUFFLE_ROUNDS 4u
#define SHUFFLE_MOST (UINT64_C(1) << 62) /* numbers */

struct shuffle {
    uint64_t count;
    uint32_t high; /* values of the upper digit */
    uint32_t low;
    uint32_t key[SHUFFLE_ROUNDS];
};

/* count: 1 to SHUFFLE_MOST. */
void shuffle_init(struct shuffle* s, uint64_t count, struct random_source* random);
/* Where index, below the count, goes: each number below the count belongs to one index. */
uint64_t shuffle_at(const struct shuffle* s, uint64_t index);

#endif
