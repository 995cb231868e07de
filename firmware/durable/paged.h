/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay where level 1 is framed.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_PAGED_H
#define SSDVP_FIRMWARE_DURABLE_PAGED_H

#include "firmware/durable/window.h"

/* Applies the window in memory, or with units = 0 the trims behind the last one. end: only the
 * frames of service are left. */
void replay_paged_begin(struct env* e);
int replay_paged(struct env* e, struct trims* trims, bool units);
int replay_paged_end(struct env* e);
/* Commits one segment more of what was applied. -1 = power goes. */
int replay_paged_shorten(struct env* e);

/* For derived pages (replay.h). Touched pages are all that the window and the trims tell of; 1 =
 * the table holds all of the window, and the pages of level 1 alone are framed: they can be
 * derived; 1 = map pages wait for room, and nothing is under way that would give it. */
void replay_paged_touch(struct env* e);
bool replay_derivable(const struct env* e);
bool replay_starves(struct env* e);

/* What the window and the trims of this power-up say of map pages that have come in; of one that is
 * derived (maps_frames.h). */
void paged_apply(struct env* e, uint64_t from, uint64_t to);
void paged_derive(struct env* e, uint64_t page);

#endif
