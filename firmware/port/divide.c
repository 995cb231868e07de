/* SPDX-License-Identifier: Apache-2.0
 *
 * Division of 64-bit numbers for 32-bit cores, under the names that compilers call (GCC internals,
 * "Routines for integer emulation"); Arm's own are in arm/divide.c. The core divides 32 bits, which
 * is all that firmware's units and pages mostly need; beyond, two digits of 16 bits each at a time
 * (Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D). It is linked before the
 * compiler's library, so that any compiler's image divides by this, and timed like any source.
 */
#include <stddef.h>
#include <stdint.h>

uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t* rest);
int64_t __divmoddi4(int64_t n, int64_t d, int64_t* rest);
uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);
int64_t __divdi3(int64_t n, int64_t d);
int64_t __moddi3(int64_t n, int64_t d);

enum { HALF = 16, LOW = (1 << HALF) - 1 };

/* A digit of the quotient of three: high (below d) and the next one by d, whose first bit is 1. */
static inline uint32_t digit(uint32_t high, uint32_t next, uint32_t d, uint32_t* rest)
{
    uint32_t q = high / (d >> HALF);
    uint32_t r = high - q * (d >> HALF);
    while (q > LOW || q * (d & LOW) > (r << HALF | next)) {
        --q;
        r += d >> HALF;
        if (r > LOW) {
            break;
        }
    }
    *rest = (high << HALF | next) - q * d; /* modulo 2^32, where it fits */
    return q;
}

/* high:low by d, where high < d. `shift` makes d's first bit 1. */
static uint32_t narrow(uint32_t high, uint32_t low, uint32_t d, uint32_t* rest)
{
    const uint32_t shift = (uint32_t)__builtin_clz(d);
    if (shift != 0) {
        d <<= shift;
        high = high << shift | low >> (32 - shift);
        low <<= shift;
    }
    uint32_t r = 0;
    const uint32_t first = digit(high, low >> HALF, d, &r);
    const uint32_t second = digit(r, low & LOW, d, &r);
    *rest = r >> shift;
    return first << HALF | second;
}

/* d has more than 32 bits: the quotient has at most 32. */
static uint32_t by_wide(uint64_t n, uint64_t d, uint64_t* rest)
{
    if (n < d) {
        *rest = n;
        return 0;
    }
    const uint32_t shift = (uint32_t)__builtin_clz((uint32_t)(d >> 32));
    uint32_t unused = 0;
    uint32_t q = 1;
    if (shift != 0) {
        /* By the first 32 bits of d: too large by 1 at most. */
        const uint32_t top = (uint32_t)(d << shift >> 32);
        q = narrow((uint32_t)(n >> 33), (uint32_t)(n >> 1), top, &unused) >> (31 - shift);
        q -= q != 0;
    }
    uint64_t r = n - q * d;
    if (r >= d) {
        r -= d;
        ++q;
    }
    *rest = r;
    return q;
}

uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t* rest)
{
    const uint32_t high = (uint32_t)(n >> 32);
    const uint32_t low = (uint32_t)n;
    if (d >> 32 != 0) {
        return by_wide(n, d, rest);
    }
    const uint32_t small = (uint32_t)d;
    if (high == 0) {
        *rest = low % small;
        return low / small;
    }
    uint32_t r = high;
    uint32_t first = 0;
    if (high >= small) {
        first = high / small;
        r = high % small;
    }
    const uint32_t second = narrow(r, low, small, &r);
    *rest = r;
    return (uint64_t)first << 32 | second;
}

uint64_t __udivdi3(uint64_t n, uint64_t d)
{
    if ((n | d) >> 32 == 0) {
        return (uint32_t)n / (uint32_t)d;
    }
    uint64_t rest = 0;
    return __udivmoddi4(n, d, &rest);
}

uint64_t __umoddi3(uint64_t n, uint64_t d)
{
    if ((n | d) >> 32 == 0) {
        return (uint32_t)n % (uint32_t)d;
    }
    uint64_t rest = 0;
    (void)__udivmoddi4(n, d, &rest);
    return rest;
}

static uint64_t size_of(int64_t n)
{
    return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* The rest has the sign of n. */
int64_t __divmoddi4(int64_t n, int64_t d, int64_t* rest)
{
    uint64_t r = 0;
    const uint64_t q = __udivmoddi4(size_of(n), size_of(d), &r);
    *rest = n < 0 ? (int64_t)-r : (int64_t)r;
    return (n < 0) != (d < 0) ? (int64_t)-q : (int64_t)q;
}

int64_t __divdi3(int64_t n, int64_t d)
{
    int64_t rest = 0;
    return __divmoddi4(n, d, &rest);
}

int64_t __moddi3(int64_t n, int64_t d)
{
    int64_t rest = 0;
    (void)__divmoddi4(n, d, &rest);
    return rest;
}
