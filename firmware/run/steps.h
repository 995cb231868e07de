/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of the parts: which of them a round has (lib/run.h has the table of parts).
 */
#ifndef SSDVP_FIRMWARE_RUN_STEPS_H
#define SSDVP_FIRMWARE_RUN_STEPS_H

#include <stdbool.h>

#include "firmware/host/core/controller.h"
#include "firmware/lib/run.h"

/* The first round does all of them. */
void steps_start(struct env* e);
/* Those that are due, in a round that took in what the lines say. Returns true when work is left
 * that no interrupt will announce. Builds of tests look after those that are not due as well. */
bool steps_turns(struct env* e, uint64_t lines);
static inline bool steps_round(struct env* e, uint64_t lines)
{
    if ((lines & e->run->rare) != 0) {
        run_due(e, DUE_STEPS);
    }
#ifndef SSDVP_FW_POISON
    if ((e->run->due | e->run->left) == 0) {
        controller_look_late(e);
        return run_is_due(e, DUE_STEPS);
    }
#endif
    return steps_turns(e, lines);
}

#endif
