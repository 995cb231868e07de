/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of floating point. Cores that have none refuse firmware with it: a program of its own.
 */
#include "tests/validation/kernels/kernels.h"

static uint64_t wide(uint64_t* state)
{
    const uint64_t high = kernel_random(state);
    return high << 32 | kernel_random(state);
}

static float singles(uint64_t* random)
{
    return (float)(int32_t)kernel_random(random) / 65536.0f;
}

static uint64_t float_single(uint8_t* memory)
{
    uint64_t random = 83;
    float mean = 0;
    float spread = 1;
    (void)memory;
    for (uint32_t n = 0; n < 500; ++n) {
        const float x = singles(&random);
        mean += (x - mean) * 0.125f;
        spread = spread * 0.9f + (x > mean ? x - mean : mean - x);
        mean -= spread / (float)(n + 1);
    }
    return (uint64_t)(int64_t)(mean * 1000.0f) ^ (uint64_t)(spread * 16.0f) << 32;
}

static uint64_t float_double(uint8_t* memory)
{
    uint64_t random = 89;
    double sum = 0;
    double least = 1e9;
    (void)memory;
    for (uint32_t n = 0; n < 500; ++n) {
        const double x = (double)kernel_random(&random) * 1e-3;
        sum = sum * 0.99 + x * x;
        least = x < least ? x : least;
        sum -= x / (least + 0.5);
    }
    return (uint64_t)(int64_t)(sum * 16.0) ^ (uint64_t)(least * 1e6);
}

static uint64_t float_convert(uint8_t* memory)
{
    uint64_t random = 97;
    uint64_t sum = 0;
    (void)memory;
    for (uint32_t n = 0; n < 500; ++n) {
        const uint64_t x = wide(&random) >> (n % 50);
        const double d = (double)x;
        const float f = (float)(d * 0.5);
        sum += (uint64_t)(d * 0.25) + (uint32_t)(int32_t)(f * 0x1p-40f);
        sum ^= (uint64_t)(int64_t)((double)f - d) + (uint64_t)((double)(int32_t)n * 3.5);
    }
    return sum;
}

static uint64_t float_sums(uint8_t* memory)
{
    double* d = (double*)(void*)memory;
    uint64_t random = 101;
    for (uint32_t i = 0; i < 64; ++i) {
        const int32_t x = (int32_t)kernel_random(&random) - (1 << 30);
        d[i] = (double)x / (double)(1 << (i & 31));
    }
    for (uint32_t n = 0; n < 8; ++n) {
        for (uint32_t i = 1; i < 64; ++i) {
            d[i] = d[i] + d[i - 1] * 0.5 - d[63 - i];
            if (d[i] > 1e6 || d[i] < -1e6) {
                d[i] = d[i] * 0x1p-8;
            }
        }
    }
    return (uint64_t)(int64_t)(d[63] * 1024.0);
}

static const struct kernel list[] = {
    {"float_single", float_single},
    {"float_double", float_double},
    {"float_convert", float_convert},
    {"float_sums", float_sums},
};
KERNEL_LIST(kernels_last, list);
