/* SPDX-License-Identifier: Apache-2.0
 *
 * How preconditioning makes room.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_COLLECT_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_COLLECT_H

#include "firmware/run/precondition_write.h"

/* Units of the host's next write unit, with room made for them; 0 = no space. */
uint32_t precondition_next_units(struct env* e);

/* Of a load: collection does what it owes for it, and in idle time what it wants. */
void precondition_pay(struct env* e);

/* Every block that waits for it is erased. */
void precondition_erase(struct env* e);
/* Collects superblocks until the high mark. -1 = nothing can be freed. */
int precondition_collect(struct env* e);
/* The same of each plane that is below its mark. */
int precondition_collect_planes(struct env* e);

/* The log of hybrid mapping is merged, until there is room in it, and none is at work. false =
 * merges find no block any more. */
bool precondition_empty_log(struct env* e);

#endif
