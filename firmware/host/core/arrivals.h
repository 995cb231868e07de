/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes: commands of the host and completions of moves, as the front end's rings have them, or
 * as a host role on a core of its own passes them on.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_ARRIVALS_H
#define SSDVP_FIRMWARE_HOST_CORE_ARRIVALS_H

#include <stdbool.h>

#include "firmware/lib/env.h"

void arrivals_done(struct env* e);
/* They begin. kept_out: those that are there came while the drive took none. */
void arrivals_commands(struct env* e, bool kept_out);
/* There are none, or the drive takes none, or takes them again. Returns whether the rings had
 * anything. */
bool arrivals_else(struct env* e);
void arrivals_passed(struct env* e);

#endif
