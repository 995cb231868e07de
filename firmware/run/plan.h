/* SPDX-License-Identifier: Apache-2.0
 *
 * What the firmware needs of a drive, before there is one.
 */
#ifndef SSDVP_FIRMWARE_RUN_PLAN_H
#define SSDVP_FIRMWARE_RUN_PLAN_H

#include "firmware/run/fw.h"

/* 0 = all that memory can be had for; else an error was logged. */
int boot_plan(struct env* e, struct fw* fw, struct firmware_plan* plan);

#endif
