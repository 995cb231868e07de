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
/* All of them have a turn after an interrupt that is rare. */
static inline void steps_rare(struct env* e, uint64_t lines)
{
    if ((lines & e->run->rare) != 0) {
        run_due(e, DUE_STEPS);
    }
}
/* Those that are due, in a round that took in what the lines say. Returns true when work is left
 * that no interrupt will announce. Builds of tests look after those that are not due as well. */
bool steps_turns(struct env* e, uint64_t lines);
static inline bool steps_round(struct env* e, uint64_t lines)
{
#ifndef SSDVP_FW_POISON
    if (!run_has_work(e)) {
        controller_look_late(e);
        return run_has_work(e);
    }
#endif
    return steps_turns(e, lines);
}

#endif
