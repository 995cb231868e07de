/* SPDX-License-Identifier: Apache-2.0
 *
 * Room of the SLC cache: how much of it is free, whether the drive is idle enough to make more, and
 * the dynamic part, which is as large as what is free outside allows. `mark`: free superblocks at
 * which collection stops.
 */
#ifndef SSDVP_FIRMWARE_SLC_ROOM_H
#define SSDVP_FIRMWARE_SLC_ROOM_H

#include <stdbool.h>

#include "firmware/lib/env.h"

enum { PERMILLE = 1000 };

/* true = less than that share of the cache is free, or will be soon. */
bool slc_below(const struct env* e, uint32_t permille);
/* true = the host's next unit has room in it, or will have soon. */
bool slc_room(struct env* e);
/* true = the host has had no command for the idle time; for so long that nothing stays open. */
bool slc_rests(const struct env* e);
bool slc_sleeps(const struct env* e);
/* Main loop: when the drive is idle, or nothing stays open; 0 = no timer is needed for that. */
uint64_t slc_rest(const struct env* e, uint64_t now_ns);

/* Superblocks turn between the dynamic part and the rest of the drive, as free ones are many or
 * few. true = the rest wants back what has turned. */
void slc_adapt(struct env* e, uint32_t mark);
bool slc_wanted_back(const struct env* e, uint32_t mark);
/* The full one that was filled first, INDEX_NONE: so each takes its turn, and the cache wears
 * evenly. What is open of it is full now, if nothing of it is under way. */
uint32_t slc_oldest(struct env* e, uint32_t mark);
void slc_close(struct env* e);

#endif
