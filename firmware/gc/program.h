/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: programming what was read.
 */
#ifndef SSDVP_FIRMWARE_GC_PROGRAM_H
#define SSDVP_FIRMWARE_GC_PROGRAM_H

#include "firmware/gc/units.h"
#include "firmware/space/state.h"

/* Programs a write unit of claimed buffers, p->count <= w->units. */
void gc_program(struct env* e, uint32_t kind, const struct write_unit* w, const struct picks* p);
/* Programs what is ready of a kind. pausing: no more of it comes for now. */
void gc_write_ready(struct env* e, uint32_t kind, bool pausing);
void gc_program_done(struct env* e, const struct flash_result* result);

#endif
