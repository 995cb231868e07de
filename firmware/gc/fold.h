/* SPDX-License-Identifier: Apache-2.0
 *
 * Folding: superblocks of the SLC cache are collected like any other victim, one after the other.
 * Their units share write units of collection's stream, so that several of them fill one superblock
 * of the rest. After a power cut in between, units that were folded exist twice, and the copy with
 * the higher sequence counts, as with any that collection moved.
 *
 * A fold takes room and gives none of it back to the rest of the drive, which makes it another host
 * there: it begins only while collection keeps what it needs to go on, and garbage comes first.
 */
#ifndef SSDVP_FIRMWARE_GC_FOLD_H
#define SSDVP_FIRMWARE_GC_FOLD_H

#include "firmware/gc/gc.h"

/* A superblock of the cache that is to be folded now, INDEX_NONE; first: true = before garbage is
 * collected, for it takes less to get one of the dynamic part back. */
uint32_t gc_fold_victim(struct env* e);
bool gc_fold_first(struct env* e);
/* A superblock outside that is collected in idle time, so that the dynamic part grows back. */
uint32_t gc_reclaim_victim(struct env* e);

#endif
