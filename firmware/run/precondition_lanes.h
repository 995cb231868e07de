/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning where a unit's address says where it goes.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_LANES_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_LANES_H

#include "firmware/gc/gc.h"
#include "firmware/run/precondition_write.h"

/* Units of each bin that wait for others of it: the host's, then collection's. */
uint32_t* precondition_filled(struct env* e, bool collected);
/* The host's unit comes to its bin. The bin if it is full, else INDEX_NONE. */
uint32_t precondition_to_bin(struct env* e, uint64_t unit, uint64_t data);
/* Programs what there is of a bin. 0 = done. */
int precondition_write_bin(struct env* e, uint32_t bin, bool collected);
/* Units that collection found wait too, in its buffers behind those of the bins; what waits goes as
 * it is. 0 = done. */
int precondition_lanes_collected(struct env* e, const struct gc_unit* unit, uint64_t data);
int precondition_lanes_flush(struct env* e);

#endif
