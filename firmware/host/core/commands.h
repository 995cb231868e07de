/* SPDX-License-Identifier: Apache-2.0
 *
 * What commands of each kind do when what they wait for is there: the one place that knows all of
 * them.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_COMMANDS_H
#define SSDVP_FIRMWARE_HOST_CORE_COMMANDS_H

#include <stdbool.h>

#include "firmware/buffer/cache.h"
#include "firmware/host/core/command.h"

extern const struct command_table host_commands;

struct cache_done;

/* A move has ended: releases what it held on to. */
void commands_moved(struct env* e, uint32_t tag, bool failed);
/* What had to be on the flash before a command ends or goes on is there. */
void commands_programmed(struct env* e, const struct cache_done* d);
/* Those that wait for the drive's state to be on the flash. */
void commands_saved(struct env* e);
/* Whatever waits may go on, as far as there is room for it. */
void commands_retry(struct env* e);

#endif
