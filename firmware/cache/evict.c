/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: filling partly written units, gathering write units, programming them.
 */
#include "firmware/cache/merged.h"
#include "firmware/cache/parts.h"
#include "firmware/flash/blocks.h"
#include "firmware/flash/retention.h"
#include "firmware/flash/sectors.h"
#include "firmware/flash/spare.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/maps_frames.h"
#include "firmware/gc/gc.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/stats.h"

static uint64_t missing(struct env* e, const struct cache_slot* s)
{
    FW_ASSERT(e, s->state != SLOT_FREE);
    return ones(e->geo->unit_sectors) & ~s->valid & ~s->landing;
}

static bool whole(const struct env* e, const struct cache_slot* s)
{
    return s->valid == ones(e->geo->unit_sectors);
}

bool cache_lost(struct env* e, uint32_t slot, uint64_t mask)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, mask != 0);
    return (s->flags & SLOT_LOST) != 0 && (missing(e, s) & mask) != 0;
}

void cache_fill(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    if ((s->flags & (SLOT_FILLING | SLOT_LOST)) != 0 || missing(e, s) == 0 ||
        s->state == SLOT_READING) {
        return;
    }
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_CLEAN);
    if (s->older != INDEX_NONE) {
        /* Data never came that were to replace those of the slot being programmed, which the map
         * does not know yet: a reset, or a failed transfer. */
        const uint64_t mask = missing(e, s) & cache_slot_of(e, c, s->older)->valid;
        sectors_copy(e, cache_data(e, c, slot), cache_data(e, c, s->older), mask);
        s->valid |= mask;
        return;
    }
    const uint64_t address = ftl_ops_of(e)->lookup(e, s->unit);
    if (address == FTL_UNKNOWN) {
        return; /* whoever asked asks again */
    }
    if (address == FTL_NONE) {
        cache_zero(e, slot, missing(e, s));
        return;
    }
    if (ftl_lost(address)) {
        s->flags |= SLOT_LOST;
        return;
    }
    const uint32_t i = flash_take(e, OWNER_FILL);
    if (i == INDEX_NONE) {
        return;
    }
    struct flash_request* r = flash_request_of(e, e->flash, i);
    const struct place p = address_place(e->geo, address);
    flash_read_page(r, &p, FLASH_PURPOSE_HOST, 0);
    r->column = address_unit(e->geo, address) << e->geo->unit_shift;
    r->length = e->geo->unit_size;
    r->buffer = flash_buffer(e, i);
    r->fill.unit = slot;
    s->flags |= SLOT_FILLING;
    cache_changed(e, slot);
    ftl_scanned(e, s->unit);
    ++superblock_of(e, e->blocks, p.block)->readers;
    e->stats->cache_padding_reads += cache_is_pad(e, slot) ? 1u : 0u;
    flash_submit(e, i);
    FW_ASSERT(e, r->owner == OWNER_FILL);
}

void cache_fill_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    const uint32_t slot = r->fill.unit;
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, (s->flags & SLOT_FILLING) != 0);
    FW_ASSERT(e, s->state != SLOT_FREE && s->state != SLOT_PROGRAMMING);
    s->flags = (uint8_t)(s->flags & ~SLOT_FILLING);
    if (s->state == SLOT_CLEAN && result->status != FLASH_STATUS_OK) {
        cache_drop(e, slot); /* whoever asked reads the flash, and is told */
    } else if (s->state != SLOT_GONE) {
        const uint64_t mask = missing(e, s);
        if (result->status != FLASH_STATUS_OK && cache_is_pad(e, slot)) {
            cache_discard(e, slot); /* it may stay where it is, whatever it is */
        } else if (result->status != FLASH_STATUS_OK) {
            ++e->stats->media_errors;
            s->flags |= SLOT_LOST;
        } else {
            sectors_copy(e, cache_data(e, e->cache, slot), r->buffer, mask);
            s->valid |= mask;
        }
        cache_changed(e, slot);
    }
    blocks_unread(e, r->block);
    flash_free(e, result->request);
    cache_release(e, slot);
}

bool cache_ready(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, slot < e->cache->slots);
    if (s->state != SLOT_DIRTY || s->picked != 0 || s->incoming != 0 || s->older != INDEX_NONE) {
        return false;
    }
    if (!whole(e, s)) {
        cache_fill(e, slot);
    }
    FW_ASSERT(e, s->landing == 0);
    return (whole(e, s) || (s->flags & SLOT_LOST) != 0) && (s->flags & SLOT_FILLING) == 0;
}

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

void cache_programs(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, s->state == SLOT_DIRTY && c->dirty > 0);
    cache_order_remove(e, slot);
    s->state = SLOT_PROGRAMMING;
    s->flags = (uint8_t)(s->flags & ~SLOT_URGENT);
    cache_changed(e, slot);
    --c->dirty;
    ++c->programming;
    ++e->stats->cache_evictions_dirty;
}

void cache_start_program(struct env* e, const struct gather* g, const struct write_unit* w)
{
    struct cache* c = e->cache;
    const uint32_t i = flash_take(e, OWNER_PROGRAM);
    FW_ASSERT(e, i != INDEX_NONE);
    FW_ASSERT(e, g->count <= w->units);
    struct flash_request* r = flash_request_of(e, e->flash, i);
    uint64_t* list = flash_list(e, i);
    uint64_t* oob = flash_oob(e, i);
    flash_program_pages(e, r, FLASH_PURPOSE_HOST, 1);
    r->plane_mask = (uint8_t)w->plane_mask;
    r->lun = (uint16_t)w->lun;
    r->block = w->block;
    r->page = w->page;
    const uint64_t stamp = retention_program(e, r, g->shallow);
    for (uint32_t n = 0; n < w->units; ++n) {
        uint64_t* word = oob + spare_word(e->geo, n);
        if (n >= g->count || g->slot[n] == INDEX_NONE) {
            list[n] = e->flash->zero;
            *word = spare_pack(SPARE_PAD, 0);
            continue;
        }
        const struct cache_slot* s = cache_slot_of(e, c, g->slot[n]);
        cache_programs(e, g->slot[n]);
        list[n] = cache_data(e, c, g->slot[n]);
        *word = spare_pack(SPARE_DATA, s->unit) | stamp;
        if (!whole(e, s)) {
            *word |= SPARE_LOST;
            sectors_zero(e, list[n], missing(e, s));
        }
    }
    gc_host_wrote(e, g->count);
    flash_submit(e, i);
}

/* A map that holds few pins may never hold those of a whole write unit. When one more part of it
 * has come in, or nothing is under way that could bring one, what is pinned goes. */
bool cache_goes_short(struct env* e, uint32_t count)
{
    struct cache* c = e->cache;
    FW_ASSERT(e, count <= GROUP_MAX);
    if (e->ftl->narrow == 0 || count == 0 || c->hungry == 0) {
        return false;
    }
    if (c->short_since == 0) {
        c->short_since = e->stats->map_misses + 1;
    }
    if (e->stats->map_misses + 1 == c->short_since && e->flash->in_flight != e->flash->bystanders) {
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
    if (c->idle.on != 0 && c->lru.first != INDEX_NONE) {
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

static bool evict_due(struct env* e)
{
    FW_ASSERT(e, e->cache->programming <= e->cache->slots);
    return cache_over_high(e) || e->cache->urgent.first != INDEX_NONE || cache_flush_waits(e);
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
    if (e->flash->owned[OWNER_PROGRAM] >= e->flash->limit[OWNER_PROGRAM]) {
        c->blocked = CACHE_WAIT_PROGRAM;
        return false;
    }
    const struct ftl_layout* layout = ftl_layout_of(e);
    const bool logs = layout->room(e);
    const bool behind = gc_behind(e) || gc_pressed(e);
    const bool waits = behind || !logs || e->ftl->modes.spent != 0 || maps_gathers(e);
    bool alone = false;
    g.stream = e->blocks->directed == 0 ? 0 : cache_choose_stream(e, flushing, &alone);
    const uint32_t stream = blocks_host_stream(g.stream);
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
    enough = g.count != 0;
    if (!over) {
        /* Fill up the last page that must be programmed anyway, no more. */
        g.room = (g.count + e->geo->page_units - 1) / e->geo->page_units * e->geo->page_units;
    }
    gather_order(e, &g);
    g.mixed = retention_mixes(e);
    if (g.mixed) { /* too few of a kind: deep is right for all */
        gather_order(e, &g);
    }
    tell_starved(e, &g);
    enough |= alone || c->idle.on != 0; /* nothing more is going to come */
    if (room == 0 || g.count == 0 || (!enough && g.count < room && !cache_goes_short(e, g.count))) {
        end_gather(e, &g, 0);
        c->hungry = 1;
        return false;
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

void cache_step(struct env* e)
{
    struct cache* c = e->cache;
    uint32_t left = e->flash->limit[OWNER_PROGRAM];
    FW_ASSERT(e, c->dirty + c->programming <= c->slots);
    c->blocked = CACHE_WAIT_NONE;
    c->hungry = 0;
    if (e->ftl->modes.clearing != 0) {
        return; /* it will not be needed on the flash */
    }
    if (c->parked.asks.first != INDEX_NONE) {
        cache_ask(e);
    }
    if (c->staged.on != 0 && cache_policy_of(e)->step != NULL) {
        cache_policy_of(e)->step(e);
    }
    while (left != 0 && evict_due(e) && evict_one(e)) {
        --left;
    }
    FW_ASSERT(e, c->dirty <= c->slots);
}

/* The program of a slot failed: its data must go elsewhere. If newer data of the unit wait, they
 * take over the promise that a flush or a waiting command was given. */
void cache_program_failed(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    struct link* ages = env_dram(e, c->age_links);
    const uint32_t newer = cache_find(e, s->unit);
    FW_ASSERT(e, s->state == SLOT_PROGRAMMING);
    FW_ASSERT(e, c->programming > 0);
    --c->programming;
    if (newer == slot) {
        s->state = SLOT_DIRTY;
        ++c->dirty;
        cache_changed(e, slot);
        cache_order_add(e, slot, true);
        cache_make_urgent(e, slot);
        return;
    }
    if (newer != INDEX_NONE && cache_slot_of(e, c, newer)->older == slot) {
        struct cache_slot* n = cache_slot_of(e, c, newer);
        uint32_t* nodes = env_dram(e, c->nodes);
        n->older = INDEX_NONE;
        n->sequence = cache_slot_of(e, c, c->age.first)->sequence;
        chain_remove(&c->age, ages, newer);
        chain_prepend(&c->age, ages, newer);
        while (s->waiters != INDEX_NONE) {
            const uint32_t node = s->waiters;
            s->waiters = nodes[node];
            nodes[node] = n->waiters;
            n->waiters = node;
        }
        cache_make_urgent(e, newer);
    }
    chain_remove(&c->age, ages, slot);
    s->state = SLOT_GONE;
    cache_end_waiters(e, slot, 0);
    cache_release(e, slot);
}

void cache_programmed(struct env* e, uint32_t slot, int lost)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, s->state == SLOT_PROGRAMMING);
    FW_ASSERT(e, c->programming > 0);
    const uint32_t newer = cache_find(e, s->unit);
    if (newer != INDEX_NONE && cache_slot_of(e, c, newer)->older == slot) {
        cache_slot_of(e, c, newer)->older = INDEX_NONE;
    }
    --c->programming;
    chain_remove(&c->age, env_dram(e, c->age_links), slot);
    if (c->keeps != 0 && (s->flags & SLOT_HASHED) != 0 && !lost) {
        s->state = SLOT_CLEAN;
        s->flags = (uint8_t)(s->flags & ~SLOT_LOST); /* whole, here and on the flash */
        cache_end_waiters(e, slot, 0);
        cache_changed(e, slot);
        return;
    }
    cache_unhash(e, slot);
    s->state = SLOT_GONE;
    cache_end_waiters(e, slot, lost);
    cache_release(e, slot);
}

static void programmed(struct env* e, uint32_t slot, uint64_t address)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    const bool kept = (s->flags & SLOT_DISCARD) == 0;
    const bool lost = kept && !whole(e, s);
    FW_ASSERT(e, s->state == SLOT_PROGRAMMING);
    if (kept) {
        retention_before(e);
        ftl_ops_of(e)->commit(e, s->unit, address);
        retention_after(e, s->unit);
    }
    if (lost) {
        ftl_ops_of(e)->lose(e, s->unit);
    }
    cache_programmed(e, slot, lost);
}

static void plane_done(struct env* e, uint32_t request, const struct place* p, uint32_t first,
                       bool failed)
{
    struct cache* c = e->cache;
    FW_ASSERT(e, first + e->geo->page_units <= e->geo->group);
    FW_ASSERT(e, p->plane < e->geo->planes);
    for (uint32_t n = 0; n < e->geo->page_units; ++n) {
        const uint64_t data = flash_list(e, request)[first + n];
        if (data == e->flash->zero) {
            continue;
        }
        const uint32_t slot = cache_slot_at(e, data);
        const uint64_t unit = cache_slot_of(e, c, slot)->unit;
        if (failed) {
            cache_program_failed(e, slot);
        } else {
            programmed(e, slot, unit_address(e->geo, p, n));
        }
        ftl_ops_of(e)->unpin(e, unit);
    }
}

/* Every unit that was put on the flash counts, whether it stayed there or not. */
static void account(struct env* e, uint32_t request, uint32_t units)
{
    FW_ASSERT(e, units <= e->geo->group);
    for (uint32_t n = 0; n < units; ++n) {
        const uint64_t word = flash_oob(e, request)[spare_word(e->geo, n)];
        const bool pad = spare_unpack(word).kind == SPARE_PAD;
        e->stats->pad_units += pad ? 1u : 0u;
        e->stats->host_units_written += pad ? 0u : 1u;
    }
    FW_ASSERT(e, request >= e->flash->reads);
}

void cache_program_done(struct env* e, const struct flash_result* result)
{
    struct flash_request* r = flash_request_of(e, e->flash, result->request);
    struct place p;
    uint32_t n = 0;
    FW_ASSERT(e, r->owner == OWNER_PROGRAM);
    FW_ASSERT(e, result->status == FLASH_STATUS_OK || result->plane_fail != 0);
    ftl_ended(e, r->sequence);
    p.block = r->block;
    p.page = r->page;
    p.lun = r->lun;
    p.plane = 0;
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {r->block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
    }
    account(e, result->request, count_bits(r->plane_mask) * e->geo->page_units);
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1, n += e->geo->page_units) {
        p.plane = lowest_bit(rest);
        plane_done(e, result->request, &p, n, ((result->plane_fail >> p.plane) & 1u) != 0);
    }
    for (uint32_t rest = r->fail_mask; rest != 0; rest &= rest - 1, n += e->geo->page_units) {
        p.plane = lowest_bit(rest);
        plane_done(e, result->request, &p, n, true);
    }
    blocks_unpend(e, r->block);
    flash_free(e, result->request);
}
