/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: what others ask of it.
 */
#include "firmware/buffer/cache.h"

#include "firmware/buffer/parked.h"
#include "firmware/buffer/policy.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/buffer/waiters.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/ops/requests.h"
#include "firmware/space/blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "models/regs/parts/cache.h"
#include "models/regs/parts/host.h"

struct cache_arrival { /* data on their way from the host to a slot */
    uint64_t mask;
    uint32_t slot;
    uint32_t with; /* those behind it that come with the same move */
};

static int take_memory(struct env* e)
{
    struct cache* c = e->cache;
    c->bucket_bits = bits_for(2 * c->slots);
    c->table = dram_take(e, (uint64_t)c->slots * sizeof(struct cache_slot));
    c->buckets = dram_take(e, (UINT64_C(1) << c->bucket_bits) * sizeof(uint32_t));
    c->lru_links = dram_take(e, (uint64_t)c->slots * sizeof(struct link));
    c->age_links = dram_take(e, (uint64_t)c->slots * sizeof(struct link));
    if (cache_policy_of(e)->enter != NULL) {
        c->use_links = dram_take(e, (uint64_t)c->slots * sizeof(struct link));
    }
    if (e->told.cache->ahead_units != 0) {
        c->ahead = dram_take(e, c->slots);
    }
    c->free_links = dram_take(e, (uint64_t)c->slots * sizeof(uint32_t));
    c->nodes = dram_take(e, (uint64_t)c->commands * c->nodes_each * sizeof(uint32_t));
    c->pending = dram_take(e, (uint64_t)c->commands * sizeof(uint32_t));
    c->arrivals =
        dram_take(e, (uint64_t)c->commands * c->nodes_each * sizeof(struct cache_arrival));
    c->done_links = dram_take(e, (uint64_t)c->commands * sizeof(uint32_t));
    flash_take_zero(e);
    c->data = dram_take_pages(e, (uint64_t)c->slots << e->geo->unit_shift);
    return cache_park_take(e);
}

int cache_init(struct env* e, uint32_t commands, uint32_t max_units)
{
    struct cache* c = e->cache;
    const struct boot_cache* told = e->told.cache;
    c->policy = e->told.host->lookup != 0 ? cache_marked(told->policy) : told->policy;
    if (c->policy == CACHE_POLICY_RW_LRU && told->dirty_permille != 0) {
        c->policy = CACHE_POLICY_RW_CFLRU; /* with exact residents, and a window of one */
    }
    FW_ASSERT(e, commands != 0 && max_units != 0);
    if (c->policy > CACHE_POLICY_WO_LRU_MARKED) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such cache policy", told->policy, 0);
        return -1;
    }
    const struct cache_policy_ops* ops = cache_policy_of(e);
    c->ahead_units = (uint32_t)told->ahead_units;
    c->keeps_whole = told->whole_units;
    c->write_through = ops->write_through;
    c->keeps = ops->keeps;
    c->commands = commands;
    c->nodes_each = max_units;
    ops->size(e, told->capacity, c);
    if (take_memory(e) != 0) {
        return -1;
    }
    chain_init(&c->lru);
    chain_init(&c->urgent);
    chain_init(&c->age);
    chain_init(&c->recent);
    chain_init(&c->victims);
    fifo_init(&c->free);
    chain_init(&c->staged.leaving);
    fifo_init(&c->done);
    FW_ASSERT(e, c->high <= c->slots && c->fresh == 0);
    if (ops->init != NULL) {
        ops->init(e);
    }
    return arenas_result(e);
}

bool cache_at_rest(const struct env* e)
{
    return e->cache->dirty == 0;
}

void cache_look_ahead(struct env* e, bool on)
{
    e->cache->ahead_units = on ? (uint32_t)e->told.cache->ahead_units : 0;
}

void cache_lacks_block(struct env* e)
{
    if (blocks_gate_open(e)) {
        e->cache->blocked = CACHE_WAIT_GC;
    }
}

bool cache_rests_ever(const struct env* e)
{
    return e->told.cache->idle_ns != 0;
}

uint64_t cache_rest(struct env* e, uint64_t now_ns)
{
    struct cache* c = e->cache;
    if (e->told.cache->idle_ns == 0) {
        return 0;
    }
    const uint64_t at = run_quiet_at(e, e->told.cache->idle_ns);
    c->rests = c->dirty != 0 && now_ns >= at ? 1 : 0;
    return c->dirty != 0 && now_ns < at && at != UINT64_MAX ? at : 0;
}

/* ---- Reads ---- */

uint32_t cache_find_volatile(struct env* e, uint64_t unit)
{
    const uint32_t slot = cache_find(e, unit);
    if (slot == INDEX_NONE) {
        return INDEX_NONE;
    }
    const uint32_t state = cache_slot_of(e, e->cache, slot)->state;
    return state == SLOT_DIRTY || state == SLOT_PROGRAMMING ? slot : INDEX_NONE;
}

bool cache_programs_unit(struct env* e, uint64_t unit)
{
    const uint32_t slot = cache_find(e, unit);
    if (slot == INDEX_NONE) {
        return false;
    }
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    return s->state == SLOT_PROGRAMMING || s->older != INDEX_NONE;
}

bool cache_streams(struct env* e, uint64_t unit)
{
    const uint32_t slot = cache_find(e, unit);
    return slot != INDEX_NONE && (cache_slot_of(e, e->cache, slot)->streams & CACHE_STREAMS) != 0;
}

bool cache_readable(struct env* e, uint32_t slot, uint64_t mask)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->state != SLOT_FREE);
    return (s->valid & ~s->landing & mask) == mask;
}

void cache_pin(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->state != SLOT_FREE);
    FW_ASSERT(e, s->pins != UINT16_MAX);
    ++s->pins;
    if (e->cache->ahead != 0 && ((uint8_t*)env_dram(e, e->cache->ahead))[slot] != 0) {
        ((uint8_t*)env_dram(e, e->cache->ahead))[slot] = 0;
        ++e->telemetry->cache_ahead_hits;
    }
    if (cache_policy_of(e)->blind == 0) {
        cache_policy_of(e)->touch(e, slot);
    }
    cache_wake(e); /* another one may be the next to leave */
}

void cache_unpin(struct env* e, uint32_t slot)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->pins > 0);
    --s->pins;
    cache_release(e, slot);
    cache_changed(e, slot);
}

bool cache_room(const struct env* e, uint32_t slots, bool write_waits)
{
    const struct cache* c = e->cache;
    return cache_free_slots(c) + c->victim_count >= slots && (!write_waits || c->reserved >= slots);
}

uint32_t cache_read_begin(struct env* e, uint64_t unit)
{
    const uint32_t slot = cache_allocate(e, unit, SLOT_READING);
    FW_ASSERT(e, slot != INDEX_NONE);
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
    FW_ASSERT(e, mask != 0 && (mask & ~e->geo->unit_mask) == 0);
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

/* ---- Writes ---- */

/* A slot for a write. */
static uint32_t allocate(struct env* e, uint64_t unit)
{
    struct cache* c = e->cache;
    if (cache_free_slots(c) + c->victim_count <= c->reserved) {
        return INDEX_NONE;
    }
    const uint32_t i = cache_allocate(e, unit, SLOT_DIRTY);
    FW_ASSERT(e, i != INDEX_NONE);
    cache_dirty(e, i);
    c->reserved += c->reserved < c->reserve ? 1u : 0u;
    return i;
}

/* A second slot of a unit, in place of one that is being programmed or read: a slot can be had. */
static uint32_t replace(struct env* e, uint32_t found, uint64_t mask)
{
    struct cache* c = e->cache;
    struct cache_slot* old = cache_slot_of(e, c, found);
    FW_ASSERT(e, old->state == SLOT_PROGRAMMING || old->state == SLOT_READING);
    if (old->state == SLOT_READING) {
        cache_drop(e, found); /* its reader has it pinned */
        ++e->telemetry->cache_write_misses;
        return allocate(e, old->unit);
    }
    cache_unhash(e, found);
    const uint32_t i = allocate(e, old->unit);
    struct cache_slot* s = cache_slot_of(e, c, i);
    FW_ASSERT(e, old->valid == e->geo->unit_mask || (old->flags & SLOT_LOST) != 0);
    s->older = found;
    s->flags |= old->flags & SLOT_LOST;
    if ((~mask & old->valid) != 0) {
        sectors_copy(e, cache_data(e, i), cache_data(e, found), ~mask & old->valid);
        s->valid = ~mask & old->valid;
    }
    ++e->telemetry->cache_write_hits;
    return i;
}

static uint32_t slot_of_write(struct env* e, uint64_t unit, uint64_t mask)
{
    struct cache* c = e->cache;
    const uint32_t found = cache_find(e, unit);
    FW_ASSERT(e, mask != 0 && (mask & ~e->geo->unit_mask) == 0);
    if (found == INDEX_NONE) {
        const uint32_t fresh = allocate(e, unit);
        e->telemetry->cache_write_misses += fresh != INDEX_NONE ? 1u : 0u;
        return fresh;
    }
    struct cache_slot* old = cache_slot_of(e, c, found);
    if (old->state == SLOT_DIRTY) {
        /* Somebody waits for this unit's program: let what is under way land first, or writes
         * that overlap each other could keep it from ever being programmed. */
        if (old->incoming != 0 &&
            ((old->flags & SLOT_URGENT) != 0 || old->sequence <= c->flush_sequence)) {
            c->wanted |= WANTS_LANDING;
            return INDEX_NONE;
        }
        ++e->telemetry->cache_write_hits;
        cache_policy_of(e)->touch(e, found);
        cache_stirred(e);
        return found;
    }
    if (old->state == SLOT_CLEAN) {
        ++e->telemetry->cache_write_hits;
        cache_dirty(e, found);
        cache_policy_of(e)->touch(e, found);
        cache_stirred(e);
        return found;
    }
    return cache_free_slots(c) + c->victim_count > c->reserved ? replace(e, found, mask)
                                                               : INDEX_NONE;
}

uint32_t cache_write(struct env* e, uint64_t unit, uint64_t mask)
{
    const uint32_t slot = slot_of_write(e, unit, mask);
    if (slot == INDEX_NONE) {
        e->cache->wanted |= WANTS_WRITE;
    } else {
        cache_not_full(e);
    }
    return slot;
}

static struct cache_arrival* arrival_of(struct env* e, uint32_t arrival)
{
    FW_ASSERT(e, arrival < e->cache->commands * e->cache->nodes_each);
    return env_dram_entry(e, e->cache->arrivals, arrival, sizeof(struct cache_arrival));
}

void cache_expect(struct env* e, uint32_t slot, uint64_t mask, uint32_t arrival)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    struct cache_arrival* a = arrival_of(e, arrival);
    FW_ASSERT(e, s->state == SLOT_DIRTY);
    FW_ASSERT(e, s->incoming != UINT16_MAX);
    e->cache->arriving += s->incoming == 0 ? 1u : 0u;
    ++s->incoming;
    s->landing |= mask;
    a->mask = mask;
    a->slot = slot;
    a->with = 0;
}

void cache_expect_with(struct env* e, uint32_t arrival)
{
    ++arrival_of(e, arrival)->with;
}

/* Sectors whose transfer failed stay what they were: valid with their old data, or missing. A
 * dropped slot was trimmed with its data under way: they land in memory nobody looks at. */
static void land(struct env* e, const struct cache_arrival* a, int failed)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, a->slot);
    FW_ASSERT(e, s->incoming > 0);
    s->valid |= failed ? 0 : a->mask;
    cache_announce_landing(e);
    if (--s->incoming == 0) {
        s->landing = 0;
        e->cache->arriving -= s->state == SLOT_DIRTY ? 1u : 0u;
        cache_release(e, a->slot);
    }
}

void cache_land(struct env* e, uint32_t arrival, int failed)
{
    const uint32_t units = arrival_of(e, arrival)->with + 1;
    for (uint32_t n = 0; n < units; ++n) {
        land(e, arrival_of(e, arrival + n), failed);
    }
}

/* ---- Trims, flushes ---- */

bool cache_promised(struct env* e, uint64_t unit)
{
    const struct cache* c = e->cache;
    for (uint32_t i = cache_find(e, unit); i != INDEX_NONE;) {
        const struct cache_slot* s = cache_slot_of(e, e->cache, i);
        if (s->state == SLOT_CLEAN || s->state == SLOT_READING) {
            return false; /* nobody waits for what is on the flash */
        }
        if (s->waiters != INDEX_NONE || (s->flags & SLOT_URGENT) != 0 ||
            s->sequence <= c->flush_sequence) {
            return true;
        }
        i = s->older;
    }
    return false;
}

bool cache_trim(struct env* e, uint64_t unit)
{
    struct cache* c = e->cache;
    const uint32_t i = cache_find(e, unit);
    if (i == INDEX_NONE) {
        return false;
    }
    struct cache_slot* s = cache_slot_of(e, c, i);
    if (s->state == SLOT_CLEAN || s->state == SLOT_READING) {
        cache_drop(e, i);
        return false;
    }
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_PROGRAMMING);
    if (s->older != INDEX_NONE) {
        cache_slot_of(e, c, s->older)->flags |= SLOT_DISCARD;
        s->older = INDEX_NONE;
    }
    if (s->state == SLOT_PROGRAMMING) {
        cache_unhash(e, i);
        s->flags |= SLOT_DISCARD;
        return true;
    }
    cache_discard(e, i);
    return true;
}

uint64_t cache_flush(struct env* e)
{
    struct cache* c = e->cache;
    c->flush_sequence = c->sequence;
    return c->sequence;
}
