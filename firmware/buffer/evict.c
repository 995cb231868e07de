/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: gathering write units of what has to leave.
 */
#include "firmware/buffer/evict.h"

#include "firmware/buffer/directed.h"
#include "firmware/buffer/fill.h"
#include "firmware/buffer/merged.h"
#include "firmware/buffer/policy.h"
#include "firmware/buffer/program.h"
#include "firmware/buffer/residents.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/pace.h"
#include "firmware/gc/rewrite.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/modes.h"
#include "firmware/ops/passes.h"
#include "firmware/slc/route.h"
#include "firmware/space/blocks.h"
#include "firmware/space/retention.h"

bool cache_eligible(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (!cache_ready(e, slot)) {
        return false;
    }
    FW_ASSERT(e, s->state == SLOT_DIRTY);
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const struct ftl_layout* layout = ftl->layout; /* asked of each unit: no call for nothing */
    if ((layout->logical_blocks != 0 && !layout->appends(e, s->unit)) || !ftl->pin(e, s->unit)) {
        e->cache->hungry = 1;
        return false;
    }
    return true;
}

bool cache_shallow(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->state != SLOT_FREE);
    return retention_shallow(e, s->unit, s->sequence, (s->streams & CACHE_SMALL) != 0);
}

/* A write unit is shallow or deep, all of it: its first one decides which others it takes. */
static void gather_one(struct env* e, struct gather* g, uint32_t slot)
{
    const bool shallow = cache_shallow(e, slot);
    FW_ASSERT(e, g->count < g->room);
    if (cache_stream_of(cache_slot_of(e, e->cache, slot)) != g->stream) {
        return;
    }
    if (g->count != 0 && shallow != g->shallow && !g->mixed) {
        return;
    }
    if (cache_eligible(e, slot)) {
        g->shallow = shallow && (g->count == 0 || g->shallow);
        cache_slot_of(e, e->cache, slot)->picked = SLOT_PICKED;
        g->slot[g->count++] = slot;
    } else {
        cache_park(e, slot);
    }
}

/* Adds eligible slots of a chain, up to `room` in all and not younger than `until`. */
static void gather_from(struct env* e, struct gather* g, const struct chain* chain,
                        const struct link* links, uint64_t until)
{
    uint32_t left = cache_walk_most(e); /* past slots that must wait, or are of other streams */
    FW_ASSERT(e, g->room <= GROUP_MAX);
    FW_ASSERT(e, g->count <= GROUP_MAX);
    for (uint32_t i = chain->first; i != INDEX_NONE && left != 0 && g->count < g->room; --left) {
        const struct cache_slot* s = cache_slot_of(e, e->cache, i);
        const uint32_t next = links[i].next;
        if (s->sequence > until) {
            return;
        }
        gather_one(e, g, i);
        i = next;
    }
}

/* Ends the gathering. The slots from `first` on are not programmed now. */
static void end_gather(struct env* e, const struct gather* g, uint32_t first)
{
    FW_ASSERT(e, first <= g->count);
    for (uint32_t n = 0; n < g->count; ++n) {
        struct cache_slot* s = cache_slot_of(e, e->cache, g->slot[n]);
        FW_ASSERT(e, s->picked != 0);
        s->picked = 0;
        if (n >= first) {
            ftl_ops_of(e)->unpin(e, s->unit);
        }
    }
}

/* A map that holds few pins may never hold those of a whole write unit. When one more part of it
 * has come in, or nothing is under way that could bring one, what is pinned goes. */
bool cache_goes_short(struct env* e, uint32_t count)
{
    struct cache* c = e->cache;
    FW_ASSERT(e, count <= GROUP_MAX);
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

/* All that is due may be of logical blocks that are still being written: then the oldest goes. */
static void tell_starved(struct env* e, const struct gather* g)
{
    const uint32_t first =
        e->cache->staged.on != 0 ? e->cache->staged.leaving.first : e->cache->lru.first;
    FW_ASSERT(e, g->count <= GROUP_MAX);
    if (g->count == 0 && first != INDEX_NONE) {
        ftl_layout_of(e)->starves(e, cache_slot_of(e, e->cache, first)->unit);
    }
}

bool cache_over_high(const struct env* e)
{
    const struct cache* c = e->cache;
    FW_ASSERT(e, c->dirty <= c->slots);
    if (c->staged.on != 0) {
        return c->staged.leaving_count >= e->geo->group || cache_over_limit(e);
    }
    if (cache_rests(e) && c->lru.first != INDEX_NONE) {
        return true;
    }
    return c->keeps != 0 ? c->due >= e->geo->group : c->dirty > c->high;
}

bool cache_flush_waits(struct env* e)
{
    const struct cache* c = e->cache;
    FW_ASSERT(e, c->flush_sequence <= c->sequence);
    return c->age.first != INDEX_NONE && !cache_flushed(e, c->flush_sequence);
}

bool cache_promised(struct env* e, uint64_t unit)
{
    const struct cache* c = e->cache;
    for (uint32_t i = cache_find(e, unit); i != INDEX_NONE;) {
        const struct cache_slot* s = cache_slot_of(e, e->cache, i);
        FW_ASSERT(e, i < c->slots);
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

static bool evict_due(struct env* e)
{
    FW_ASSERT(e, e->cache->programming <= e->cache->slots);
    return cache_over_high(e) || e->cache->urgent.first != INDEX_NONE || cache_flush_waits(e) ||
           e->cache->parked.asks.first != INDEX_NONE; /* it was due, and may be urgent */
}

/* What leaves for its own sake, in the order in which it leaves. */
static void gather_order(struct env* e, struct gather* g)
{
    const struct cache* c = e->cache;
    FW_ASSERT(e, g->count <= GROUP_MAX);
    if (c->staged.on != 0) {
        gather_from(e, g, &c->staged.leaving, env_dram(e, c->lru_links), UINT64_MAX);
        if (c->keeps == 0 || !cache_over_limit(e)) {
            return;
        }
    }
    gather_from(e, g, &c->lru, env_dram(e, c->lru_links), UINT64_MAX);
}

/* Where the next write unit goes. */
static uint32_t stream_of(struct env* e, struct gather* g, bool flushing, bool* alone)
{
    g->stream = 0;
    if (!blocks_routed(e)) {
        return STREAM_HOST;
    }
    if (blocks_directed(e) != 0) {
        g->stream = cache_choose_stream(e, flushing, alone);
    }
    FW_ASSERT(e, g->stream <= blocks_directed(e));
    return g->stream != 0 ? blocks_host_stream(g->stream) : slc_route(e);
}

/* One write unit, where one is due, if it can be had. Returns false when there is nothing more to
 * do now. */
static bool evict(struct env* e)
{
    struct cache* c = e->cache;
    struct gather g;
    struct write_unit w;
    const bool over = cache_over_high(e);
    const bool flushing = cache_flush_waits(e);
    bool enough = false;
    if (!flash_may_take(e, OWNER_PROGRAM)) {
        c->blocked = CACHE_WAIT_PROGRAM;
        return false;
    }
    const struct ftl_layout* layout = ftl_layout_of(e);
    const bool logs = layout->room(e);
    const bool behind = gc_behind(e) || gc_pressed(e);
    const bool waits = behind || !logs || ftl_spent(e) || maps_gathers(e);
    bool alone = false;
    const uint32_t stream = stream_of(e, &g, flushing, &alone);
    const uint32_t room = waits ? 0 : blocks_next_units(e, stream);
    c->blocked = room != 0 ? c->blocked : logs ? CACHE_WAIT_GC : CACHE_WAIT_PROGRAM;
    /* The log has none: merges make room. */
    if (room == 0 && layout->logical_blocks == 0) {
        return false;
    }
    g.count = 0;
    g.mixed = 0;
    g.room =
        room != 0 ? room : e->geo->page_units; /* what has to be merged is asked for all the same */
    gather_from(e, &g, &c->urgent, env_dram(e, c->lru_links), UINT64_MAX);
    if (flushing) {
        gather_from(e, &g, &c->age, env_dram(e, c->age_links), c->flush_sequence);
    }
    /* What a flush began with waits for its fine pass: whole write units behind it bring that. */
    const bool goes_on = flushing && g.count == 0 && passes_host(e) != 0;
    enough = g.count != 0;
    if (!over && !goes_on) {
        /* Fill up the last page that must be programmed anyway, no more. */
        g.room = (g.count + e->geo->page_units - 1) / e->geo->page_units * e->geo->page_units;
    }
    gather_order(e, &g);
    g.mixed = retention_mixes(e);
    if (g.mixed) { /* too few of a kind: deep is right for all */
        gather_order(e, &g);
    }
    tell_starved(e, &g);
    enough |= alone || cache_rests(e); /* nothing more is going to come */
    if (room == 0 || g.count == 0 || (!enough && g.count < room && !cache_goes_short(e, g.count))) {
        /* Others ask while these are pinned: else they would take the room of their entries. */
        const bool more = room != 0 && !maps_all_here(e->maps) && cache_ask(e);
        end_gather(e, &g, 0);
        c->hungry = 1;
        return more;
    }
    const bool placed = blocks_place(e, stream, g.count, &w);
    FW_ASSERT(e, placed && w.units >= e->geo->page_units);
    layout->appended(e, w.block);
    end_gather(e, &g, g.count > w.units ? w.units : g.count);
    g.count = g.count > w.units ? w.units : g.count;
    cache_start_program(e, &g, &w);
    return placed;
}

/* One write unit, or one page where its scheme says which. false = none can go now. */
static bool evict_one(struct env* e)
{
    FW_ASSERT(e, e->cache->programming <= e->cache->slots);
    if (ftl_ops_of(e)->place != NULL) {
        return cache_evict_placed(e);
    }
    return lanes_keyed(e) ? cache_evict_lanes(e) : evict(e);
}

void cache_lacks_block(struct env* e)
{
    if (blocks_gate_open(e)) {
        e->cache->blocked = CACHE_WAIT_GC;
    }
}

void cache_wake(struct env* e)
{
    /* Where as many programs are under way as may be, the end of one is what brings the turn. */
    if (e->cache->staged.on != 0 || (flash_may_take(e, OWNER_PROGRAM) && evict_due(e))) {
        run_due(e, DUE_STEPS);
    }
}

void cache_step(struct env* e)
{
    struct cache* c = e->cache;
    uint32_t left = flash_most(e, OWNER_PROGRAM);
    FW_ASSERT(e, c->dirty + c->programming <= c->slots);
    c->held = c->blocked;
    c->blocked = CACHE_WAIT_NONE;
    c->hungry = 0;
    if (ftl_clearing(e)) {
        return; /* it will not be needed on the flash */
    }
    if (maps_all_here(e->maps)) { /* else who comes in may cost a write: where there is room */
        (void)cache_ask(e);
    }
    if (c->staged.on != 0 && cache_policy_of(e)->step != NULL) {
        cache_policy_of(e)->step(e);
    }
    while (left != 0 && evict_due(e) && evict_one(e)) {
        --left;
    }
    FW_ASSERT(e, c->dirty <= c->slots);
}
