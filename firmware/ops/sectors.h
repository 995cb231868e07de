/* SPDX-License-Identifier: Apache-2.0
 *
 * Data of sectors in buffers of the flash, as the data mode keeps them.
 */
#ifndef SSDVP_FIRMWARE_OPS_SECTORS_H
#define SSDVP_FIRMWARE_OPS_SECTORS_H

#include "firmware/lib/env.h"

/* Those of a mask, bit n = the n-th one behind the addresses. */
void sectors_copy(struct env* e, uint64_t to, uint64_t from, uint64_t mask);
void sectors_zero(struct env* e, uint64_t to, uint64_t mask);

#endif
