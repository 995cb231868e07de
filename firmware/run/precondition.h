/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning, for the image.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_H

#include "firmware/lib/env.h"

int append_units(struct hal* hal, const uint64_t* units, uint32_t count, uint64_t buffer);
int append_end(struct hal* hal);
/* With uniform overwrites (precondition_uniform.c). */
extern const struct firmware_counts append_counts;

#endif
