/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of the parts: which of them a round has (lib/run.h has the table of parts).
 */
#ifndef SSDVP_FIRMWARE_RUN_STEPS_H
#define SSDVP_FIRMWARE_RUN_STEPS_H

#include <stdbool.h>

#include "firmware/lib/env.h"

/* The first round does all of them. */
void steps_start(struct env* e);
/* Those that are due, in a round that took in what the lines say. Returns true when work is left
 * that no interrupt will announce. */
bool steps_round(struct env* e, uint64_t lines);

#endif
