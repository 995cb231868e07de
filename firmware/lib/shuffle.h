/* SPDX-License-Identifier: Apache-2.0
 *
 * A random order of the numbers below a count, without a table: a Feistel network over two digits
 * of about the root of the count each (Black and Rogaway, "Ciphers with arbitrary finite domains",
 * CT-RSA 2002). What falls on one of the few numbers above the count goes through it again.
 */
#ifndef SSDVP_FIRMWARE_LIB_SHUFFLE_H
#define SSDVP_FIRMWARE_LIB_SHUFFLE_H

#include <stdint.h>

#include "firmware/lib/random.h"

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
