/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: how many slots there are.
 */
#include "firmware/buffer/size.h"

uint32_t cache_writers(const struct env* e)
{
    FW_ASSERT(e, e->geo->part.luns != 0);
    return geometry_planes(e->geo) ? part_lanes(e->geo) : e->geo->part.luns;
}

uint32_t cache_spare(struct env* e, uint64_t capacity, uint32_t luns, struct cache* out)
{
    const struct geometry* g = e->geo;
    const uint64_t slots = capacity >> g->unit_shift;
    const uint64_t least = 4u * (uint64_t)g->group;
    const uint64_t unit = g->multi_plane != 0 ? g->group : g->page_units;
    const uint64_t programs = unit * geometry_programs(g);
    const uint64_t spare = luns * (programs > g->group ? programs : g->group);
    FW_ASSERT(e, g->group != 0 && luns != 0);
    out->slots = (uint32_t)(slots < least ? least : slots);
    FW_ASSERT(e, out->slots < (1u << 27));
    /* Half a buffer at most stays free for bursts. */
    return spare > out->slots / 2 ? out->slots / 2 : (uint32_t)spare;
}

uint32_t cache_dirty_most(struct env* e, uint32_t slots)
{
    const uint64_t most = (uint64_t)slots * e->cache->options.dirty_permille / 1000;
    FW_ASSERT(e, most <= slots);
    return most == 0 ? 1 : (uint32_t)most;
}
