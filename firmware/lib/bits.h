/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit arithmetic and a bitmap over 64-bit words.
 */
#ifndef SSDVP_FIRMWARE_LIB_BITS_H
#define SSDVP_FIRMWARE_LIB_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Smallest b with (1 << b) >= value. */
static inline uint32_t bits_for(uint32_t value)
{
    uint32_t b = 0;
    while (b < 32 && (UINT64_C(1) << b) < value) {
        ++b;
    }
    return b;
}

static inline bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* Number of set bits of a plane mask. */
static inline uint32_t count_bits(uint32_t mask)
{
    uint32_t n = 0;
    for (; mask != 0; mask &= mask - 1) {
        ++n;
    }
    return n;
}

static inline uint32_t lowest_bit(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* The lowest count bits of n ones. */
static inline uint64_t ones(uint32_t n)
{
    return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

static inline bool bitmap_get(const uint64_t* map, uint64_t bit)
{
    return ((map[bit >> 6] >> (bit & 63)) & 1u) != 0;
}

static inline void bitmap_set(uint64_t* map, uint64_t bit)
{
    map[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

static inline void bitmap_clear(uint64_t* map, uint64_t bit)
{
    map[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
}

/* The part of n bits from bit on that lies in its word. */
static inline uint64_t bitmap_part(uint64_t bit, uint64_t n)
{
    const uint32_t shift = (uint32_t)(bit & 63);
    return ones(n < 64 ? (uint32_t)n : 64) << shift;
}

/* true = one of n bits is set. */
static inline bool bitmap_any(const uint64_t* map, uint64_t bit, uint64_t n)
{
    uint64_t found = 0;
    for (const uint64_t end = bit + n; bit < end; bit = (bit | 63) + 1) {
        found |= map[bit >> 6] & bitmap_part(bit, end - bit);
    }
    return found != 0;
}

static inline void bitmap_fill(uint64_t* map, uint64_t bit, uint64_t n)
{
    for (const uint64_t end = bit + n; bit < end; bit = (bit | 63) + 1) {
        map[bit >> 6] |= bitmap_part(bit, end - bit);
    }
}

static inline void bitmap_empty(uint64_t* map, uint64_t bit, uint64_t n)
{
    for (const uint64_t end = bit + n; bit < end; bit = (bit | 63) + 1) {
        map[bit >> 6] &= ~bitmap_part(bit, end - bit);
    }
}

/* true = all of n bits are set. */
static inline bool bitmap_all(const uint64_t* map, uint64_t bit, uint64_t n)
{
    uint64_t missing = 0;
    for (const uint64_t end = bit + n; bit < end; bit = (bit | 63) + 1) {
        missing |= ~map[bit >> 6] & bitmap_part(bit, end - bit);
    }
    return missing == 0;
}

/* How many bits are set from bit on, n at most. */
static inline uint64_t bitmap_run(const uint64_t* map, uint64_t bit, uint64_t n)
{
    const uint64_t first = bit;
    for (const uint64_t end = bit + n; bit < end; bit = (bit | 63) + 1) {
        const uint64_t missing = ~map[bit >> 6] & bitmap_part(bit, end - bit);
        if (missing != 0) {
            return (bit & ~UINT64_C(63)) + (uint64_t)__builtin_ctzll(missing) - first;
        }
    }
    return n;
}

/* n <= 32 bits from bit on; they may cross a word. */
static inline uint32_t bitmap_field(const uint64_t* map, uint64_t bit, uint32_t n)
{
    const uint32_t shift = (uint32_t)(bit & 63);
    uint64_t value = map[bit >> 6] >> shift;
    if (shift + n > 64) {
        value |= map[(bit >> 6) + 1] << (64 - shift);
    }
    return (uint32_t)(value & ones(n));
}

#endif
