/* SPDX-License-Identifier: Apache-2.0
 *
 * Small programs of every kind that firmware may hold, to compare what the tables say of each with
 * what QEMU counts: scripts/validate-timing --kernels. A kernel gets memory of zeroes, and returns
 * a number that all machines agree on: so each has done the same work.
 */
#ifndef SSDVP_TESTS_VALIDATION_KERNELS_KERNELS_H
#define SSDVP_TESTS_VALIDATION_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { KERNEL_MEMORY = 1 << 16 }; /* bytes, aligned to 64 */

typedef uint64_t kernel_function(uint8_t* memory);

struct kernel {
    const char* name;
    kernel_function* run;
};

struct kernel_list {
    const struct kernel* kernels;
    size_t count;
};

extern const struct kernel_list kernels_control;
extern const struct kernel_list kernels_data;
extern const struct kernel_list kernels_memory;
extern const struct kernel_list kernels_numbers;
extern const struct kernel_list kernels_last; /* floats.c or no_floats.c */

#define KERNEL_LIST(name, kernels)                                                                 \
    const struct kernel_list name = {kernels, sizeof(kernels) / sizeof(kernels)[0]}

/* Numbers that look random: Knuth's MMIX. */
static inline uint32_t kernel_random(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#endif
