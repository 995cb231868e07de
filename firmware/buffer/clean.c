/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: units that are on the flash too, for policies that keep them. They come by reads,
 * straight from the flash into their slots, and when they have been programmed; they go without
 * being written.
 */
#include "firmware/buffer/clean.h"

#include "firmware/buffer/slots.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"

bool cache_room(const struct env* e, uint32_t slots, bool write_waits)
{
    const struct cache* c = e->cache;
    FW_ASSERT(e, slots != 0);
    FW_ASSERT(e, cache_free_slots(c) + c->victim_count <= c->slots);
    return cache_free_slots(c) + c->victim_count >= slots && (!write_waits || c->reserved >= slots);
}

void cache_set_victim(struct env* e, uint32_t slot, int victim)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    struct link* links = env_dram(e, c->use_links);
    if (victim == ((s->flags & SLOT_VICTIM) != 0)) {
        return;
    }
    s->flags ^= SLOT_VICTIM;
    if (victim) {
        chain_append(&c->victims, links, slot);
        ++c->victim_count;
        cache_announce(e);
    } else {
        chain_remove(&c->victims, links, slot);
        --c->victim_count;
    }
    FW_ASSERT(e, c->victim_count <= c->slots);
}

void cache_drop(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->state == SLOT_CLEAN || s->state == SLOT_READING);
    FW_ASSERT(e, s->waiters == INDEX_NONE && s->older == INDEX_NONE);
    cache_unhash(e, slot);
    s->state = SLOT_GONE;
    cache_release(e, slot);
}

bool cache_drop_victim(struct env* e)
{
    const struct cache* c = e->cache;
    const uint32_t slot = c->victims.first;
    if (slot == INDEX_NONE) {
        return false;
    }
    FW_ASSERT(e, c->victim_count != 0);
    cache_drop(e, slot);
    ++e->telemetry->cache_evictions_clean;
    FW_ASSERT(e, cache_slot_of(e, e->cache, slot)->state == SLOT_FREE);
    return true;
}

uint32_t cache_read_begin(struct env* e, uint64_t unit)
{
    const uint32_t slot = cache_allocate(e, unit, SLOT_READING);
    FW_ASSERT(e, slot != INDEX_NONE);
    FW_ASSERT(e, unit < e->geo->user_units);
    e->cache->reserved -= e->cache->reserved != 0 ? 1u : 0u;
    cache_slot_of(e, e->cache, slot)->pins = 1;
    return slot;
}

uint32_t cache_ahead_begin(struct env* e, uint64_t unit)
{
    const uint32_t slot = cache_read_begin(e, unit);
    uint8_t* ahead = env_dram(e, e->cache->ahead);
    FW_ASSERT(e, e->cache->ahead != 0 && ahead[slot] == 0);
    ahead[slot] = 1;
    ++e->telemetry->cache_ahead_units;
    return slot;
}

/* A slot that was written to or trimmed meanwhile has gone, and serves its reader only. */
void cache_read_end(struct env* e, uint32_t slot, uint64_t mask, int failed)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->pins != 0 && s->valid == 0);
    FW_ASSERT(e, mask != 0 && (mask & ~ones(e->geo->unit_sectors)) == 0);
    cache_announce(e);
    if (s->state == SLOT_GONE) {
        return;
    }
    FW_ASSERT(e, s->state == SLOT_READING);
    if (failed) {
        cache_drop(e, slot);
        return;
    }
    s->state = SLOT_CLEAN;
    s->valid = mask;
    cache_changed(e, slot);
}
