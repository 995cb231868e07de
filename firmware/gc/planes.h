/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection where each plane has its own free blocks (space/planes.h): a victim is one block, one
 * per plane at a time, and planes go on beside each other. A plane is collected while it has fewer
 * free blocks than its mark, in the background: pages are read while its LUN has nothing else to
 * do. Once the host would have to wait for a block there, collection takes turns with whatever else
 * the LUN has.
 */
#ifndef SSDVP_FIRMWARE_GC_PLANES_H
#define SSDVP_FIRMWARE_GC_PLANES_H

#include <stdbool.h>

#include "firmware/gc/state.h"

int gc_planes_init(struct env* e);
void gc_planes_step(struct env* e);
/* Units beyond those that preconditioning borrows. */
uint32_t gc_planes_units(const struct env* e);

#endif
