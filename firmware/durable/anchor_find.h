/* SPDX-License-Identifier: Apache-2.0
 *
 * The newest record of the anchor, at power-up.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_ANCHOR_FIND_H
#define SSDVP_FIRMWARE_DURABLE_ANCHOR_FIND_H

#include "firmware/durable/anchor.h"

/* Reads the newest record and its tables; 1 = found, 0 = there never was one, -1 = it is not
 * readable or not ours. */
int anchor_find(struct env* e, struct anchor_record* out);

#endif
