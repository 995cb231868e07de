/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning with block and hybrid mapping.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_PLACED_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_PLACED_H

#include "firmware/run/precondition_write.h"

/* Units to where the scheme says; merges end.
 * Returns an enum flash_status. */
int precondition_to_places(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer);
int precondition_placed_end(struct env* e);

#endif
