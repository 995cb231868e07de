/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: commands that wait for programs.
 */
#include "firmware/buffer/waiters.h"

#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/telemetry.h"

/* In a command's count of programs that it waits for: one of them was of a lost unit. */
/* Of a command that waits for none any more the rest is cache_done.operation. */
#define PENDING_FAILED 0x80000000u

void cache_wait_for(struct env* e, uint32_t slot, uint32_t command, uint32_t node)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    uint32_t* nodes = env_dram(e, c->nodes);
    const uint32_t i = command * c->nodes_each + node;
    FW_ASSERT(e, command < c->commands && node < c->nodes_each);
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_PROGRAMMING);
    nodes[i] = s->waiters;
    s->waiters = i;
    ++((uint32_t*)env_dram(e, c->pending))[command];
    ++c->awaited;
    cache_make_urgent(e, slot);
}

void cache_hold(struct env* e, uint32_t command)
{
    uint32_t* pending = env_dram(e, e->cache->pending);
    FW_ASSERT(e, command < e->cache->commands && pending[command] == 0);
    pending[command] = 1;
}

static void drop_pending(struct env* e, uint32_t command, int failed)
{
    struct cache* c = e->cache;
    uint32_t* pending = env_dram(e, c->pending);
    FW_ASSERT(e, (pending[command] & ~PENDING_FAILED) > 0);
    --pending[command];
    pending[command] |= failed ? PENDING_FAILED : 0;
    if ((pending[command] & ~PENDING_FAILED) == 0) {
        pending[command] |= flash_ending(e);
        fifo_push(&c->done, env_dram(e, c->done_links), command);
    }
}

void cache_unhold(struct env* e, uint32_t command)
{
    drop_pending(e, command, 0);
}

void cache_end_waiters(struct env* e, uint32_t slot, int failed)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    const uint32_t* nodes = env_dram(e, c->nodes);
    for (uint32_t i = s->waiters; i != INDEX_NONE; i = nodes[i]) {
        FW_ASSERT(e, i < c->commands * c->nodes_each && c->awaited != 0);
        --c->awaited;
        drop_pending(e, i / c->nodes_each, failed);
    }
    s->waiters = INDEX_NONE;
}

struct cache_done cache_next_done(struct env* e)
{
    struct cache* c = e->cache;
    uint32_t* pending = env_dram(e, c->pending);
    struct cache_done done = {.command = fifo_pop(&c->done, env_dram(e, c->done_links))};
    if (done.command != INDEX_NONE) {
        done.failed = (pending[done.command] & PENDING_FAILED) != 0;
        done.operation = pending[done.command] & ~PENDING_FAILED;
        pending[done.command] = 0;
    }
    return done;
}

void cache_forget_waiters(struct env* e)
{
    struct cache* c = e->cache;
    uint32_t* pending = env_dram(e, c->pending);
    for (uint32_t i = 0; i < c->fresh; ++i) {
        cache_slot_of(e, c, i)->waiters = INDEX_NONE;
    }
    for (uint32_t i = 0; i < c->commands; ++i) {
        pending[i] = 0;
    }
    fifo_init(&c->done);
    c->awaited = 0;
}

void cache_discard(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, c->dirty > 0 && s->older == INDEX_NONE);
    cache_unhash(e, slot);
    cache_order_remove(e, slot);
    chain_remove(&c->age, cache_age_links(e), slot);
    --c->dirty;
    c->arriving -= s->incoming != 0 ? 1u : 0u;
    --e->telemetry->buffer_dirty;
    s->state = SLOT_GONE;
    cache_end_waiters(e, slot, 0);
    cache_release(e, slot);
}
