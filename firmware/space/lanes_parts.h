/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of lanes share, and nobody else uses.
 */
#ifndef SSDVP_FIRMWARE_SPACE_LANES_PARTS_H
#define SSDVP_FIRMWARE_SPACE_LANES_PARTS_H

#include <stdbool.h>

#include "firmware/space/lanes.h"

struct lane_block* lanes_block(struct env* e, uint32_t stream, uint32_t n);
uint16_t* lanes_next(struct env* e, uint32_t stream, uint32_t n);
uint16_t* lanes_words(struct env* e, uint64_t table); /* one of the tables by lane or bin */

/* Superblocks of a stream: one more may be opened, is opened; one without room leaves the window,
 * and those behind it are the older ones then. */
bool lanes_can_open(struct env* e, uint32_t stream);
void lanes_open(struct env* e, uint32_t stream);
void lanes_close(struct env* e, uint32_t stream, uint32_t n);
/* The oldest superblock of the window that the lane has room in, INDEX_NONE. entry: another one is
 * opened if there is none. */
uint32_t lanes_found(struct env* e, uint32_t stream, uint32_t lane);
uint32_t lanes_entry(struct env* e, uint32_t stream, uint32_t lane);

/* A LUN for the next write unit (lanes_pick.c): where the kind looks at what is queued, or takes
 * turns. INDEX_NONE = none of the channel, or of any with INDEX_NONE, has room. */
uint32_t lanes_pick(struct env* e, uint32_t stream, uint32_t channel);
void lanes_picked(struct env* e, uint32_t lun); /* it was taken: the next turn */
bool lanes_lun_has_room(struct env* e, uint32_t stream, uint32_t lun);

#endif
