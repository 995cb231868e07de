/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of arithmetic: 64 bits on a 32-bit core, and atomics.
 */
#include "tests/validation/kernels/kernels.h"

static uint64_t wide(uint64_t* state)
{
    const uint64_t high = kernel_random(state);
    return high << 32 | kernel_random(state);
}

static uint64_t divide_small(uint8_t* memory)
{
    uint64_t random = 61;
    uint64_t sum = 0;
    (void)memory;
    for (uint32_t n = 0; n < 1000; ++n) {
        const uint64_t a = kernel_random(&random);
        const uint64_t b = (kernel_random(&random) & 0xFFFF) + 1;
        sum += a / b + ((sum & 0xFFFF) % b);
    }
    return sum;
}

static uint64_t divide_large(uint8_t* memory)
{
    uint64_t random = 67;
    uint64_t sum = 0;
    (void)memory;
    for (uint32_t n = 0; n < 400; ++n) {
        const uint64_t a = wide(&random);
        const uint64_t b = wide(&random) >> (n & 63);
        sum += a / (b | 1);
        sum ^= a % ((b >> 7) + 3);
    }
    return sum;
}

static uint64_t divide_signed(uint8_t* memory)
{
    uint64_t random = 71;
    int64_t sum = 0;
    (void)memory;
    for (uint32_t n = 0; n < 400; ++n) {
        const int64_t a = (int64_t)(wide(&random) << 1);
        const int64_t b = (int64_t)(wide(&random) << 1) >> (n % 60);
        if (b != 0 && b != -1) {
            sum = (int64_t)((uint64_t)sum + (uint64_t)(a / b));
            sum ^= a % b;
        }
    }
    return (uint64_t)sum;
}

/* Nanoseconds into parts, as firmware prints and keeps them. */
static uint64_t divide_by_constant(uint8_t* memory)
{
    uint64_t time = 987654321;
    uint64_t sum = 0;
    (void)memory;
    for (uint32_t n = 0; n < 500; ++n) {
        sum += time / 1000000 + time % 1000;
        time += time / 10 + n;
        time = time > UINT64_C(1) << 50 ? n + 12345 : time;
    }
    return sum;
}

static uint64_t divide_pairs(uint8_t* memory)
{
    uint64_t random = 73;
    uint64_t sum = 0;
    (void)memory;
    for (uint32_t n = 0; n < 400; ++n) {
        const uint64_t a = wide(&random);
        const uint64_t b = (wide(&random) >> (n & 31)) | 1;
        const uint64_t q = a / b;
        const uint64_t r = a % b;
        sum += q * 31 + r;
    }
    return sum;
}

static uint64_t multiply_wide(uint8_t* memory)
{
    uint64_t a = 1;
    uint32_t b = 3;
    int64_t c = -5;
    (void)memory;
    for (uint32_t n = 0; n < 3000; ++n) {
        a = a * 6364136223846793005u + b;
        b = (uint32_t)((uint64_t)b * n >> 5) + 7;
        c = c * (int32_t)(b & 0xFFFF) + (int64_t)(a >> 60);
    }
    return a ^ b ^ (uint64_t)c;
}

static uint64_t shifts(uint8_t* memory)
{
    uint64_t a = 0x0123456789ABCDEFu;
    int64_t b = -77;
    (void)memory;
    for (uint32_t n = 0; n < 3000; ++n) {
        a = (a << (n & 63)) ^ (a >> ((n * 7) & 63)) ^ n;
        b = (b >> (a & 7)) + (int64_t)(a & 0xFF) - 100;
        a += (uint64_t)b;
    }
    return a;
}

static uint64_t clamps(uint8_t* memory)
{
    uint64_t random = 79;
    int64_t sum = 0;
    int32_t level = 0;
    (void)memory;
    for (uint32_t n = 0; n < 4000; ++n) {
        const int32_t step = (int32_t)(kernel_random(&random) & 255) - 128;
        level += step;
        level = level > 500 ? 500 : level < -500 ? -500 : level;
        sum += level < 0 ? -level : level;
    }
    return (uint64_t)sum;
}

static uint64_t atomic_counters(uint8_t* memory)
{
    uint32_t* words = (uint32_t*)(void*)memory;
    for (uint32_t n = 0; n < 2000; ++n) {
        __atomic_fetch_add(&words[n & 7], n, __ATOMIC_RELAXED);
        __atomic_fetch_or(&words[8], n, __ATOMIC_ACQ_REL);
        __atomic_fetch_sub(&words[9], words[8], __ATOMIC_SEQ_CST);
        words[10] ^= __atomic_exchange_n(&words[11], n, __ATOMIC_ACQUIRE);
    }
    return words[3] ^ ((uint64_t)words[9] << 32) ^ words[10];
}

static uint64_t atomic_exchange(uint8_t* memory)
{
    uint32_t* words = (uint32_t*)(void*)memory;
    uint64_t failed = 0;
    for (uint32_t n = 0; n < 2000; ++n) {
        uint32_t seen = (n & 3) == 0 ? n : words[0];
        if (!__atomic_compare_exchange_n(&words[0], &seen, n * 3, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED)) {
            failed += seen;
        }
        while (__atomic_exchange_n(&words[1], 1, __ATOMIC_ACQUIRE) != 0) {
        }
        words[2] += n;
        __atomic_store_n(&words[1], 0, __ATOMIC_RELEASE);
    }
    return failed ^ words[2];
}

static uint64_t atomic_small(uint8_t* memory)
{
    uint16_t* halves = (uint16_t*)(void*)(memory + 64);
    for (uint32_t n = 0; n < 1500; ++n) {
        __atomic_fetch_add(&memory[n & 15], (uint8_t)n, __ATOMIC_RELAXED);
        __atomic_fetch_and(&halves[n & 3], (uint16_t)~n, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&halves[4], (uint16_t)n, __ATOMIC_RELAXED);
    }
    return memory[3] + ((uint64_t)halves[2] << 16) + ((uint64_t)halves[4] << 32);
}

static const struct kernel list[] = {
    {"divide_small", divide_small},
    {"divide_large", divide_large},
    {"divide_signed", divide_signed},
    {"divide_by_constant", divide_by_constant},
    {"divide_pairs", divide_pairs},
    {"multiply_wide", multiply_wide},
    {"shifts", shifts},
    {"clamps", clamps},
    {"atomic_counters", atomic_counters},
    {"atomic_exchange", atomic_exchange},
    {"atomic_small", atomic_small},
};
KERNEL_LIST(kernels_numbers, list);
