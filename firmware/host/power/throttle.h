/* SPDX-License-Identifier: Apache-2.0
 *
 * The policy of throttling: at which temperature the drive does how much less, and how.
 */
#ifndef SSDVP_FIRMWARE_HOST_POWER_THROTTLE_H
#define SSDVP_FIRMWARE_HOST_POWER_THROTTLE_H

#include "firmware/host/power/heat.h"

/* What a temperature asks for, at the level that goes on. */
uint32_t throttle_level(const struct heat_setup* s, uint32_t temperature, uint32_t level);
/* Where that would change: the next limit above, and the one that ends the level. 0 = none. */
uint32_t throttle_above(const struct heat_setup* s, uint32_t level);
uint32_t throttle_below(const struct heat_setup* s, uint32_t level);
void throttle_apply(struct env* e, uint32_t level);
/* What the levels of heat and of the power state ask for, whichever is more. */
void throttle_act(struct env* e);

#endif
