/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of dirty slots.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_PROGRAM_H
#define SSDVP_FIRMWARE_BUFFER_PROGRAM_H

#include "firmware/ops/flash.h"
#include "firmware/space/state.h"

struct gather { /* of a write unit, in its order; INDEX_NONE = padding */
    uint32_t slot[GROUP_MAX];
    uint32_t count;
    uint32_t room;
    uint32_t stream; /* of the host, all of it: 0 = those without a directive */
    int shallow;     /* how they are programmed */
    int mixed;       /* 1 = those that could be shallow take others along, and are deep */
};

/* Submits a write unit of eligible slots. */
void cache_start_program(struct env* e, const struct gather* g, const struct write_unit* w);
void cache_program_done(struct env* e, const struct flash_result* result);
/* The unit of a slot is on the flash, and its owner knows. */
void cache_programmed(struct env* e, uint32_t slot, int lost);
void cache_program_failed(struct env* e, uint32_t slot); /* it goes elsewhere */

#endif
