/* SPDX-License-Identifier: Apache-2.0
 *
 * Volatile buffers of M1 and M2 (Min et al., 2011, figure 6): pages of a framed level stay in their
 * frames until room is needed. The policy names the page that leaves. A page that differs from the
 * flash leaves as a copy on its way there (maps_program.c), so its frame is free at once.
 *
 * Pages that somebody holds do not leave, nor does one that was fetched for somebody who has not
 * come back yet.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_BUFFER_H
#define SSDVP_FIRMWARE_MAP_MAPS_BUFFER_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/lib/list.h"
#include "models/regs/choices/map_policy.h"

struct map_buffered { /* of a frame */
    uint16_t pins;
    bool wanted; /* true = fetched for somebody who will come back */
    bool listed; /* true = in the order below: its page is there */
};

struct map_buffer {
    uint64_t table;     /* struct map_buffered per frame */
    uint64_t links;     /* struct link per frame */
    struct chain order; /* of frames: the first leaves next */
    uint32_t stays;     /* 1 = pages stay; 0 = they pass through */
    uint32_t policy;    /* enum map_policy_id */
    uint32_t refused;   /* times in a row that only pages which are waited for could have left */
    uint32_t pressed;   /* 1 = a page that is to leave has to wait for its copy's place */
    uint32_t bound;     /* frames whose page is held, or differs from the flash */
};

/* After maps_init, of a framed level; 0 = done. */
int maps_buffer_init(struct env* e, uint32_t level, uint32_t policy);

/* A page came into its frame. Frees the frame of one that leaves, 0 = none can now. */
void maps_buffer_enter(struct env* e, uint32_t level, uint64_t page);
bool maps_buffer_evict(struct env* e, uint32_t level);

/* The page for somebody: true = it is there, and was used; false = ask again. */
bool maps_buffer_use(struct env* e, uint32_t level, uint64_t page);
/* true = it may be held, and come to differ from the flash; false = another one has to be written
 * first. Asked before it is used: it must not come in in vain. */
bool maps_buffer_may_hold(struct env* e, uint32_t level, uint64_t page);
/* It stays until it is let go as often as it was held. */
void maps_buffer_hold(struct env* e, uint32_t level, uint64_t page);
void maps_buffer_release(struct env* e, uint32_t level, uint64_t page);
bool maps_buffer_held(struct env* e, uint32_t level, uint64_t page);

#endif
