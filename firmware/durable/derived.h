/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay without room for the map pages that it changes: they are derived.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_DERIVED_H
#define SSDVP_FIRMWARE_DURABLE_DERIVED_H

#include <stdbool.h>

#include "firmware/lib/env.h"

/* There was no room for what changed: nothing is written before the drive serves. false = not so,
 * or the window is too large. */
bool replay_derive(struct env* e);
void derived_step(struct env* e); /* what becomes of them */

#endif
