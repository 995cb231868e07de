/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: the next victim.
 */
#ifndef SSDVP_FIRMWARE_GC_VICTIM_H
#define SSDVP_FIRMWARE_GC_VICTIM_H

#include "firmware/gc/gc.h"
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

/* ---- Folding ----
 *
 * Superblocks of the SLC cache are collected like any other victim, one after the other.
 * Their units share write units of collection's stream, so that several of them fill one superblock
 * of the rest. After a power cut in between, units that were folded exist twice, and the copy with
 * the higher sequence counts, as with any that collection moved.
 *
 * A fold takes room and gives none of it back to the rest of the drive, which makes it another host
 * there: it begins only while collection keeps what it needs to go on, and garbage comes first.
 */

/* A superblock of the cache that is to be folded now, INDEX_NONE; first: true = before garbage is
 * collected, for it takes less to get one of the dynamic part back. */
uint32_t gc_fold_victim(struct env* e);
bool gc_fold_first(struct env* e);
/* A superblock outside that is collected in idle time, so that the dynamic part grows back. */
uint32_t gc_reclaim_victim(struct env* e);

#endif
