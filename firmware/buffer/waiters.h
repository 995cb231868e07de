/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that wait until what they wrote to the buffer is programmed.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_WAITERS_H
#define SSDVP_FIRMWARE_BUFFER_WAITERS_H

#include "firmware/lib/env.h"
#include <stdbool.h>

/* The command completes only when the slot's unit is programmed. node < nodes_each. */
void cache_wait_for(struct env* e, uint32_t slot, uint32_t command, uint32_t node);
/* While a command still asks for slots it is held, so that it is reported done only once. */
void cache_hold(struct env* e, uint32_t command);
void cache_unhold(struct env* e, uint32_t command);

/* One that waits no more. */
struct cache_done {
    uint32_t command;   /* INDEX_NONE = there is none */
    uint32_t operation; /* of the flash that it waited for last, + 1; 0 = another end */
    bool failed;        /* true = it wrote to a unit that was lost meanwhile */
};
struct cache_done cache_next_done(struct env* e);
void cache_forget_waiters(struct env* e);

/* For the buffer: the unit of a slot is programmed, or gone. */
void cache_end_waiters(struct env* e, uint32_t slot, int failed);
/* ... gone: a dirty slot, with its data. */
void cache_discard(struct env* e, uint32_t slot);

#endif
