/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether new commands are taken.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_DOOR_H
#define SSDVP_FIRMWARE_HOST_CORE_DOOR_H

#include <stdbool.h>

#include "firmware/lib/env.h"

/* Why they are not: the drive is too hot, has drawn too much, or sleeps. */
enum { CLOSED_HEAT = 1, CLOSED_LIMIT = 2, CLOSED_POWER = 4 };

void hil_close(struct env* e, uint32_t why, bool on);
/* Commands may wait that are not taken: a drive that sleeps gets up. */
void hil_look_at_door(struct env* e);

#endif
