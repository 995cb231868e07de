/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning with uniform overwrites, for the image.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_UNIFORM_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_UNIFORM_H

#include "firmware/lib/env.h"

extern const struct firmware_counts append_counts;

#endif
