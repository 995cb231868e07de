/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of the host that go to the flash as one operation: whole pages with the same number on
 * several planes of a LUN, which the array reads in the time of one. They are requests of their own
 * before and after, each with its page buffer.
 */
#ifndef SSDVP_FIRMWARE_OPS_JOINED_H
#define SSDVP_FIRMWARE_OPS_JOINED_H

#include "firmware/ops/flash.h"

/* Where their address lists lie. 0 = done, -1 = the arena is used up. */
int flash_joined_init(struct env* e);

/* A read that is about to be described for LUN `index` of the channel. true = it goes with the one
 * before it, which no doorbell has told of. */
bool flash_join(struct env* e, uint32_t request, uint32_t channel, uint32_t index);

/* Of a completion what concerns one of its reads, the first of which is its tag. Returns the next
 * one, or INDEX_NONE. */
uint32_t flash_part(struct env* e, const struct flash_completion* whole, uint32_t request,
                    struct flash_completion* part);

#endif
