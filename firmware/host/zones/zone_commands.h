/* SPDX-License-Identifier: Apache-2.0
 *
 * Zone Management Send and Receive.
 */
#ifndef SSDVP_FIRMWARE_HOST_ZONES_ZONE_COMMANDS_H
#define SSDVP_FIRMWARE_HOST_ZONES_ZONE_COMMANDS_H

#include <stdbool.h>

#include "firmware/host/core/hil.h"

void zone_send(struct env* e, uint32_t slot);
void zone_receive(struct env* e, uint32_t slot);
bool zone_wipe(struct env* e, uint32_t slot);   /* of a reset; true = its turn is over */
bool zone_saved(struct env* e, uint32_t slot);  /* true = the command goes on */
void zone_report(struct env* e, uint32_t slot); /* as far as there are buffers */

#endif
