/* SPDX-License-Identifier: Apache-2.0
 *
 * Placement: the order of a static one as a pure function. A page of the logical space has its
 * channel, way (chip of the channel), die and plane by its number. An order is a permutation of
 * these four: its first letter varies fastest, so that page n has the coordinate n % count of it,
 * and what is left, n / count, goes on to the next letter.
 */
#ifndef SSDVP_FIRMWARE_SPACE_PLACEMENT_H
#define SSDVP_FIRMWARE_SPACE_PLACEMENT_H

#include <stdint.h>

#include "models/regs/choices/placement.h"

enum placement_level {
    PLACE_CHANNEL = 0,
    PLACE_WAY = 1,
    PLACE_DIE = 2,
    PLACE_PLANE = 3,
    PLACE_LEVELS = 4
};

struct placement_shape {
    uint32_t count[PLACE_LEVELS]; /* channels, ways of one, dies of a way, planes of a die */
};

struct placement_spot {
    uint32_t at[PLACE_LEVELS];
};

struct placement_spot placement_of(const struct placement_shape* shape, uint32_t order,
                                   uint64_t lpn);
/* Plane of the drive: LUN in stripe order * planes + plane. */
uint32_t placement_lane(const struct placement_shape* shape, const struct placement_spot* spot);
#endif
