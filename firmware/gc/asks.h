/* SPDX-License-Identifier: Apache-2.0
 *
 * What collection asks of the buffer and of recovery, which are above it. Each env has the table
 * (run/fw.c).
 */
#ifndef SSDVP_FIRMWARE_GC_ASKS_H
#define SSDVP_FIRMWARE_GC_ASKS_H

#include <stdbool.h>

#include "firmware/lib/env.h"

struct gc_asks {
    /* true = a program of the host's data of the unit is under way. */
    bool (*programs)(struct env* e, uint64_t unit);
    /* true = the host's data are all on the flash, or on their way. */
    bool (*at_rest)(const struct env* e);
    /* true = who waits for a checkpoint waits in vain (durable/state.h). */
    bool (*in_vain)(const struct env* e);
};

#endif
