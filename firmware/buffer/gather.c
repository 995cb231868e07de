/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: which slots can leave.
 *
 * Streams of the host by directive: units of one go to superblocks of their own, so that what dies
 * together lies together. A write unit is of one stream. Which one is next: that of whoever waits;
 * else the first to have a whole write unit among the units that leave next, for a slow stream
 * would be padded out otherwise; and where none has, that of the unit that leaves first.
 */
#include "firmware/buffer/gather.h"

#include "firmware/buffer/fill.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/space/blocks.h"
#include "firmware/space/retention.h"

_Static_assert(RESERVE_DIRECTED_MOST < 1u << (8u - CACHE_DIRECTED_SHIFT), "slot.streams");

bool cache_eligible(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (!cache_ready(e, slot)) {
        return false;
    }
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const struct ftl_layout* layout = ftl->layout; /* asked of each unit: no call for nothing */
    if ((layout->logical_blocks != 0 && !layout->appends(e, s->unit)) || !ftl->pin(e, s->unit)) {
        e->cache->hungry = 1;
        return false;
    }
    return true;
}

/* A map that holds few pins may never hold those of a whole write unit. When one more part of it
 * has come in, or nothing is under way that could bring one, what is pinned goes. */
bool cache_goes_short(struct env* e, uint32_t count)
{
    struct cache* c = e->cache;
    if (ftl_ops_of(e)->narrow == 0 || count == 0 || (c->hungry | c->parked.count) == 0) {
        return false;
    }
    if (c->short_since == 0) {
        c->short_since = e->telemetry->map_misses + 1;
    }
    if (e->telemetry->map_misses + 1 == c->short_since && flash_at_work(e)) {
        return false;
    }
    c->short_since = 0;
    return true;
}

uint32_t cache_walk_most(const struct env* e)
{
    return (4u + 2u * blocks_directed(e)) * GROUP_MAX;
}

/* The first slot of a chain that can be programmed, not younger than `until`; INDEX_NONE. */
static uint32_t first_ready(struct env* e, uint32_t first, const struct link* links, uint64_t until)
{
    uint32_t left = cache_walk_most(e);
    for (uint32_t i = first; i != INDEX_NONE && left != 0; --left) {
        const uint32_t next = links[i].next;
        if (cache_slot_of(e, e->cache, i)->sequence > until) {
            break;
        }
        if (cache_ready(e, i)) {
            return i;
        }
        i = next;
    }
    return INDEX_NONE;
}

/* With so many streams and whole write units of each but one unit, the next unit completes one. */
static uint32_t fullest(struct env* e, bool* alone)
{
    const struct cache* c = e->cache;
    const struct link* links = env_dram(e, c->lru_links);
    const bool staged = c->staged.on != 0 && c->staged.leaving.first != INDEX_NONE;
    uint32_t counts[RESERVE_DIRECTED_MOST + 1] = {0};
    uint32_t first = INDEX_NONE;
    uint32_t left = cache_walk_most(e);
    uint32_t waits = 0;
    for (uint32_t i = staged ? c->staged.leaving.first : c->lru.first; i != INDEX_NONE && left != 0;
         --left) {
        const uint32_t stream = cache_stream_of(cache_slot_of(e, e->cache, i));
        const uint32_t next = links[i].next;
        if (!cache_ready(e, i)) {
            ++waits;
        } else if (++counts[stream] >= e->geo->group) {
            return stream;
        } else if (first == INDEX_NONE) {
            first = stream;
        }
        i = next;
    }
    *alone = waits == 0;
    return first == INDEX_NONE ? 0 : first;
}

uint32_t cache_choose_stream(struct env* e, bool flushing, bool* alone)
{
    const struct cache* c = e->cache;
    uint32_t slot = first_ready(e, c->urgent.first, env_dram(e, c->lru_links), UINT64_MAX);
    if (slot == INDEX_NONE && flushing) {
        slot = first_ready(e, c->age.first, env_dram(e, c->age_links), c->flush_sequence);
    }
    return slot != INDEX_NONE ? cache_stream_of(cache_slot_of(e, e->cache, slot))
                              : fullest(e, alone);
}
