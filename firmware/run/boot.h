/* SPDX-License-Identifier: Apache-2.0
 *
 * Start-up, and what it will need of a drive before there is one.
 */
#ifndef SSDVP_FIRMWARE_RUN_BOOT_H
#define SSDVP_FIRMWARE_RUN_BOOT_H

#include "firmware/run/fw.h"

void telemetry_begin(struct env* e);        /* before anything counts */
int boot_run(struct env* e, struct fw* fw); /* 0 = every step done; else undone in reverse */
/* 0 = all that memory can be had for; else an error was logged. */
int boot_plan(struct env* e, struct firmware_plan* plan);

#endif
