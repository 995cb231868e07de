/* SPDX-License-Identifier: Apache-2.0
 *
 * What commands wait for on their way to the flash: telemetry, for the latency parts.
 */
#ifndef SSDVP_FIRMWARE_OPS_WAITS_H
#define SSDVP_FIRMWARE_OPS_WAITS_H

#include "firmware/drv/channel.h"
#include "firmware/lib/request.h"

/* Why the command of a request, or its data, were held before it. What a merge programs waited for
 * the merge. */
static inline uint8_t flash_wait_of(const struct flash_request* r)
{
    if (r->trace != FLASH_TRACE_NONE) {
        return r->level == 0 ? r->host_read.wait : (uint8_t)FE_WAIT_FIRMWARE; /* not once more */
    }
    switch (r->owner) {
    case OWNER_PROGRAM:
        return r->host_program.wait;
    case OWNER_MERGE_PROGRAM:
    case OWNER_FOLD_PROGRAM:
        return FE_WAIT_GC;
    default:
        return FE_WAIT_FIRMWARE;
    }
}

/* What those wait for that come behind it: as the channel tells such waits apart. */
static inline uint8_t flash_wait_behind(const struct flash_request* r)
{
    if (r->op == FLASH_OP_ERASE) {
        return FE_WAIT_ERASE;
    }
    switch (r->purpose) {
    case FLASH_PURPOSE_GC:
    case FLASH_PURPOSE_FOLD:
    case FLASH_PURPOSE_MERGE:
    case FLASH_PURPOSE_REFRESH:
    case FLASH_PURPOSE_WEAR:
        return FE_WAIT_GC;
    default:
        return r->op == FLASH_OP_READ ? FE_WAIT_READ : FE_WAIT_PROGRAM;
    }
}

#endif
