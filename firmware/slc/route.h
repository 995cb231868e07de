/* SPDX-License-Identifier: Apache-2.0
 *
 * Which units of the host go to the SLC cache, and which past it.
 */
#ifndef SSDVP_FIRMWARE_SLC_ROUTE_H
#define SSDVP_FIRMWARE_SLC_ROUTE_H

#include "firmware/lib/env.h"

/* Stream of the next write unit, of which no directive speaks. */
uint32_t slc_route(struct env* e);
/* Units of the host are programmed into a superblock. */
void slc_wrote(struct env* e, uint32_t block, uint32_t units);

#endif
