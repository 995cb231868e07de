/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/lib/content_check.h"

/* Fletcher, "An Arithmetic Checksum for Serial Transmissions", IEEE Trans. Comm. 30 (1982): with
 * the words w[0] .. w[n - 1] of 32 bits
 *   sum = 1 + w[0] + ... + w[n - 1],
 *   weighted = n + n * w[0] + (n - 1) * w[1] + ... + w[n - 1].
 * No carry is lost, so that any one word that differs, or two that have changed places, show in the
 * pair. The multiplications by an odd number bring all of its bits to the top ones. */
#define MIX UINT64_C(0x9E3779B97F4A7C15) /* 2^64 / golden ratio */

static inline void add(uint64_t word, uint64_t* sum, uint64_t* weighted)
{
    *sum += (uint32_t)word;
    *weighted += *sum;
    *sum += word >> 32;
    *weighted += *sum;
}

uint32_t content_check(const uint64_t* words, uint32_t count)
{
    uint64_t sum = 1;
    uint64_t weighted = 0;
    for (uint32_t i = 0; i < count; i += 4) { /* fewer turns: the compiler is told not to unroll */
        add(words[i], &sum, &weighted);
        add(words[i + 1], &sum, &weighted);
        add(words[i + 2], &sum, &weighted);
        add(words[i + 3], &sum, &weighted);
    }
    return (uint32_t)((sum * MIX + weighted) * MIX >> (64 - CONTENT_CHECK_BITS));
}
