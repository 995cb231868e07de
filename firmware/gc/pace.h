/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: how much effort, at which marks, and how fast (pace.c).
 */
#ifndef SSDVP_FIRMWARE_GC_PACE_H
#define SSDVP_FIRMWARE_GC_PACE_H

#include "firmware/gc/gc.h"

/* After the bad-block scan; least: as if no mark had been asked for. */
void gc_set_marks(struct env* e);
void gc_set_marks_least(struct env* e);

/* The host writes its units; has changed so many units; collection is tried once more, for somebody
 * waits (true = it may bring something); the host must wait for it. */
void gc_host_wrote(struct env* e, uint32_t block, uint32_t units);
void gc_stirred(struct env* e, uint64_t units);
bool gc_rouse(struct env* e);
bool gc_behind(struct env* e);
/* Without simulated time (run/precondition.c): there is no idle time for collection; it owes units
 * for what the host has written; the host waits for it. */
void gc_host_never_rests(struct env* e, bool busy);
bool gc_owes(const struct env* e);
void gc_host_waits(struct env* e);
/* Free superblocks that the host must leave to collection: none while the victim's units fit
 * into the superblock that collection has open. */
uint32_t gc_reserve(struct env* e);
void gc_pace_init(struct env* e); /* behind placement: of where units may go */

/* For the parts of this folder. Units of a victim are on their way, or are not after all; whether
 * collection may read more. */
void gc_moves(struct env* e, uint32_t units);
void gc_moves_back(struct env* e, uint32_t units);
bool gc_due(struct env* e);
void gc_heeds_host(struct env* e); /* from now on: it may want the room in the map (pace.c) */
/* true = collection has gained room, or may yet; the mark of free superblocks that is worth trying;
 * true = so many units fit into the superblock that collection has open. */
bool gc_thrives(const struct env* e);
uint32_t gc_mark(const struct env* e, uint32_t mark);
bool gc_fits(struct env* e, uint64_t units);
/* The rest of the drive wants back what has turned to the SLC cache. */
bool gc_cache_gives_way(const struct env* e);

#endif
