/* SPDX-License-Identifier: Apache-2.0
 *
 * memcpy and memset for targets without a C library. Compilers may call both for any copy.
 */
#include <stddef.h>
#include <stdint.h>

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memset(void* to, int value, size_t bytes);

void* memcpy(void* restrict to, const void* restrict from, size_t bytes)
{
    uint8_t* t = to;
    const uint8_t* f = from;
    if ((((uintptr_t)t | (uintptr_t)f) & 3u) == 0) {
        for (; bytes >= 4; bytes -= 4, t += 4, f += 4) {
            *(uint32_t*)(void*)t = *(const uint32_t*)(const void*)f;
        }
    }
    while (bytes-- != 0) {
        *t++ = *f++;
    }
    return to;
}

void* memset(void* to, int value, size_t bytes)
{
    uint8_t* t = to;
    while (bytes-- != 0) {
        *t++ = (uint8_t)value;
    }
    return to;
}
