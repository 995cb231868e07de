/* SPDX-License-Identifier: Apache-2.0
 *
 * Retention: what is due is written again (rewrite.c).
 */
#ifndef SSDVP_FIRMWARE_GC_REWRITE_H
#define SSDVP_FIRMWARE_GC_REWRITE_H

#include <stdbool.h>

#include "firmware/lib/env.h"

void gc_rewrite_step(struct env* e);
bool gc_rewrites(const struct env* e); /* more units of it may come soon */
bool gc_pressed(struct env* e);        /* it is so late that the host must wait */
uint64_t gc_rewrite_at(struct env* e); /* ns: when the next superblock is due; 0 = none waits */

#endif
