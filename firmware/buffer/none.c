/* SPDX-License-Identifier: Apache-2.0
 *
 * No cache: slots only stage data on their way to the flash, and a write completes when it is
 * programmed.
 */
#include "firmware/buffer/policy.h"
#include "firmware/buffer/state.h"

static void none_size(struct env* e, uint64_t capacity, struct cache* out)
{
    const struct geometry* g = e->geo;
    (void)capacity;
    out->slots = 4u * (geometry_planes(g) ? cache_writers(e) : g->luns) * g->group;
    out->high = 0;
    FW_ASSERT(e, out->slots < (1u << 28));
}

static void none_touch(struct env* e, uint32_t slot)
{
    (void)e;
    (void)slot;
}

const struct cache_policy_ops cache_none = {
    .write_through = 1,
    .size = none_size,
    .touch = none_touch,
};

const struct cache_policy_ops cache_none_marked = {
    .write_through = 1,
    .size = none_size,
    .touch = none_touch,
    .enter = cache_mark,
    .leave = cache_unmark,
};
