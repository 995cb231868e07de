/* SPDX-License-Identifier: Apache-2.0
 *
 * Clean-first LRU (Park et al., CASES 2006): the residents that were used the longest ago are the
 * window. Who leaves is the first clean unit of the window, which costs nothing, else the first
 * dirty one. A window of one unit is plain LRU. The window may adapt: it goes on in the direction
 * in which a unit that came in cost less, a read of the flash or the program of its victim.
 */
#include "firmware/buffer/policy.h"
#include "firmware/buffer/residents.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "models/regs/parts/cache.h"

static struct link* use_links(struct env* e)
{
    return (struct link*)env_dram(e, e->cache->use_links);
}

static void window_init(struct env* e)
{
    struct cache* c = e->cache;
    struct cache_window* w = &c->staged.window;
    const uint64_t units = (uint64_t)c->staged.most * e->told.cache->window_permille / 1000;
    w->units = units == 0 ? 1 : (uint32_t)units;
    w->step = c->staged.most / 16 + 1;
    w->period = 2 * c->staged.most;
    w->before = UINT64_MAX;
}

static void window_changed(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (cache_left(e, slot)) {
        return;
    }
    const bool victim = (s->flags & SLOT_OLD) != 0 && s->state == SLOT_CLEAN && s->pins == 0 &&
                        (s->flags & SLOT_FILLING) == 0;
    cache_set_victim(e, slot, victim);
}

static void take_out(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, (s->flags & SLOT_HASHED) != 0);
    if ((s->flags & SLOT_OLD) != 0) {
        s->flags = (uint8_t)(s->flags & ~SLOT_OLD);
        window_changed(e, slot);
        return;
    }
    FW_ASSERT(e, c->recent_count != 0);
    chain_remove(&c->recent, use_links(e), slot);
    --c->recent_count;
}

/* What exceeds the rest of the residents belongs to the window. */
static void put_in(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    uint32_t left = 4; /* a window that has shrunk takes back none: units pass out of it */
    FW_ASSERT(e, (cache_slot_of(e, c, slot)->flags & SLOT_OLD) == 0);
    chain_append(&c->recent, use_links(e), slot);
    ++c->recent_count;
    for (; left != 0 && c->recent_count > c->staged.most - c->staged.window.units; --left) {
        const uint32_t old = c->recent.first;
        chain_remove(&c->recent, use_links(e), old);
        --c->recent_count;
        cache_slot_of(e, c, old)->flags |= SLOT_OLD;
        window_changed(e, old);
    }
}

/* The dirty unit of the window that was used the longest ago, INDEX_NONE. What was taken to be
 * programmed and came back, for its part of the map was missing, stands ahead of older ones. */
static uint32_t oldest_dirty(struct env* e)
{
    struct cache* c = e->cache;
    uint32_t slot = c->staged.residents == c->recent_count ? INDEX_NONE : c->lru.first;
    while (slot != INDEX_NONE && (cache_slot_of(e, c, slot)->flags & SLOT_OLD) == 0) {
        slot = cache_lru_links(e)[slot].next;
    }
    return slot;
}

/* false = nobody can go now: what is old is being programmed or read. */
static bool choose(struct env* e)
{
    struct cache* c = e->cache;
    uint32_t slot = c->victims.first;
    const bool clean = slot != INDEX_NONE;
    slot = clean ? slot : oldest_dirty(e);
    if (slot == INDEX_NONE) {
        return false;
    }
    c->staged.window.cost += clean ? 0 : e->told.cache->program_cost;
    cache_let_go(e, slot);
    return true;
}

static void adapt(struct env* e)
{
    struct cache* c = e->cache;
    struct cache_window* w = &c->staged.window;
    const uint32_t most = c->staged.most;
    FW_ASSERT(e, w->units != 0 && w->units <= most);
    if (w->cost > w->before || w->units == 1 || w->units == most) {
        w->shrinks = w->units == 1 ? 0 : w->units == most ? 1 : 1 - w->shrinks;
    }
    if (w->shrinks != 0) {
        w->units = w->units > w->step ? w->units - w->step : 1;
    } else {
        w->units = w->units < most - w->step ? w->units + w->step : most;
    }
    w->before = w->cost;
    w->cost = 0;
    w->seen = 0;
    FW_ASSERT(e, w->units != 0 && w->units <= most);
}

/* An access, by which periods are counted. */
static void note(struct env* e)
{
    struct cache_window* w = &e->cache->staged.window;
    if (e->told.cache->window_adapts != 0 && ++w->seen >= w->period) {
        adapt(e);
    }
}

static void window_enter(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    uint32_t left = 2;
    cache_member_of(e, slot)->flags = 0;
    while (left != 0 && c->staged.residents >= c->staged.most && choose(e)) {
        --left;
    }
    c->staged.window.cost += cache_slot_of(e, c, slot)->state == SLOT_READING ? 16 : 0;
    note(e);
    put_in(e, slot);
    ++c->staged.residents;
}

static void window_leave(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    if (cache_leaving(e, slot)) {
        return;
    }
    FW_ASSERT(e, c->staged.residents != 0);
    take_out(e, slot);
    --c->staged.residents;
    FW_ASSERT(e, (cache_slot_of(e, c, slot)->flags & SLOT_VICTIM) == 0);
}

static void window_touch(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if ((s->flags & SLOT_HASHED) == 0 || cache_leaving(e, slot)) {
        return;
    }
    note(e);
    if (s->state == SLOT_DIRTY) {
        cache_wo_lru.touch(e, slot);
    }
    if (e->cache->recent.last != slot) {
        take_out(e, slot);
        put_in(e, slot);
    }
}

/* More came while nobody could go. */
static void window_step(struct env* e)
{
    const struct cache* c = e->cache;
    while (c->staged.residents > c->staged.most && choose(e)) {
    }
}

const struct cache_policy_ops cache_rw_cflru = {
    .keeps = 1,
    .size = cache_staged_size,
    .touch = window_touch,
    .enter = window_enter,
    .leave = window_leave,
    .changed = window_changed,
    .init = window_init,
    .step = window_step,
};
