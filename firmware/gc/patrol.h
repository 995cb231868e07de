/* SPDX-License-Identifier: Apache-2.0
 *
 * Patrol: reads a page of each full block once per interval. It runs while the
 * controller is enabled and not shut down.
 */
#ifndef SSDVP_FIRMWARE_GC_PATROL_H
#define SSDVP_FIRMWARE_GC_PATROL_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/ops/flash.h"

void gc_patrol_init(struct env* e);
bool gc_patrols(const struct env* e); /* it may be on */
void gc_patrol_run(struct env* e, int on);
/* timer = its line was pending; returns ns until the timer should raise it, 0 = leave it as it is.
 */
uint32_t gc_patrol_step(struct env* e, bool timer);
/* Where others share the timer: does what is due, and returns when the next is, 0 = nothing. */
uint64_t gc_patrol_at(struct env* e, uint64_t now_ns);
uint32_t gc_patrol_due(const struct env* e); /* superblocks to look at now */
void gc_patrol_done(struct env* e, const struct flash_result* result);

/* ---- Retention: what is due is written again ---- */

void gc_rewrite_step(struct env* e);
bool gc_rewrites(const struct env* e); /* more units of it may come soon */
bool gc_pressed(struct env* e);        /* it is so late that the host must wait */
uint64_t gc_rewrite_at(struct env* e); /* ns: when the next superblock is due; 0 = none waits */

#endif
