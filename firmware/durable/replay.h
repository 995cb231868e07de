/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay: the window and the trims become the map.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_REPLAY_H
#define SSDVP_FIRMWARE_DURABLE_REPLAY_H

#include <stdbool.h>

#include "firmware/durable/window.h"
#include "firmware/lib/env.h"

/* Applies all that the scan found. -1 = the drive may not serve, or power goes. */
int replay_all(struct env* e);
/* Waits until a page is there or on its way. false = power goes. */
bool replay_ask(struct env* e, uint32_t level, uint64_t page);

/* There was no room for the map pages that changed: they are derived, and nothing is written before
 * the drive serves. false = not so, or the window is too large. */
bool replay_derive(struct env* e);
void derived_step(struct env* e); /* what becomes of them */

#endif
