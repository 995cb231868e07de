/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: the next victim.
 */
#ifndef SSDVP_FIRMWARE_GC_VICTIM_H
#define SSDVP_FIRMWARE_GC_VICTIM_H

#include "firmware/gc/state.h"

/* A superblock that is to be collected for its garbage, for wear levelling, because its data have
 * to move. INDEX_NONE = none is wanted, worth it or known. */
uint32_t gc_garbage_victim(struct env* e);
uint32_t gc_wear_victim(struct env* e);
uint32_t gc_refresh_victim(struct env* e);
/* true = it holds logical blocks, and merges will empty it. */
bool gc_moves_itself(struct env* e, uint32_t block);
/* A page was read for the patrol, or to tell what is valid. */
void gc_scan_done(struct env* e, const struct flash_result* result);

#endif
