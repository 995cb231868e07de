/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/buffer/policy.h"

#include "firmware/ops/engine.h"

#include "firmware/buffer/state.h"
#include "models/regs/parts/cache.h"

#define CACHE_POLICY_ROW(ID, id, ...) &cache_##id,
#define CACHE_POLICY_MARKED(id) &cache_##id##_marked
const struct cache_policy_ops* const cache_policies[] = {
    CACHE_POLICIES(CACHE_POLICY_ROW) CACHE_POLICY_MARKED(none), CACHE_POLICY_MARKED(wo_lru)};
#undef CACHE_POLICY_MARKED
#undef CACHE_POLICY_ROW

uint32_t cache_writers(const struct env* e)
{
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
    out->slots = (uint32_t)(slots < least ? least : slots);
    FW_ASSERT(e, out->slots < (1u << 27));
    /* Half a buffer at most stays free for bursts. */
    return spare > out->slots / 2 ? out->slots / 2 : (uint32_t)spare;
}

uint32_t cache_dirty_most(struct env* e, uint32_t slots)
{
    const uint64_t most = (uint64_t)slots * e->told.cache->dirty_permille / 1000;
    return most == 0 ? 1 : (uint32_t)most;
}

/* ---- A look-up engine beside the buffer: what a look-up in the buffer finds is marked ---- */

uint32_t cache_marked(uint32_t policy)
{
    switch (policy) {
    case CACHE_POLICY_NONE:
        return CACHE_POLICY_NONE_MARKED;
    case CACHE_POLICY_WO_LRU:
        return CACHE_POLICY_WO_LRU_MARKED;
    default:
        return UINT32_MAX;
    }
}

void cache_mark(struct env* e, uint32_t slot)
{
    lookup_mark(e, cache_slot_of(e, e->cache, slot)->unit);
}

void cache_unmark(struct env* e, uint32_t slot)
{
    lookup_unmark(e, cache_slot_of(e, e->cache, slot)->unit);
}
