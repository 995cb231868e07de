/* SPDX-License-Identifier: Apache-2.0
 *
 * memcpy and memset for targets without a C library. Compilers may call both for any copy. Loops
 * end at an address: a counter of 64 bits, which size_t has on the host that these are timed on,
 * would be two registers on a 32-bit core.
 */
#include <stddef.h>
#include <stdint.h>

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memset(void* to, int value, size_t bytes);

void* memcpy(void* restrict to, const void* restrict from, size_t bytes)
{
    uint8_t* t = to;
    const uint8_t* f = from;
    const uint8_t* const end = f + bytes;
    if ((((uintptr_t)t | (uintptr_t)f) & 3u) == 0) {
        const uint8_t* const words = f + (bytes & ~(size_t)3);
        for (; f != words; f += 4, t += 4) {
            *(uint32_t*)(void*)t = *(const uint32_t*)(const void*)f;
        }
    }
    while (f != end) {
        *t++ = *f++;
    }
    return to;
}

void* memset(void* to, int value, size_t bytes)
{
    uint8_t* t = to;
    uint8_t* const end = t + bytes;
    while (t != end) {
        *t++ = (uint8_t)value;
    }
    return to;
}
