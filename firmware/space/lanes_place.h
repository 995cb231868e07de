/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the next units of a stream with lanes go (lanes.h).
 */
#ifndef SSDVP_FIRMWARE_SPACE_LANES_PLACE_H
#define SSDVP_FIRMWARE_SPACE_LANES_PLACE_H

#include "firmware/space/lanes.h"

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

#endif
