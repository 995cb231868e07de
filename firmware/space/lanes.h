/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams whose planes are apart. A lane is a plane of a LUN. Where ftl.placement says where a
 * write lands, lanes fill at different speeds: each has a page pointer of its own, and a stream may
 * have a few superblocks open, the window, the oldest of which a lane fills first. Maps are not
 * placed: their stream is striped as ever.
 *
 * Space is as safe as with one superblock per stream. A stream that has room anywhere in its
 * window can place any unit: one whose lane has none strays to the lane that is the furthest
 * behind. The first superblock of a stream is opened by the rules of blocks.c; more of them only
 * while free ones are left over beside those that collection and maps may need.
 *
 * What may be placed together is one bin: with a static order the units of a lane, with channel_rr
 * those of a channel; with the others all units are of one bin.
 */
#ifndef SSDVP_FIRMWARE_SPACE_LANES_H
#define SSDVP_FIRMWARE_SPACE_LANES_H

#include "firmware/space/state.h"

/* Bins; whether there are none; whether a unit's number says its lane. */
static inline uint32_t lanes_bins(const struct env* e)
{
    return e->blocks->lanes.bins;
}
static inline bool lanes_striped(const struct env* e)
{
    return e->blocks->lanes.kind == PLACEMENT_STRIPE;
}
/* Preconditioning has no queues that tell anything: LUNs take turns. */
static inline void lanes_take_turns(struct env* e, bool turns)
{
    e->blocks->lanes.functional = turns;
}
static inline uint32_t lanes_superblocks(const struct env* e) /* that a stream may have open */
{
    return e->blocks->lanes.window;
}
/* true = it goes by operations, of reads too: with each one another LUN may be the next. */
static inline bool lanes_by_queues(const struct env* e)
{
    const uint32_t kind = e->blocks->lanes.kind;
    return kind == PLACEMENT_SHORTEST_QUEUE || kind == PLACEMENT_CHANNEL_DIE;
}
static inline bool lanes_static(const struct env* e)
{
    return e->blocks->lanes.kind == PLACEMENT_STATIC;
}

int lanes_init(struct env* e);
/* Superblocks that streams with windows may have open beyond one each. */
uint32_t lanes_reserve(const struct env* e, bool levels_wear);

/* ... of one stream. */
uint32_t lanes_window(const struct env* e);

/* true = the stream is one of these. */
bool lanes_has(const struct env* e, uint32_t stream);
/* true = units are of different bins. */
bool lanes_keyed(const struct env* e);
uint32_t lanes_bin(struct env* e, uint64_t unit);
/* The bin whose lane, or channel, an address lies in. */
uint32_t lanes_bin_at(struct env* e, uint64_t address);
/* The LUN of the part that a bin means, INDEX_NONE = more than one. */
uint32_t lanes_lun_of(struct env* e, uint32_t bin);
/* true = the plane of the bin is full, and collection is about to free a block there. */
bool lanes_waits(struct env* e, uint32_t stream, uint32_t bin);
uint16_t* lanes_counts(struct env* e);        /* zeroed, one per bin */
uint16_t* lanes_counts_of_all(struct env* e); /* ... and per lane */

/* Planes of a LUN have left the superblock. */
void lanes_retired(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask);

/* Power-up. resume: true = a stream has it again, with pages that end there. */
bool lanes_resume(struct env* e, uint32_t block, const uint16_t* ends);
bool lanes_resumed(const struct env* e,
                   uint32_t block); /* true = written does not always answer true */
bool lanes_written(struct env* e, uint32_t block, uint32_t lane, uint32_t page);
uint64_t lanes_table_bytes(const struct env* e);
void lanes_store(struct env* e, void* to);
void lanes_load(struct env* e, const void* from);

/* ---- For lanes_place.c ---- */

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

bool lanes_lun_has_room(struct env* e, uint32_t stream, uint32_t lun);

#endif
