/* SPDX-License-Identifier: Apache-2.0
 *
 * What the boot parameters say.
 */
#ifndef SSDVP_FIRMWARE_RUN_PARAMETERS_H
#define SSDVP_FIRMWARE_RUN_PARAMETERS_H

#include "firmware/run/fw.h"

/* Says why the drive cannot be as it is to be: -1. */
int boot_refuse(struct env* e, const char* what, uint64_t a, uint64_t b);
int boot_parameters(struct env* e, const struct boot_params* p); /* the first step of start-up */

#endif
