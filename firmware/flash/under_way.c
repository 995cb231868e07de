/* SPDX-License-Identifier: Apache-2.0
 *
 * What is under way in the flash.
 */
#include "firmware/flash/flash.h"

_Static_assert(sizeof(struct flash_request) == 72, "a drive has thousands of them in its memory");

uint32_t flash_in_flight(struct env* e)
{
    FW_ASSERT(e, e->flash->in_flight <= e->flash->total);
    return e->flash->in_flight;
}

uint64_t flash_settled(struct env* e)
{
    uint64_t oldest = e->flash->sequence + 1;
    for (uint32_t i = e->flash->reads; i < e->flash->total; ++i) {
        const uint64_t sequence = flash_request_of(e, e->flash, i)->sequence;
        oldest = sequence != 0 && sequence < oldest ? sequence : oldest;
    }
    FW_ASSERT(e, oldest != 0);
    return oldest - 1;
}
