/* SPDX-License-Identifier: Apache-2.0
 *
 * firmware/port/divide.c and arm/divide.c under QEMU, linked as the replay is: quotient and
 * remainder of numbers on both sides of 2^32, with signs and without. Exit code 0 = all right, else
 * the number of the first pair that is not.
 */
#include <stdint.h>

#include "tests/validation/target_system.h"

void replay_start(void);

static const uint64_t edges[] = {0,          1,          2,          3,           10,
                                 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x100000001,
                                 1ull << 40, 1ull << 63, ~0ull - 1,  ~0ull};
enum { EDGES = sizeof edges / sizeof edges[0], RANDOM = 2000 };

static int is_right(uint64_t n, uint64_t d)
{
    const volatile uint64_t numerator = n; /* the compiler must not know them */
    const volatile uint64_t denominator = d;
    const uint64_t q = numerator / denominator;
    const uint64_t r = numerator % denominator;
    /* r < d and q <= n / d leave no other pair; the product does not wrap then. */
    return r < d && r <= n && q <= n && q * d == n - r && (q == 0 || (n - r) / q == d);
}

/* The quotient is rounded towards 0, and what is left has the numerator's sign. */
static int is_right_signed(int64_t n, int64_t d)
{
    const volatile int64_t numerator = n;
    const volatile int64_t denominator = d;
    if (d == 0 || (n == INT64_MIN && d == -1)) {
        return 1; /* C says nothing of them */
    }
    const uint64_t size_n = n < 0 ? -(uint64_t)n : (uint64_t)n;
    const uint64_t size_d = d < 0 ? -(uint64_t)d : (uint64_t)d;
    const uint64_t q = size_n / size_d; /* is_right has looked at those */
    const uint64_t r = size_n % size_d;
    const uint64_t quotient = (n < 0) != (d < 0) ? -q : q;
    return (uint64_t)(numerator / denominator) == quotient &&
           (uint64_t)(numerator % denominator) == (n < 0 ? -r : r);
}

static int both_right(uint64_t n, uint64_t d)
{
    return is_right(n, d) && is_right_signed((int64_t)n, (int64_t)d) &&
           is_right_signed(-(int64_t)(n >> 1), (int64_t)d);
}

static void leave(int code)
{
    for (;;) {
        system_call(CALL_EXIT, code, 0, 0);
    }
}

void replay_start(void)
{
    int pair = 0;
    for (int i = 0; i < EDGES; ++i) {
        for (int j = 1; j < EDGES; ++j) { /* nothing divides by zero */
            ++pair;
            if (!both_right(edges[i], edges[j])) {
                leave(pair < 255 ? pair : 255);
            }
        }
    }
    uint64_t state = 1;
    for (int i = 0; i < RANDOM; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        const uint64_t n = state >> (state & 63);
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (!both_right(n, (state >> (state & 63)) | 1)) {
            leave(255);
        }
    }
    leave(0);
}
