/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions whose instructions on each target are counted by hand: tests/timing/image_test.cpp.
 */
#include <stddef.h>
#include <stdint.h>

#include "firmware/hal/hal.h"

#define SHOWN __attribute__((visibility("default"), noinline))

uint32_t sample_add(uint32_t a, uint32_t b);
uint32_t sample_sum(const uint32_t* words, uint32_t count);
uint32_t sample_choose(uint32_t which, uint32_t* a, uint32_t* b);
void sample_copy(void* to, const void* from, size_t bytes);
void sample_set(void* to, int value, size_t bytes);
void sample_move(void* to, const void* from, size_t bytes);
uint64_t sample_divide(uint64_t n, uint64_t d);
void sample_fence(void);
uint32_t sample_call(uint32_t a, uint32_t b);
uint32_t sample_tell(struct hal* hal, uint32_t a, uint32_t b);

SHOWN uint32_t sample_add(uint32_t a, uint32_t b)
{
    return a + b;
}

SHOWN uint32_t sample_sum(const uint32_t* words, uint32_t count)
{
    uint32_t sum = 0;
    do {
        sum += *words++;
    } while (--count != 0);
    return sum;
}

SHOWN uint32_t sample_choose(uint32_t which, uint32_t* a, uint32_t* b)
{
    if (which != 0) {
        *a += 1;
        return *b;
    }
    *b = 7;
    return 0;
}

SHOWN void sample_copy(void* to, const void* from, size_t bytes)
{
    __builtin_memcpy(to, from, bytes);
}

SHOWN void sample_set(void* to, int value, size_t bytes)
{
    __builtin_memset(to, value, bytes);
}

SHOWN void sample_move(void* to, const void* from, size_t bytes)
{
    __builtin_memmove(to, from, bytes);
}

SHOWN uint64_t sample_divide(uint64_t n, uint64_t d)
{
    return n / d;
}

SHOWN void sample_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

SHOWN uint32_t sample_call(uint32_t a, uint32_t b)
{
    return sample_add(a, b) * 5;
}

SHOWN uint32_t sample_tell(struct hal* hal, uint32_t a, uint32_t b)
{
    hal_touch(hal, (uint64_t)a * 12 + b, 12, 1);
    return a + b;
}
