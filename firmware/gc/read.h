/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: reading a victim.
 */
#ifndef SSDVP_FIRMWARE_GC_READ_H
#define SSDVP_FIRMWARE_GC_READ_H

#include "firmware/gc/state.h"

/* Reads the valid units of a page of the victim; of a plane's victim; of a page that is due, of no
 * victim: the units are lost at that time. */
void gc_read_page(struct env* e, uint64_t address, uint32_t valid);
void gc_read_in_plane(struct env* e, uint64_t address, uint32_t valid);
void gc_read_retained(struct env* e, uint64_t address, uint32_t valid, uint64_t deadline);
void gc_read_done(struct env* e, const struct flash_result* result);
/* Map pages and journal units that were read leave their place by being written again. */
void gc_relocate_step(struct env* e);

#endif
