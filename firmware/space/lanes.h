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

struct lanes_setup {
    uint32_t kind, order, window, dies_per_chip;
};

/* Where units of a bin go next. by_plane: units of the LUN's other lanes may come along, each to
 * the plane that is its own; else `bin` alone takes the planes one after the other. */
struct lane_target {
    uint32_t bin;
    uint32_t lun;    /* where planes have blocks of their own (planes.h): the lane */
    uint32_t planes; /* that take a page in the same superblock at the same page number */
    uint32_t first;  /* the plane that was asked for */
    uint32_t by_plane;
    uint32_t strays; /* 1 = it is not the lane, or channel, of the bin */
};

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
static inline bool lanes_static(const struct env* e)
{
    return e->blocks->lanes.kind == PLACEMENT_STATIC;
}

int lanes_init(struct env* e, const struct lanes_setup* setup);
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

/* true = there is a target. It opens a superblock when one is due. */
bool lanes_target(struct env* e, uint32_t stream, uint32_t bin, struct lane_target* out);
/* A bin of the same LUN, INDEX_NONE = none: of the planes that are the furthest behind, all of
 * which have units for a page (counts). Who writes no others keeps planes together, so that they
 * can be programmed at once. */
uint32_t lanes_ripe(struct env* e, uint32_t stream, uint32_t bin, const uint16_t* counts);
/* The plane of the target that a unit of the bin goes to; filled: units that each has. INDEX_NONE
 * = none. */
uint32_t lanes_plane(struct env* e, const struct lane_target* t, uint32_t bin,
                     const uint8_t* filled);

/* As in blocks.h, of a stream with lanes. */
uint32_t lanes_next_units(struct env* e, uint32_t stream);
uint32_t lanes_room(struct env* e, uint32_t stream);
bool lanes_place(struct env* e, uint32_t stream, uint32_t wanted, struct write_unit* out);
uint32_t lanes_next_planes(struct env* e, uint32_t stream, uint32_t lun, uint32_t first);
bool lanes_place_on(struct env* e, uint32_t stream, uint32_t lun, uint32_t planes,
                    struct write_unit* out);
/* Planes of a LUN have left the superblock. */
void lanes_retired(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask);

/* Power-up (lanes_boot.c). resume: true = a stream has it again, with pages that end there. */
bool lanes_resume(struct env* e, uint32_t block, const uint16_t* ends);
bool lanes_resumed(const struct env* e,
                   uint32_t block); /* true = written does not always answer true */
bool lanes_written(struct env* e, uint32_t block, uint32_t lane, uint32_t page);
uint64_t lanes_table_bytes(const struct env* e);
void lanes_store(struct env* e, void* to);
void lanes_load(struct env* e, const void* from);

#endif
