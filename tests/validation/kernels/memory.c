/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the memory functions: lengths that are known and others, any alignment.
 */
#include "tests/validation/kernels/kernels.h"

static uint64_t digest(const uint8_t* bytes, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i += 61) {
        sum = sum * 1000003u + bytes[i];
    }
    return sum;
}

static void fill(uint8_t* memory)
{
    uint64_t random = 37;
    for (uint32_t i = 0; i < 1024; ++i) {
        memory[i] = (uint8_t)kernel_random(&random);
    }
}

static uint64_t copy_long(uint8_t* memory)
{
    fill(memory);
    for (uint32_t n = 0; n < 12; ++n) {
        const size_t bytes = 4096 + 64 * (size_t)memory[n];
        __builtin_memcpy(memory + 32768, memory + 64 * n, bytes);
    }
    return digest(memory, KERNEL_MEMORY);
}

static uint64_t copy_short(uint8_t* memory)
{
    uint64_t random = 41;
    fill(memory);
    for (uint32_t n = 0; n < 500; ++n) {
        const size_t bytes = kernel_random(&random) & 63;
        __builtin_memcpy(memory + 2048 + n * 64, memory + (n & 7) * 8, bytes);
    }
    return digest(memory, KERNEL_MEMORY);
}

static uint64_t copy_crooked(uint8_t* memory)
{
    uint64_t random = 43;
    fill(memory);
    for (uint32_t n = 0; n < 150; ++n) {
        const size_t bytes = kernel_random(&random) & 511;
        const size_t to = kernel_random(&random) & 31;
        const size_t from = kernel_random(&random) & 31;
        __builtin_memcpy(memory + 4096 + to, memory + from, bytes);
    }
    return digest(memory, KERNEL_MEMORY);
}

static uint64_t copy_known(uint8_t* memory)
{
    fill(memory);
    for (uint32_t n = 0; n < 200; ++n) {
        __builtin_memcpy(memory + 2048 + n * 8, memory + (n & 15) * 16, 16);
        __builtin_memcpy(memory + 8192 + n * 64, memory, 512);
        __builtin_memset(memory + 32768 + n * 8, 0x5A, 384);
    }
    return digest(memory, KERNEL_MEMORY);
}

static uint64_t set_long(uint8_t* memory)
{
    for (uint32_t n = 0; n < 8; ++n) {
        __builtin_memset(memory + 512 * n, (int)n, 4096 + 512 * (size_t)n);
    }
    __builtin_memset(memory + 16384, 0xFF, 16384);
    return digest(memory, KERNEL_MEMORY);
}

static uint64_t set_crooked(uint8_t* memory)
{
    uint64_t random = 47;
    for (uint32_t n = 0; n < 400; ++n) {
        const size_t at = kernel_random(&random) & 4095;
        __builtin_memset(memory + at, (int)n, kernel_random(&random) & 127);
    }
    return digest(memory, KERNEL_MEMORY);
}

static uint64_t move_overlapping(uint8_t* memory)
{
    uint64_t random = 53;
    fill(memory);
    for (uint32_t n = 0; n < 200; ++n) {
        const size_t bytes = kernel_random(&random) & 255;
        __builtin_memmove(memory + (kernel_random(&random) & 127),
                          memory + (kernel_random(&random) & 127), bytes);
    }
    return digest(memory, 4096);
}

/* A queue that moves up: memmove by words. */
static uint64_t move_words(uint8_t* memory)
{
    uint32_t* words = (uint32_t*)(void*)memory;
    for (uint32_t n = 0; n < 150; ++n) {
        __builtin_memmove(words + 1, words, n * sizeof *words);
        words[0] = n * 7;
        if ((n & 7) == 7) {
            __builtin_memmove(words, words + 1, n * sizeof *words);
        }
    }
    return digest(memory, 1024);
}

static uint64_t compare(uint8_t* memory)
{
    uint64_t random = 59;
    uint64_t sum = 0;
    fill(memory);
    __builtin_memcpy(memory + 1024, memory, 1024);
    for (uint32_t n = 0; n < 200; ++n) {
        const size_t bytes = kernel_random(&random) & 255;
        const size_t at = (kernel_random(&random) & 63) * 4;
        memory[1024 + at + bytes / 2] ^= (uint8_t)(n & 1);
        const int order = __builtin_memcmp(memory + at, memory + 1024 + at, bytes);
        sum = sum * 3 + (order < 0 ? 0u : order > 0 ? 1u : 2u);
    }
    return sum;
}

static const struct kernel list[] = {
    {"copy_long", copy_long},
    {"copy_short", copy_short},
    {"copy_crooked", copy_crooked},
    {"copy_known", copy_known},
    {"set_long", set_long},
    {"set_crooked", set_crooked},
    {"move_overlapping", move_overlapping},
    {"move_words", move_words},
    {"compare", compare},
};
KERNEL_LIST(kernels_memory, list);
