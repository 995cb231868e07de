/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of start-up: a boot runs all of them, a plan those that take memory.
 */
#ifndef SSDVP_FIRMWARE_RUN_BOOT_H
#define SSDVP_FIRMWARE_RUN_BOOT_H

#include "firmware/durable/anchor.h"
#include "firmware/run/fw.h"
#include "firmware/space/reserve.h"

struct boot_step {
    const char* name;
    int (*action)(struct env* e, struct fw* fw); /* 0 = done */
    void (*undo)(struct env* e);                 /* NULL = nothing is to be undone */
};

extern const struct boot_step boot_steps[];

/* SRAM that lies at fixed places. */
#define BOOT_STATE_END ((BOOT_FREE_OFFSET + sizeof(struct fw) + 63u) & ~UINT64_C(63))

int boot_memory(struct env* e, struct fw* fw);   /* the step that makes the arenas */
int boot_blocks(struct env* e, struct fw* fw);   /* ... that counts what is open */
int boot_features(struct env* e, struct fw* fw); /* the first one that needs a drive */

/* Units in blocks of the anchor and of segments, which belong to no superblock. */
static inline uint64_t boot_hidden_units(const struct env* e)
{
    const struct geometry* g = e->geo;
    return (anchor_blocks(e) + segments_blocks(e)) * g->pages * g->page_units;
}

static inline struct gc_setup boot_marks(const struct boot_params* p)
{
    const struct gc_setup marks = {.policy = p->gc_policy,
                                   .low_permille = p->gc_low_permille,
                                   .high_permille = p->gc_high_permille,
                                   .wear_delta = p->wear_static_delta,
                                   .carry_most = p->copyback_bits,
                                   .watch_permille = p->gc_invalid_permille,
                                   .patrol_us = p->patrol_us};
    return marks;
}

int boot_run(struct env* e, struct fw* fw); /* 0 = every step done; else undone in reverse */
void telemetry_begin(struct env* e);        /* before anything counts */

#endif
