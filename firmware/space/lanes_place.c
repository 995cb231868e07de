/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes: where units of a bin go next, and the write units that go there. Which LUN takes one,
 * where its address does not say:
 *
 *   shortest_queue  the one with the fewest operations queued, the lowest index of equals
 *   channel_die     an idle LUN of an idle channel; else an idle LUN, of the channel with the
 *                   fewest operations; else the lowest of: operations of the LUN times LUNs of a
 *                   channel, plus operations of its channel. The lowest index of equals
 *   round_robin, channel_rr   in turns: channels, chips of each channel, dies of each chip
 *
 * Operations are those of all kinds that firmware has submitted and not seen the end of.
 * Preconditioning has none, so that every placement takes turns there.
 */
#include "firmware/space/lanes_place.h"

#include "firmware/lib/bits.h"
#include "firmware/space/bad.h"
#include "firmware/space/lanes.h"
#include "firmware/space/planes.h"
#include "firmware/space/pool.h"

/* ---- Which LUN ---- */

/* Chip that has its turn of each channel, then die of each chip. */
static uint32_t* turns_of(struct env* e)
{
    FW_ASSERT(e, e->blocks->lanes.turns != 0);
    return (uint32_t*)env_dram(e, e->blocks->lanes.turns);
}

/* LUN of the n-th turn from now on of a channel. */
static uint32_t turn_lun(struct env* e, uint32_t channel, uint32_t n)
{
    const uint32_t* count = e->blocks->lanes.shape.count;
    const uint32_t* turns = turns_of(e);
    const uint32_t way = (turns[channel] + n) % count[PLACE_WAY];
    const uint32_t chip = channel * count[PLACE_WAY] + way;
    const uint32_t die =
        (turns[count[PLACE_CHANNEL] + chip] + n / count[PLACE_WAY]) % count[PLACE_DIE];
    FW_ASSERT(e, channel < count[PLACE_CHANNEL]);
    return (way * count[PLACE_DIE] + die) * count[PLACE_CHANNEL] + channel;
}

static void picked(struct env* e, uint32_t lun)
{
    struct lanes* l = &e->blocks->lanes;
    const uint32_t* count = l->shape.count;
    uint32_t* turns = turns_of(e);
    const uint32_t channel = lun % count[PLACE_CHANNEL];
    const uint32_t way = lun / count[PLACE_CHANNEL] / count[PLACE_DIE];
    const uint32_t die = lun / count[PLACE_CHANNEL] % count[PLACE_DIE];
    FW_ASSERT(e, lun < e->geo->part.luns);
    if (l->kind != PLACEMENT_CHANNEL_RR && !lanes_keyed(e)) {
        l->channel_turn = (channel + 1) % count[PLACE_CHANNEL];
    }
    turns[channel] = (way + 1) % count[PLACE_WAY];
    turns[count[PLACE_CHANNEL] + channel * count[PLACE_WAY] + way] = (die + 1) % count[PLACE_DIE];
}

static uint32_t by_turns(struct env* e, uint32_t stream, uint32_t channel)
{
    const uint32_t channels = e->geo->channels;
    const uint32_t from = channel == INDEX_NONE ? e->blocks->lanes.channel_turn : channel;
    const uint32_t step = channel == INDEX_NONE ? channels : 1;
    FW_ASSERT(e, from < channels);
    for (uint32_t n = 0; n < e->geo->luns_per_channel * step; ++n) {
        const uint32_t lun = turn_lun(e, (from + n % step) % channels, n / step);
        if (lanes_lun_has_room(e, stream, lun)) {
            return lun;
        }
    }
    return INDEX_NONE;
}

static uint32_t channel_load(struct env* e, uint32_t channel)
{
    uint32_t load = 0;
    for (uint32_t n = 0; n < e->geo->luns_per_channel; ++n) {
        load += e->space_asks->queued(e, n * e->geo->channels + channel);
    }
    FW_ASSERT(e, channel < e->geo->channels);
    return load;
}

/* The lower, the sooner. */
static uint64_t cost_of(struct env* e, uint32_t lun)
{
    const uint32_t queued = e->space_asks->queued(e, lun);
    FW_ASSERT(e, lun < e->geo->part.luns);
    if (e->blocks->lanes.kind == PLACEMENT_SHORTEST_QUEUE) {
        return queued;
    }
    const uint64_t load = channel_load(e, lun % e->geo->channels);
    /* An idle LUN of an idle channel costs 0, another idle one less than any busy one. */
    return queued == 0 ? load : (UINT64_C(1) << 32) + queued * e->geo->luns_per_channel + load;
}

static uint32_t pick(struct env* e, uint32_t stream, uint32_t channel)
{
    const struct lanes* l = &e->blocks->lanes;
    uint32_t best = INDEX_NONE;
    uint64_t least = UINT64_MAX;
    if (l->kind >= PLACEMENT_CHANNEL_RR || l->functional != 0) {
        return by_turns(e, stream, channel);
    }
    FW_ASSERT(e, channel == INDEX_NONE);
    for (uint32_t lun = 0; lun < e->geo->part.luns; ++lun) {
        const uint64_t cost = cost_of(e, lun);
        if (cost < least && lanes_lun_has_room(e, stream, lun)) {
            least = cost;
            best = lun;
        }
    }
    return best;
}

/* ---- How far lanes are ---- */

/* How far a lane is: page of its superblock, of older ones first; UINT64_MAX = it has no room. */
static uint64_t progress(struct env* e, uint32_t stream, uint32_t lane)
{
    const uint32_t n = lanes_found(e, stream, lane);
    FW_ASSERT(e, lane < e->blocks->lanes.count);
    return n == INDEX_NONE ? UINT64_MAX : ((uint64_t)n << 32) | lanes_next(e, stream, n)[lane];
}

/* Planes that take a page together with this lane: the same page number of the same superblock,
 * which is the oldest that each of them has room in. */
static uint32_t joined(struct env* e, uint32_t stream, uint32_t lane)
{
    const struct geometry* g = e->geo;
    const uint32_t n = lanes_found(e, stream, lane);
    const uint32_t lun = lane / g->planes;
    FW_ASSERT(e, n != INDEX_NONE);
    if (g->multi_plane == 0) {
        return 1u << (lane - lun * g->planes);
    }
    const uint16_t* next = lanes_next(e, stream, n) + lun * g->planes;
    const uint32_t page = lanes_next(e, stream, n)[lane];
    uint32_t mask = 0;
    for (uint32_t plane = 0; plane < g->planes; ++plane) {
        const bool here =
            next[plane] == page && lanes_found(e, stream, lun * g->planes + plane) == n;
        mask |= here ? 1u << plane : 0u;
    }
    return mask;
}

/* That which was asked for, and others up to `most` in all. */
static uint32_t few(uint32_t planes, uint32_t first, uint32_t most)
{
    uint32_t mask = 1u << first;
    for (uint32_t rest = planes & ~mask; rest != 0 && count_bits(mask) < most; rest &= rest - 1) {
        mask |= rest & (0u - rest);
    }
    return mask;
}

static bool aim(struct env* e, uint32_t stream, uint32_t lane, struct lane_target* out)
{
    if (lanes_entry(e, stream, lane) == INDEX_NONE) {
        return false;
    }
    out->lun = lane / e->geo->planes;
    out->first = lane - out->lun * e->geo->planes;
    out->planes = joined(e, stream, lane);
    FW_ASSERT(e, ((out->planes >> out->first) & 1u) != 0);
    return true;
}

/* A lane whose block in a superblock is bad would be a whole block ahead of the other planes of its
 * LUN from then on, and never be programmed together with them again. So what it lacks strays while
 * they write theirs. */
static bool held_back(struct env* e, uint32_t stream, uint32_t lane)
{
    const struct geometry* g = e->geo;
    const uint32_t lun = lane / g->planes;
    FW_ASSERT(e, lane < e->blocks->lanes.count);
    for (uint32_t n = 0; n < e->blocks->lanes.open[stream] && g->multi_plane != 0; ++n) {
        const uint16_t* next = lanes_next(e, stream, n) + lun * g->planes;
        const uint32_t good = blocks_good_planes(e, lanes_block(e, stream, n)->block, lun);
        if (next[lane - lun * g->planes] < g->pages) {
            return false;
        }
        if (((good >> (lane - lun * g->planes)) & 1u) != 0) {
            continue; /* it has filled that one */
        }
        for (uint32_t plane = 0; plane < g->planes; ++plane) {
            if (next[plane] < g->pages) {
                return true;
            }
        }
    }
    return false;
}

/* Of the oldest superblock the lane that is the furthest behind, the next one in the order of
 * equals: it has room to spare, and what strays to a lane that has not would make its own units
 * stray. */
static uint32_t behind(struct env* e, uint32_t stream, uint32_t bin)
{
    const struct lanes* l = &e->blocks->lanes;
    const uint16_t* lane_of = lanes_words(e, l->lane_of);
    const uint16_t* next = lanes_next(e, stream, 0);
    uint32_t best = INDEX_NONE;
    uint32_t least = e->geo->pages;
    FW_ASSERT(e, l->open[stream] != 0 && bin < l->bins);
    for (uint32_t k = 1; k < l->bins; ++k) {
        const uint32_t other = bin + k < l->bins ? bin + k : bin + k - l->bins;
        if (next[lane_of[other]] < least) {
            least = next[lane_of[other]];
            best = lane_of[other];
        }
    }
    return best;
}

/* A page of a plane that has blocks of its own. */
static bool plane_target(struct env* e, uint32_t lane, struct lane_target* out)
{
    FW_ASSERT(e, lane < e->blocks->planes.count && e->geo->planes == 1);
    out->lun = lane;
    out->first = 0;
    out->planes = 1;
    return true;
}

/* The plane that has the most room: INDEX_NONE = none has any. */
static uint32_t roomiest(struct env* e, uint32_t stream)
{
    uint32_t best = INDEX_NONE;
    uint64_t most = 0;
    FW_ASSERT(e, e->blocks->planes.count != 0);
    for (uint32_t lane = 0; lane < e->blocks->planes.count; ++lane) {
        const uint64_t room = planes_room(e, stream, lane);
        best = room > most ? lane : best;
        most = room > most ? room : most;
    }
    return best;
}

/* The plane that the number says. One that has no room, and nothing left to collect, has its units
 * stray. */
static bool static_plane(struct env* e, uint32_t stream, struct lane_target* out)
{
    uint32_t lane = lanes_words(e, e->blocks->lanes.lane_of)[out->bin];
    FW_ASSERT(e, out->bin < e->blocks->lanes.bins);
    out->by_plane = 1;
    if (planes_has_room(e, stream, lane)) {
        return plane_target(e, lane, out);
    }
    if (planes_waits(e, stream, lane)) {
        return false;
    }
    lane = roomiest(e, stream);
    out->by_plane = 0;
    out->strays = 1;
    return lane != INDEX_NONE && plane_target(e, lane, out);
}

static bool static_target(struct env* e, uint32_t stream, struct lane_target* out)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, out->bin < l->bins);
    if (e->blocks->planes.count != 0) {
        return static_plane(e, stream, out);
    }
    const uint32_t lane = lanes_words(e, l->lane_of)[out->bin];
    if (!held_back(e, stream, lane) && aim(e, stream, lane, out)) {
        out->by_plane = 1;
        return true;
    }
    if (l->open[stream] == 0) {
        return false;
    }
    out->strays = 1;
    if (!aim(e, stream, behind(e, stream, out->bin), out)) {
        FW_ASSERT(e, 0); /* an open stream has a lane with room */
        return false;
    }
    out->planes = 1u << out->first;
    return true;
}

/* Of the LUN the plane that is the furthest behind. */
static bool lun_target(struct env* e, uint32_t stream, uint32_t lun, struct lane_target* out)
{
    const uint32_t planes = e->geo->planes;
    uint32_t best = INDEX_NONE;
    uint64_t least = UINT64_MAX;
    FW_ASSERT(e, lun < e->geo->part.luns);
    if (e->blocks->planes.count != 0) {
        const uint32_t lane = planes_next(e, stream, lun);
        return lane != INDEX_NONE && plane_target(e, lane, out);
    }
    for (uint32_t tries = 0; tries < 2 && best == INDEX_NONE; ++tries) {
        for (uint32_t plane = 0; plane < planes; ++plane) {
            const uint64_t page = progress(e, stream, lun * planes + plane);
            if (page < least) {
                least = page;
                best = plane;
            }
        }
        if (best == INDEX_NONE && lanes_can_open(e, stream)) {
            lanes_open(e, stream);
        }
    }
    return best != INDEX_NONE && aim(e, stream, lun * planes + best, out);
}

static bool channel_target(struct env* e, uint32_t stream, uint32_t channel,
                           struct lane_target* out)
{
    for (uint32_t tries = 0; tries <= e->blocks->lanes.window; ++tries) {
        const uint32_t lun = pick(e, stream, channel);
        if (lun == INDEX_NONE) {
            return false;
        }
        if (lun_target(e, stream, lun, out)) {
            return true;
        }
    }
    FW_ASSERT(e, channel == INDEX_NONE || channel < e->geo->channels);
    return false;
}

bool lanes_target(struct env* e, uint32_t stream, uint32_t bin, struct lane_target* out)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, lanes_has(e, stream) && bin < l->bins);
    out->bin = bin;
    out->by_plane = 0;
    out->strays = 0;
    if (!blocks_may_write(e, stream)) {
        return false;
    }
    if (l->kind == PLACEMENT_STATIC) {
        return static_target(e, stream, out);
    }
    if (l->kind != PLACEMENT_CHANNEL_RR) {
        return channel_target(e, stream, INDEX_NONE, out);
    }
    for (uint32_t k = 0; k < l->bins; ++k) {
        out->strays = k != 0;
        if (channel_target(e, stream, (bin + k) % l->bins, out)) {
            return true;
        }
    }
    return false;
}

uint32_t lanes_ripe(struct env* e, uint32_t stream, uint32_t bin, const uint16_t* counts)
{
    const struct geometry* g = e->geo;
    const uint32_t most = g->multi_plane != 0 ? blocks_planes_most(e, stream) : 1;
    uint64_t least = UINT64_MAX;
    uint32_t lanes = 0;
    uint32_t full = 0;
    uint32_t ripe = bin;
    FW_ASSERT(e, bin < e->blocks->lanes.bins && counts[bin] >= g->page_units);
    if (e->blocks->lanes.kind != PLACEMENT_STATIC || e->blocks->planes.count != 0) {
        return bin;
    }
    const uint32_t lane = lanes_words(e, e->blocks->lanes.lane_of)[bin];
    if (held_back(e, stream, lane)) {
        return bin;
    }
    for (uint32_t other = lane - lane % g->planes, n = 0; n < g->planes; ++n, ++other) {
        const uint32_t its = lanes_words(e, e->blocks->lanes.bin_of)[other];
        const uint64_t page = progress(e, stream, other);
        if (page < least) {
            least = page;
            lanes = full = 0;
        }
        if (page == least && page != UINT64_MAX) {
            ++lanes;
            full += counts[its] >= g->page_units ? 1u : 0u;
            ripe = counts[its] >= g->page_units ? its : ripe;
        }
    }
    return full >= (lanes < most ? lanes : most) ? ripe : INDEX_NONE;
}

uint32_t lanes_plane(struct env* e, const struct lane_target* t, uint32_t bin,
                     const uint8_t* filled)
{
    const uint32_t planes = e->geo->planes;
    FW_ASSERT(e, bin < e->blocks->lanes.bins && t->planes != 0);
    if (t->by_plane != 0) {
        const uint32_t lane = lanes_words(e, e->blocks->lanes.lane_of)[bin];
        const uint32_t plane = lane % planes;
        return lane / planes == t->lun && ((t->planes >> plane) & 1u) != 0 &&
                       filled[plane] < e->geo->page_units
                   ? plane
                   : INDEX_NONE;
    }
    if (bin != t->bin) {
        return INDEX_NONE;
    }
    for (uint32_t rest = t->planes; rest != 0; rest &= rest - 1) {
        if (filled[lowest_bit(rest)] < e->geo->page_units) {
            return lowest_bit(rest);
        }
    }
    return INDEX_NONE;
}

/* Writes a page of each plane of the LUN. */
static void take(struct env* e, uint32_t stream, struct write_unit* out)
{
    const struct geometry* g = e->geo;
    const uint32_t lane = out->lun * g->planes;
    const uint32_t n = lanes_found(e, stream, lane + lowest_bit(out->plane_mask));
    FW_ASSERT(e, n != INDEX_NONE);
    struct lane_block* b = lanes_block(e, stream, n);
    uint16_t* next = lanes_next(e, stream, n) + lane;
    out->block = b->block;
    out->page = next[lowest_bit(out->plane_mask)];
    out->units = count_bits(out->plane_mask) * g->page_units;
    for (uint32_t rest = out->plane_mask; rest != 0; rest &= rest - 1) {
        const uint32_t plane = lowest_bit(rest);
        FW_ASSERT(e, next[plane] == out->page);
        ++next[plane];
        b->left -= next[plane] == g->pages ? 1u : 0u;
    }
    b->taken += out->units;
    ++superblock_of(e, e->blocks, b->block)->pending;
    e->blocks->lanes.chosen[stream] = INDEX_NONE;
    picked(e, out->lun);
    if (b->left == 0) {
        lanes_close(e, stream, n);
    }
}

static bool place_in_plane(struct env* e, uint32_t stream, uint32_t lane, struct write_unit* out)
{
    FW_ASSERT(e, lane < e->blocks->planes.count);
    if (!blocks_may_write(e, stream) || !planes_has_room(e, stream, lane)) {
        return false;
    }
    planes_place(e, stream, lane, out);
    e->blocks->lanes.chosen[stream] = INDEX_NONE;
    picked(e, lane / e->geo->part.planes);
    return true;
}

bool lanes_place_on(struct env* e, uint32_t stream, uint32_t lun, uint32_t planes,
                    struct write_unit* out)
{
    FW_ASSERT(e, planes != 0 && (planes & ~e->geo->plane_all) == 0);
    if (e->blocks->planes.count != 0) {
        return place_in_plane(e, stream, lun, out);
    }
    if (!blocks_may_write(e, stream) ||
        lanes_entry(e, stream, lun * e->geo->planes + lowest_bit(planes)) == INDEX_NONE ||
        (planes & ~joined(e, stream, lun * e->geo->planes + lowest_bit(planes))) != 0) {
        return false;
    }
    out->lun = lun;
    out->plane_mask = planes;
    take(e, stream, out);
    return true;
}

uint32_t lanes_next_planes(struct env* e, uint32_t stream, uint32_t lun, uint32_t first)
{
    const uint32_t lane = lun * e->geo->planes + first;
    FW_ASSERT(e, e->blocks->planes.count == 0 && lun < e->geo->luns && first < e->geo->planes);
    if (!blocks_may_write(e, stream) || lanes_entry(e, stream, lane) == INDEX_NONE) {
        return 0;
    }
    /* Those from there on that lie side by side. */
    const uint32_t planes = joined(e, stream, lane) >> first;
    const uint32_t count = planes == ~0u ? 32u : (uint32_t)__builtin_ctz(~planes);
    return (uint32_t)ones(count) << first;
}

uint32_t lanes_room(struct env* e, uint32_t stream)
{
    uint32_t room = 0;
    FW_ASSERT(e, lanes_has(e, stream));
    for (uint32_t lane = 0; lane < e->blocks->planes.count; ++lane) {
        room += (uint32_t)planes_room(e, stream, lane);
    }
    for (uint32_t n = 0; n < e->blocks->lanes.open[stream]; ++n) {
        const struct lane_block* b = lanes_block(e, stream, n);
        /* What was taken in blocks that went bad since counts twice: less room, never more. */
        const uint32_t capacity = superblock_of(e, e->blocks, b->block)->capacity;
        room += capacity > b->taken ? capacity - b->taken : 0;
    }
    return room;
}

/* Of any bin: LUNs that were not chosen stay chosen until they are written. */
static bool any_target(struct env* e, uint32_t stream, bool again, struct lane_target* out)
{
    struct lanes* l = &e->blocks->lanes;
    uint32_t* chosen = &l->chosen[stream];
    FW_ASSERT(e, lanes_has(e, stream));
    if (lanes_keyed(e)) {
        return lanes_target(e, stream, l->turn, out);
    }
    if (again && *chosen != INDEX_NONE && blocks_may_write(e, stream)) {
        out->bin = 0;
        out->by_plane = 0;
        out->strays = 0;
        if (lun_target(e, stream, *chosen, out)) {
            return true;
        }
    }
    *chosen = INDEX_NONE;
    if (!lanes_target(e, stream, 0, out)) {
        return false;
    }
    *chosen = e->blocks->planes.count != 0 ? out->lun / e->geo->part.planes : out->lun;
    return true;
}

uint32_t lanes_next_units(struct env* e, uint32_t stream)
{
    struct lane_target t;
    if (lanes_keyed(e)) { /* a page at least; whoever has units of a bin asks for its target */
        const bool room = e->blocks->planes.count != 0 || e->blocks->lanes.open[stream] != 0 ||
                          lanes_can_open(e, stream);
        return blocks_may_write(e, stream) && room ? e->geo->page_units : 0;
    }
    if (!any_target(e, stream, false, &t)) {
        return 0;
    }
    FW_ASSERT(e, t.planes != 0);
    const uint32_t most = blocks_planes_most(e, stream);
    return count_bits(few(t.planes, t.first, most)) * e->geo->page_units;
}

bool lanes_place(struct env* e, uint32_t stream, uint32_t wanted, struct write_unit* out)
{
    struct lanes* l = &e->blocks->lanes;
    struct lane_target t;
    const uint32_t most = blocks_planes_most(e, stream);
    const uint32_t asked = (wanted + e->geo->page_units - 1) / e->geo->page_units;
    FW_ASSERT(e, wanted >= 1);
    if (!any_target(e, stream, true, &t)) {
        return false;
    }
    l->turn = l->turn + 1 == l->bins ? 0 : l->turn + 1;
    return lanes_place_on(e, stream, t.lun, few(t.planes, t.first, asked < most ? asked : most),
                          out);
}
