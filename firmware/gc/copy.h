/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: copyback (copy.c).
 */
#ifndef SSDVP_FIRMWARE_GC_COPY_H
#define SSDVP_FIRMWARE_GC_COPY_H

#include "firmware/gc/state.h"

/* Planes of the group that the page at an address can move with inside its LUN, that page's the
 * lowest, 0 = it cannot; begins that, false = it has to wait; reads one page of those that were
 * refused. */
uint32_t gc_copyable(struct env* e, uint64_t address);
bool gc_copy(struct env* e, uint64_t address, uint32_t planes);
void gc_read_refused(struct env* e);
void gc_copy_done(struct env* e, const struct flash_result* result);

#endif
