/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of garbage collection (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_GC_H
#define SSDVP_REGS_PARTS_GC_H

#include <stdint.h>

struct boot_gc {
    uint32_t policy;           /* enum gc_policy_id */
    uint32_t low_permille;     /* collect when free blocks fall below this share of all blocks */
    uint32_t high_permille;    /* ... until they reach this share */
    uint32_t invalid_permille; /* a superblock with a greater share of garbage is collected though
                                  space is not low; 0 = never */
    uint32_t copyback;         /* 1 = collection moves whole pages by copyback where it can */
    uint32_t copyback_bits;    /* ... with at most so many wrong bits per code word, mean of a page;
                                  0 = the part has no bit errors, pages are not checked */
};

#endif
