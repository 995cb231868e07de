/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay where entries are cached without their pages.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_KEPT_H
#define SSDVP_FIRMWARE_DURABLE_KEPT_H

#include "firmware/durable/replay.h"

/* The cache keeps all that the window and the trims tell. false = it cannot, and has nothing of
 * it. */
bool replay_kept(struct env* e, struct trims trims);

#endif
