/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: gathering write units of what has to leave.
 *
 * Where a unit's address says where it goes (space/lanes.h) a page takes units of one bin. The
 * first bin in the order of eviction that fills a page goes; the other lanes of its LUN whose page
 * is at the same place come along if they fill theirs. What has to go at once (a flush, a command
 * that waits) goes with padding. A LUN that has host programs waiting already is passed by, so that
 * a few busy ones do not take all requests.
 */
#include "firmware/buffer/evict.h"

#include "firmware/buffer/cache.h"
#include "firmware/buffer/fill.h"
#include "firmware/buffer/gather.h"
#include "firmware/buffer/parked.h"
#include "firmware/buffer/placed.h"
#include "firmware/buffer/policy.h"
#include "firmware/buffer/program.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/gc/pace.h"
#include "firmware/gc/patrol.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/modes.h"
#include "firmware/ops/flash.h"
#include "firmware/ops/passes.h"
#include "firmware/slc/policy.h"
#include "firmware/space/blocks.h"
#include "firmware/space/lanes.h"
#include "firmware/space/lanes_place.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"

/* ---- Write units ---- */

/* It is to be programmed shallow (retention.h). */
static bool shallow_of(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    return retention_shallow(e, s->unit, s->sequence, (s->streams & CACHE_SMALL) != 0);
}

/* A write unit is shallow or deep, all of it: its first one decides which others it takes. */
static void gather_one(struct env* e, struct gather* g, uint32_t slot)
{
    const bool shallow = shallow_of(e, slot);
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
    for (uint32_t n = 0; n < g->count; ++n) {
        struct cache_slot* s = cache_slot_of(e, e->cache, g->slot[n]);
        FW_ASSERT(e, s->picked != 0);
        s->picked = 0;
        if (n >= first) {
            ftl_ops_of(e)->unpin(e, s->unit);
        }
    }
}

/* All that is due may be of logical blocks that are still being written: then the oldest goes. */
static void tell_starved(struct env* e, const struct gather* g)
{
    const uint32_t first =
        e->cache->staged.on != 0 ? e->cache->staged.leaving.first : e->cache->lru.first;
    if (g->count == 0 && first != INDEX_NONE) {
        ftl_layout_of(e)->starves(e, cache_slot_of(e, e->cache, first)->unit);
    }
}

/* What leaves for its own sake, in the order in which it leaves. */
static void gather_order(struct env* e, struct gather* g)
{
    const struct cache* c = e->cache;
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

/* Whole write units are all that leaves now, and until more data of the host have come there is
 * none: nobody needs to look for it (cache_look). Not where looking does more than gather. */
static bool too_few_landed(struct env* e, uint32_t room)
{
    struct cache* c = e->cache;
    FW_ASSERT(e, c->arriving <= c->dirty);
    const bool few = c->arriving != 0 && c->dirty - c->arriving < room && c->staged.on == 0 &&
                     c->urgent.first == INDEX_NONE && !cache_rests(e) && blocks_directed(e) == 0 &&
                     maps_all_here(e->maps) && ftl_layout_of(e)->logical_blocks == 0;
    c->awaits = few ? room : 0;
    return few;
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
    if (!flushing && (too_few_landed(e, room) || (room != 0 && cache_lacks(e)))) {
        c->hungry = 1;
        return !maps_all_here(e->maps) && cache_ask(e);
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
        cache_lack(e, room > g.count && over ? room - g.count : 0);
        const bool more = room != 0 && !maps_all_here(e->maps) && cache_ask(e);
        end_gather(e, &g, 0);
        c->hungry = 1;
        return more;
    }
    cache_lack(e, 0);
    const bool placed = blocks_place(e, stream, g.count, &w);
    FW_ASSERT(e, placed && w.units >= e->geo->page_units);
    layout->appended(e, w.block);
    end_gather(e, &g, g.count > w.units ? w.units : g.count);
    g.count = g.count > w.units ? w.units : g.count;
    cache_start_program(e, &g, &w);
    return placed;
}

/* ---- Pages of bins ---- */

enum { WALK_MOST = 4 * GROUP_MAX }; /* slots of a chain that are looked at */

struct lane_gather {
    struct lane_target target;
    uint32_t must;     /* planes with units that have to go at once */
    uint8_t filled[8]; /* units by plane */
    uint32_t count;
    bool shallow; /* how they are programmed: as the first one is */
    bool mixed;   /* true = then others come along too, and all are deep */
    uint32_t slot[GROUP_MAX];
};

struct walk {
    const struct chain* chain;
    uint64_t links;
    uint64_t until; /* sequence of the youngest one */
    uint32_t must;
};

/* Chains in the order in which they are emptied; the last two are those of the policy. */
enum { WALK_URGENT = 0, WALK_AGE = 1, WALK_LEAVING = 2, WALK_LRU = 3, WALKS = 4 };

static struct walk walk_of(const struct env* e, uint32_t n)
{
    const struct cache* c = e->cache;
    const struct walk walks[WALKS] = {{&c->urgent, c->lru_links, UINT64_MAX, 1},
                                      {&c->age, c->age_links, c->flush_sequence, 1},
                                      {&c->staged.leaving, c->lru_links, UINT64_MAX, 0},
                                      {&c->lru, c->lru_links, UINT64_MAX, 0}};
    return walks[n];
}

/* Whether what is in a chain leaves: for a flush; as gather_order has it of the policy's.
 */
static bool walked(struct env* e, uint32_t n)
{
    const struct cache* c = e->cache;
    switch (n) {
    case WALK_AGE:
        return cache_flush_waits(e);
    case WALK_LEAVING:
        return c->staged.on != 0;
    case WALK_LRU:
        return c->staged.on == 0 || (c->keeps != 0 && cache_over_limit(e));
    default:
        return true;
    }
}

static bool busy(struct env* e, uint32_t bin)
{
    const uint32_t lun = lanes_lun_of(e, bin);
    return lun != INDEX_NONE && flash_programs_wait(e, lun) >= e->geo->lun_programs;
}

/* The bin that goes next, INDEX_NONE = none fills a page. */
struct choice {
    uint32_t bin;
    uint32_t full;  /* the first that fills a page */
    uint32_t first; /* of the first unit that could go */
};

/* Looks at a chain: true = chosen. */
static bool choose_from(struct env* e, const struct walk* w, uint16_t* counts, struct choice* out)
{
    const struct link* links = env_dram(e, w->links);
    uint32_t left = WALK_MOST;
    for (uint32_t i = w->chain->first; i != INDEX_NONE && left != 0; --left) {
        const struct cache_slot* s = cache_slot_of(e, e->cache, i);
        const uint32_t next = links[i].next;
        if (s->sequence > w->until) {
            break;
        }
        const uint32_t bin = lanes_bin(e, s->unit);
        if (lanes_waits(e, STREAM_HOST, bin)) {
            e->cache->blocked = CACHE_WAIT_GC;
        } else if (!busy(e, bin) && cache_ready(e, i)) {
            out->first = out->first == INDEX_NONE ? bin : out->first;
            out->bin = w->must != 0 ? bin : INDEX_NONE;
            if (w->must == 0 && ++counts[bin] == e->geo->page_units) {
                out->bin = lanes_ripe(e, STREAM_HOST, bin, counts);
                out->full = out->full == INDEX_NONE ? bin : out->full;
            }
            if (out->bin != INDEX_NONE) {
                return true;
            }
        }
        i = next;
    }
    return false;
}

/* First what has to go, then the first page that leaves no plane of its LUN behind. Any other goes
 * only while fewer than a page per LUN is under way: else a LUN with many units in the buffer would
 * keep them there, and the planes of the others would come apart for want of theirs. */
static struct choice choose(struct env* e, bool over)
{
    uint16_t* counts = lanes_counts(e);
    struct choice c = {INDEX_NONE, INDEX_NONE, INDEX_NONE};
    for (uint32_t n = 0; n < WALKS; ++n) {
        const struct walk w = walk_of(e, n);
        if (!walked(e, n) || (w.must == 0 && !over)) {
            continue;
        }
        if (choose_from(e, &w, counts, &c)) {
            return c;
        }
    }
    c.bin = e->cache->programming < e->geo->luns * e->geo->page_units ? c.full : INDEX_NONE;
    return c;
}

/* Units of a chain that go along. */
static void gather_bin(struct env* e, struct lane_gather* g, const struct walk* w, bool over)
{
    const struct link* links = env_dram(e, w->links);
    uint32_t left = WALK_MOST;
    uint32_t room = count_bits(g->target.planes) * e->geo->page_units;
    for (uint32_t plane = 0; plane < e->geo->planes; ++plane) {
        room -= g->filled[plane];
    }
    for (uint32_t i = w->chain->first; i != INDEX_NONE && left != 0 && room != 0; --left) {
        struct cache_slot* s = cache_slot_of(e, e->cache, i);
        const uint32_t next = links[i].next;
        if (s->sequence > w->until) {
            return;
        }
        const uint32_t plane = lanes_plane(e, &g->target, lanes_bin(e, s->unit), g->filled);
        /* Without need only the pages that must be programmed anyway are filled up. */
        const bool wanted =
            plane != INDEX_NONE && (over || w->must != 0 || ((g->must >> plane) & 1u) != 0);
        const bool shallow = wanted && shallow_of(e, i);
        const bool alike = g->count == 0 || shallow == g->shallow || g->mixed;
        if (wanted && alike && cache_eligible(e, i)) {
            g->shallow = shallow && (g->count == 0 || g->shallow);
            ++g->count;
            s->picked = SLOT_PICKED;
            g->slot[plane * e->geo->page_units + g->filled[plane]++] = i;
            g->must |= w->must << plane;
            --room;
        } else if (wanted && alike) {
            cache_park(e, i);
        }
        i = next;
    }
}

static void give_back(struct env* e, struct lane_gather* g, uint32_t plane)
{
    for (uint32_t n = 0; n < g->filled[plane]; ++n) {
        struct cache_slot* s = cache_slot_of(e, e->cache, g->slot[plane * e->geo->page_units + n]);
        s->picked = 0;
        ftl_ops_of(e)->unpin(e, s->unit);
    }
    g->filled[plane] = 0;
}

/* Planes that go: full ones, those that must, and the one asked for if a short one may. The units
 * of the others stay. */
static uint32_t keep(struct env* e, struct lane_gather* g, bool may_be_short)
{
    uint32_t mask = 0;
    uint32_t left = blocks_planes_most(e, STREAM_HOST);
    for (uint32_t n = 0; n < e->geo->planes; ++n) { /* that which was asked for first */
        const uint32_t plane = (g->target.first + n) % e->geo->planes;
        const bool need =
            ((g->must >> plane) & 1u) != 0 || (may_be_short && plane == g->target.first);
        if (left == 0) {
            give_back(e, g, plane);
            continue;
        }
        if (g->filled[plane] == e->geo->page_units || (g->filled[plane] != 0 && need)) {
            mask |= 1u << plane;
            --left;
        } else {
            give_back(e, g, plane);
        }
    }
    FW_ASSERT(e, (mask & ~g->target.planes) == 0);
    return mask;
}

/* In the order of the write unit: planes, and in each its units, then padding. */
static void start(struct env* e, const struct lane_gather* g, uint32_t mask)
{
    struct gather all;
    struct write_unit w;
    const bool placed = blocks_place_on(e, STREAM_HOST, g->target.lun, mask, &w);
    FW_ASSERT(e, placed && w.plane_mask == mask);
    all.count = 0;
    all.room = w.units;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const uint32_t plane = lowest_bit(rest);
        for (uint32_t n = 0; n < e->geo->page_units; ++n) {
            const bool there = n < g->filled[plane];
            const uint32_t slot = there ? g->slot[plane * e->geo->page_units + n] : INDEX_NONE;
            all.slot[all.count++] = slot;
            if (there) {
                cache_slot_of(e, e->cache, slot)->picked = 0;
                e->telemetry->strayed_units += g->target.strays;
            }
        }
    }
    FW_ASSERT(e, all.count == w.units);
    all.shallow = g->shallow;
    all.mixed = 0;
    cache_start_program(e, &all, &w);
}

/* One write unit of a bin. short_too: though it fills no page. true = it is on its way. */
static bool evict_bin(struct env* e, uint32_t bin, bool over, bool short_too)
{
    struct cache* c = e->cache;
    struct lane_gather g;
    mem_zero(g.filled, sizeof g.filled);
    g.must = 0;
    g.count = 0;
    g.shallow = 0;
    g.mixed = 0;
    if (!lanes_target(e, STREAM_HOST, bin, &g.target)) {
        c->blocked = CACHE_WAIT_GC;
        return false;
    }
    for (uint32_t n = 0; n < WALKS; ++n) {
        const struct walk w = walk_of(e, n);
        if (walked(e, n)) {
            gather_bin(e, &g, &w, over);
        }
    }
    g.mixed = retention_mixes(e);
    for (uint32_t n = WALK_LEAVING; g.mixed && n < WALKS; ++n) {
        const struct walk w = walk_of(e, n);
        if (walked(e, n)) {
            gather_bin(e, &g, &w, over);
        }
    }
    const bool more = g.count < e->geo->page_units && !maps_all_here(e->maps) && cache_ask(e);
    const uint32_t mask = keep(e, &g, short_too || cache_goes_short(e, g.count));
    if (mask == 0) {
        c->hungry = 1;
        return more;
    }
    start(e, &g, mask);
    return true;
}

static bool evict_lanes(struct env* e)
{
    struct cache* c = e->cache;
    const bool over = cache_over_high(e);
    if (!flash_may_take(e, OWNER_PROGRAM)) {
        c->blocked = CACHE_WAIT_PROGRAM;
        return false;
    }
    const bool behind = gc_behind(e) || gc_pressed(e);
    const bool waits = behind || ftl_spent(e) || maps_gathers(e);
    if (waits || blocks_next_units(e, STREAM_HOST) == 0) {
        c->blocked = CACHE_WAIT_GC;
        return false;
    }
    const struct choice chosen = choose(e, over);
    if (chosen.bin != INDEX_NONE) {
        return evict_bin(e, chosen.bin, over, false);
    }
    c->hungry = 1;
    if (!maps_all_here(e->maps) && cache_ask(e)) {
        return true;
    }
    if (chosen.first == INDEX_NONE || chosen.full != INDEX_NONE) {
        c->blocked = c->programming != 0 ? CACHE_WAIT_PROGRAM : c->blocked;
        return false;
    }
    /* The buffer holds no page of any bin: when nothing else is on its way, what is there goes. */
    return c->programming == 0 && evict_bin(e, chosen.first, over, true);
}

/* ---- Steps ---- */

/* One write unit, or one page where its scheme says which. false = none can go now. */
static bool evict_one(struct env* e)
{
    if (ftl_ops_of(e)->place != NULL) {
        return cache_evict_placed(e);
    }
    return lanes_keyed(e) ? evict_lanes(e) : evict(e);
}

void cache_step(struct env* e)
{
    struct cache* c = e->cache;
    uint32_t left = flash_most(e, OWNER_PROGRAM);
    FW_ASSERT(e, c->dirty + c->programming <= c->slots);
    c->held = c->blocked;
    c->blocked = CACHE_WAIT_NONE;
    c->hungry = 0;
    c->awaits = c->plain = 0;
    if (ftl_clearing(e)) {
        return; /* it will not be needed on the flash */
    }
    if (maps_all_here(e->maps)) { /* else who comes in may cost a write: where there is room */
        (void)cache_ask(e);
    }
    if (c->staged.on != 0 && cache_policy_of(e)->step != NULL) {
        cache_policy_of(e)->step(e);
    }
    while (left != 0 && cache_is_due(e) && evict_one(e)) {
        --left;
    }
    c->plain = (c->staged.on | c->keeps | c->rests) == 0 && c->urgent.first == INDEX_NONE &&
               c->parked.asks.first == INDEX_NONE && !cache_flush_waits(e);
}
