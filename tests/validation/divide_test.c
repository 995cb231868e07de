/* SPDX-License-Identifier: Apache-2.0
 *
 * firmware/port/arm/divide.c under qemu-arm, linked as the replay is: quotient and remainder of
 * numbers on both sides of 2^32. Exit code 0 = all right, else the number of the first pair that is
 * not.
 */
#include <stdint.h>

void replay_start(void);

static const uint64_t edges[] = {0,          1,          2,          3,           10,
                                 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x100000001,
                                 1ull << 40, 1ull << 63, ~0ull - 1,  ~0ull};
enum { EDGES = sizeof edges / sizeof edges[0], RANDOM = 2000, CALL_EXIT = 1 };

static int is_right(uint64_t n, uint64_t d)
{
    const volatile uint64_t numerator = n; /* the compiler must not know them */
    const volatile uint64_t denominator = d;
    const uint64_t q = numerator / denominator;
    const uint64_t r = numerator % denominator;
    /* r < d and q <= n / d leave no other pair; the product does not wrap then. */
    return r < d && r <= n && q <= n && q * d == n - r && (q == 0 || (n - r) / q == d);
}

static void leave(int code)
{
    register int r0 __asm__("r0") = code;
    for (;;) {
        __asm__ volatile("mov r7, %1\n\tsvc #0" ::"r"(r0), "i"(CALL_EXIT) : "r7", "memory");
    }
}

void replay_start(void)
{
    int pair = 0;
    for (int i = 0; i < EDGES; ++i) {
        for (int j = 1; j < EDGES; ++j) { /* nothing divides by zero */
            ++pair;
            if (!is_right(edges[i], edges[j])) {
                leave(pair < 255 ? pair : 255);
            }
        }
    }
    uint64_t state = 1;
    for (int i = 0; i < RANDOM; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        const uint64_t n = state >> (state & 63);
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (!is_right(n, (state >> (state & 63)) | 1)) {
            leave(255);
        }
    }
    leave(0);
}
