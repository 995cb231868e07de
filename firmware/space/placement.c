/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/placement.h"

struct placement_spot placement_of(const struct placement_shape* shape, uint32_t order,
                                   uint64_t lpn)
{
    struct placement_spot spot = {{0, 0, 0, 0}};
    uint64_t rest = lpn;
    for (uint32_t n = 0; n < PLACE_LEVELS; ++n) {
        const uint32_t level = PLACEMENT_LETTER(order, n);
        spot.at[level] = (uint32_t)(rest % shape->count[level]);
        rest /= shape->count[level];
    }
    return spot;
}

uint32_t placement_lane(const struct placement_shape* shape, const struct placement_spot* spot)
{
    const uint32_t chip = spot->at[PLACE_WAY] * shape->count[PLACE_DIE] + spot->at[PLACE_DIE];
    const uint32_t lun = chip * shape->count[PLACE_CHANNEL] + spot->at[PLACE_CHANNEL];
    return lun * shape->count[PLACE_PLANE] + spot->at[PLACE_PLANE];
}
