/* SPDX-License-Identifier: Apache-2.0
 *
 * memcpy, memmove, memset and memcmp for targets without a C library. Compilers may call the first
 * three for any copy. Doublewords move what is aligned, four in a round, as libraries of such cores
 * do it; on a 32-bit core each is a pair of words. No access is unaligned. Loops end at an address:
 * a counter of 64 bits, which size_t has on the host that these are timed on, would be two
 * registers on a 32-bit core. What a round moves is FW_TIMING_STRIDE
 * (firmware/port/native/timing.h), or half.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) double_word;
typedef uint32_t __attribute__((may_alias)) word;

enum {
    WIDE = sizeof(double_word),
    ROUND = 4 * WIDE,
    NARROW = sizeof(word),
    NARROW_ROUND = 4 * NARROW,
    WORTH = 16 /* bytes from which on it pays to align for doublewords */
};

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* one, const void* other, size_t bytes);

/* Not restrict here: memmove calls it where `to` lies before `from`, and they may overlap. */
void* memcpy(void* to, const void* from, size_t bytes)
{
    uint8_t* t = to;
    const uint8_t* f = from;
    const uint8_t* const end = f + bytes;
    const uintptr_t apart = (uintptr_t)t ^ (uintptr_t)f;
    if ((apart & (WIDE - 1)) == 0 && bytes >= WORTH) {
        while (((uintptr_t)f & (WIDE - 1)) != 0) {
            *t++ = *f++;
        }
        const uint8_t* const rounds = f + ((size_t)(end - f) & ~(size_t)(ROUND - 1));
        for (; f != rounds; f += ROUND, t += ROUND) {
            const double_word* const source = (const void*)f;
            double_word* const target = (void*)t;
            const uint64_t a = source[0];
            const uint64_t b = source[1];
            const uint64_t c = source[2];
            const uint64_t d = source[3];
            target[0] = a;
            target[1] = b;
            target[2] = c;
            target[3] = d;
        }
        const uint8_t* const last = f + ((size_t)(end - f) & ~(size_t)(WIDE - 1));
        for (; f != last; f += WIDE, t += WIDE) {
            *(double_word*)(void*)t = *(const double_word*)(const void*)f;
        }
    } else if ((apart & (NARROW - 1)) == 0 && bytes >= NARROW) {
        while (((uintptr_t)f & (NARROW - 1)) != 0) {
            *t++ = *f++;
        }
        const uint8_t* const rounds = f + ((size_t)(end - f) & ~(size_t)(NARROW_ROUND - 1));
        for (; f != rounds; f += NARROW_ROUND, t += NARROW_ROUND) {
            const word* const source = (const void*)f;
            word* const target = (void*)t;
            const uint32_t a = source[0];
            const uint32_t b = source[1];
            const uint32_t c = source[2];
            const uint32_t d = source[3];
            target[0] = a;
            target[1] = b;
            target[2] = c;
            target[3] = d;
        }
        const uint8_t* const last = f + ((size_t)(end - f) & ~(size_t)(NARROW - 1));
        for (; f != last; f += NARROW, t += NARROW) {
            *(word*)(void*)t = *(const word*)(const void*)f;
        }
    }
    while (f != end) {
        *t++ = *f++;
    }
    return to;
}

/* From the end down, for a target that begins within its source. */
static void copy_down(uint8_t* to, const uint8_t* from, size_t bytes)
{
    uint8_t* t = to + bytes;
    const uint8_t* f = from + bytes;
    const uintptr_t apart = (uintptr_t)t ^ (uintptr_t)f;
    if ((apart & (WIDE - 1)) == 0 && bytes >= WORTH) {
        while (((uintptr_t)f & (WIDE - 1)) != 0) {
            *--t = *--f;
        }
        const uint8_t* const last = f - ((size_t)(f - from) & ~(size_t)(WIDE - 1));
        while (f != last) {
            f -= WIDE;
            t -= WIDE;
            *(double_word*)(void*)t = *(const double_word*)(const void*)f;
        }
    } else if ((apart & (NARROW - 1)) == 0 && bytes >= NARROW) {
        while (((uintptr_t)f & (NARROW - 1)) != 0) {
            *--t = *--f;
        }
        const uint8_t* const last = f - ((size_t)(f - from) & ~(size_t)(NARROW - 1));
        while (f != last) {
            f -= NARROW;
            t -= NARROW;
            *(word*)(void*)t = *(const word*)(const void*)f;
        }
    }
    while (f != from) {
        *--t = *--f;
    }
}

void* memmove(void* to, const void* from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        return memcpy(to, from, bytes);
    }
    copy_down(to, from, bytes);
    return to;
}

void* memset(void* to, int value, size_t bytes)
{
    uint8_t* t = to;
    uint8_t* const end = t + bytes;
    if (bytes >= WORTH) {
        const uint32_t half = (uint8_t)value * UINT32_C(0x01010101);
        const uint64_t whole = (uint64_t)half << 32 | half;
        while (((uintptr_t)t & (WIDE - 1)) != 0) {
            *t++ = (uint8_t)value;
        }
        const uint8_t* const rounds = t + ((size_t)(end - t) & ~(size_t)(ROUND - 1));
        for (; t != rounds; t += ROUND) {
            double_word* const target = (void*)t;
            target[0] = whole;
            target[1] = whole;
            target[2] = whole;
            target[3] = whole;
        }
        const uint8_t* const last = t + ((size_t)(end - t) & ~(size_t)(WIDE - 1));
        for (; t != last; t += WIDE) {
            *(double_word*)(void*)t = whole;
        }
    }
    while (t != end) {
        *t++ = (uint8_t)value;
    }
    return to;
}

int memcmp(const void* one, const void* other, size_t bytes)
{
    const uint8_t* a = one;
    const uint8_t* b = other;
    const uint8_t* const end = a + bytes;
    if ((((uintptr_t)a | (uintptr_t)b) & (NARROW - 1)) == 0) {
        const uint8_t* const last = a + (bytes & ~(size_t)(NARROW - 1));
        while (a != last && *(const word*)(const void*)a == *(const word*)(const void*)b) {
            a += NARROW;
            b += NARROW;
        }
    }
    for (; a != end; ++a, ++b) {
        if (*a != *b) {
            return *a - *b;
        }
    }
    return 0;
}
