/* SPDX-License-Identifier: Apache-2.0
 *
 * A word line that nobody fills up would hold its data for ever (passes.h). When somebody waits and
 * nothing else is under way, it is filled up with padding, and so is the next one, which the fine
 * pass needs.
 */
#ifndef SSDVP_FIRMWARE_OPS_PADDING_H
#define SSDVP_FIRMWARE_OPS_PADDING_H

#include "firmware/lib/env.h"

/* Fills up all word lines with data of an owner, OWNERS = of any. */
void padding_fill(struct env* e, uint32_t owner);
/* All of them, when nothing else is under way (passes_alone). true = something is now. */
bool padding_rescue(struct env* e);

#endif
