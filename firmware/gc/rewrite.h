/* SPDX-License-Identifier: Apache-2.0
 *
 * Retention: what is due is written again (rewrite.c).
 */
#ifndef SSDVP_FIRMWARE_GC_REWRITE_H
#define SSDVP_FIRMWARE_GC_REWRITE_H

#include <stdbool.h>

#include "firmware/lib/env.h"

struct rewrite {    /* of pages that were programmed shallow (rewrite.c) */
    uint32_t waits; /* 1 = for free superblocks */
    uint32_t reads; /* under way */
    uint64_t next;  /* page to look at */
    uint64_t end;
    uint64_t until;     /* slice up to which pages move */
    uint64_t deadlines; /* uint64_t per buffer: when its unit is lost, ns */
    uint64_t urgent;    /* ns: from then on the host has no precedence */
};

void gc_rewrite_step(struct env* e);
bool gc_rewrites(const struct env* e); /* more units of it may come soon */
bool gc_pressed(struct env* e);        /* it is so late that the host must wait */
uint64_t gc_rewrite_at(struct env* e); /* ns: when the next superblock is due; 0 = none waits */

#endif
