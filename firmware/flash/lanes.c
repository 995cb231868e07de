/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/flash/lanes.h"

#include "firmware/flash/blocks.h"
#include "firmware/flash/blocks_single.h"
#include "firmware/flash/reserve.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"

static uint16_t* bins_at(struct env* e, uint64_t table)
{
    FW_ASSERT(e, table != 0 && e->blocks->lanes.kind != PLACEMENT_STRIPE);
    return (uint16_t*)env_dram(e, table);
}

struct lane_block* lanes_block(struct env* e, uint32_t stream, uint32_t n)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, stream < LANES_STREAMS && n < l->window);
    return (struct lane_block*)env_dram(e, l->blocks) + stream * l->window + n;
}

uint16_t* lanes_next(struct env* e, uint32_t stream, uint32_t n)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, stream < LANES_STREAMS && n < l->window);
    return (uint16_t*)env_dram(e, l->next) + (uint64_t)(stream * l->window + n) * l->count;
}

uint16_t* lanes_counts(struct env* e)
{
    uint16_t* counts = bins_at(e, e->blocks->lanes.counts);
    FW_ASSERT(e, e->blocks->lanes.bins != 0);
    mem_zero(counts, e->blocks->lanes.bins * sizeof *counts);
    return counts;
}

static void init_order(struct env* e)
{
    const struct lanes* l = &e->blocks->lanes;
    uint16_t* lane_of = bins_at(e, l->lane_of);
    uint16_t* bin_of = bins_at(e, l->bin_of);
    for (uint32_t c = 0; c < l->count; ++c) {
        const struct placement_spot spot = placement_of(&l->shape, l->order, c);
        const uint32_t lane = placement_lane(&l->shape, &spot);
        FW_ASSERT(e, lane < l->count);
        lane_of[c] = (uint16_t)lane;
        bin_of[lane] = (uint16_t)c;
    }
    FW_ASSERT(e, l->bins == l->count);
}

int lanes_init(struct env* e, const struct lanes_setup* setup)
{
    struct lanes* l = &e->blocks->lanes;
    const struct geometry* g = e->geo;
    l->kind = setup->kind;
    if (l->kind == PLACEMENT_STRIPE) {
        return 0;
    }
    if (l->kind > PLACEMENT_ROUND_ROBIN || geometry_narrow(g) || setup->window == 0 ||
        setup->window > PLACEMENT_WINDOW_MOST || setup->dies_per_chip == 0 ||
        g->luns_per_channel % setup->dies_per_chip != 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such placement; window", l->kind, setup->window);
        return -1;
    }
    l->order = setup->order;
    l->window = setup->window;
    l->count = g->luns * g->planes;
    l->shape.count[PLACE_CHANNEL] = g->channels;
    l->shape.count[PLACE_WAY] = g->luns_per_channel / setup->dies_per_chip;
    l->shape.count[PLACE_DIE] = setup->dies_per_chip;
    l->shape.count[PLACE_PLANE] = g->planes;
    l->bins = l->kind == PLACEMENT_STATIC       ? l->count
              : l->kind == PLACEMENT_CHANNEL_RR ? g->channels
                                                : 1;
    const uint64_t places = (uint64_t)LANES_STREAMS * l->window;
    l->lane_of = dram_take(e, (uint64_t)l->count * sizeof(uint16_t));
    l->bin_of = dram_take(e, (uint64_t)l->count * sizeof(uint16_t));
    l->counts = dram_take(e, (uint64_t)l->count * sizeof(uint16_t));
    l->blocks = dram_take(e, places * sizeof(struct lane_block));
    l->next = dram_take(e, places * l->count * sizeof(uint16_t));
    l->ends_of = dram_take(e, places * sizeof(uint32_t));
    l->ends = dram_take(e, places * l->count * sizeof(uint16_t));
    l->turns = dram_take(e, (uint64_t)(g->channels + g->luns) * sizeof(uint32_t));
    if (e->arenas->failed != 0) {
        return -1;
    }
    for (uint32_t n = 0; n < LANES_STREAMS; ++n) {
        l->chosen[n] = INDEX_NONE;
    }
    if (l->kind == PLACEMENT_STATIC) {
        init_order(e);
    }
    FW_ASSERT(e, l->count <= 0xFFFFu);
    return 0;
}

uint32_t lanes_window(const struct env* e)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->kind == PLACEMENT_STRIPE || l->window != 0);
    return l->window > 1 ? l->window - 1 : 0;
}

uint32_t lanes_reserve(const struct env* e, int levels_wear)
{
    return lanes_window(e) * (LANES_STREAMS - (levels_wear ? 0u : 1u));
}

int lanes_has(const struct env* e, uint32_t stream)
{
    FW_ASSERT(e, stream < STREAMS_MOST);
    return stream < LANES_STREAMS && e->blocks->lanes.kind != PLACEMENT_STRIPE;
}

int lanes_keyed(const struct env* e)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->kind <= PLACEMENT_ROUND_ROBIN);
    return l->kind == PLACEMENT_STATIC || l->kind == PLACEMENT_CHANNEL_RR;
}

uint32_t lanes_bin(struct env* e, uint64_t unit)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->bins != 0 && unit < e->geo->user_units);
    return (uint32_t)((unit >> e->geo->slot_bits) % l->bins);
}

uint32_t lanes_bin_at(struct env* e, uint64_t address)
{
    const struct lanes* l = &e->blocks->lanes;
    const struct place p = address_place(e->geo, address);
    FW_ASSERT(e, p.lun < e->geo->luns && p.plane < e->geo->planes);
    if (l->kind == PLACEMENT_STATIC) {
        return bins_at(e, l->bin_of)[p.lun * e->geo->planes + p.plane];
    }
    return l->kind == PLACEMENT_CHANNEL_RR ? p.lun % e->geo->channels : 0;
}

uint32_t lanes_lun_of(struct env* e, uint32_t bin)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, bin < l->bins);
    return l->kind == PLACEMENT_STATIC ? bins_at(e, l->lane_of)[bin] / e->geo->planes : INDEX_NONE;
}

/* ---- Superblocks of a stream ---- */

/* The second one and those behind it are for comfort. */
static uint32_t extra_kept(const struct env* e)
{
    const struct blocks* b = e->blocks;
    const uint32_t least = RESERVE_FREE + b->map_reserve;
    FW_ASSERT(e, b->lanes.window != 0);
    return b->kept > least ? b->kept : least;
}

static int can_open(struct env* e, uint32_t stream)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->open[stream] <= l->window);
    if (l->open[stream] == l->window || !blocks_may_open(e, stream)) {
        return 0;
    }
    return l->open[stream] == 0 || e->blocks->free > extra_kept(e);
}

static void open_superblock(struct env* e, uint32_t stream)
{
    struct lanes* l = &e->blocks->lanes;
    const uint32_t n = l->open[stream];
    const uint32_t block = blocks_open(e, stream);
    uint16_t* next = lanes_next(e, stream, n);
    struct lane_block* b = lanes_block(e, stream, n);
    b->block = block;
    b->taken = 0;
    b->left = 0;
    for (uint32_t lun = 0, lane = 0; lun < e->geo->luns; ++lun) {
        const uint32_t good = blocks_good_planes(e, block, lun);
        for (uint32_t plane = 0; plane < e->geo->planes; ++plane, ++lane) {
            const uint32_t usable = (good >> plane) & 1u;
            next[lane] = usable != 0 ? 0 : (uint16_t)e->geo->pages;
            b->left += usable;
        }
    }
    FW_ASSERT(e, b->left != 0);
    l->open[stream] = n + 1;
}

/* A superblock without room leaves the window; those behind it are the older ones now. */
static void close_superblock(struct env* e, uint32_t stream, uint32_t n)
{
    struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, n < l->open[stream] && lanes_block(e, stream, n)->left == 0);
    blocks_filled_up(e, lanes_block(e, stream, n)->block);
    for (uint32_t k = n + 1; k < l->open[stream]; ++k) {
        *lanes_block(e, stream, k - 1) = *lanes_block(e, stream, k);
        mem_copy(lanes_next(e, stream, k - 1), lanes_next(e, stream, k),
                 l->count * sizeof(uint16_t));
    }
    --l->open[stream];
}

void lanes_retired(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask)
{
    struct lanes* l = &e->blocks->lanes;
    for (uint32_t stream = 0; stream < LANES_STREAMS; ++stream) {
        for (uint32_t n = 0; n < l->open[stream]; ++n) {
            struct lane_block* b = lanes_block(e, stream, n);
            uint16_t* next = lanes_next(e, stream, n) + lun * e->geo->planes;
            if (b->block != block) {
                continue;
            }
            for (uint32_t rest = plane_mask; rest != 0; rest &= rest - 1) {
                const uint32_t plane = lowest_bit(rest);
                b->left -= next[plane] < e->geo->pages ? 1u : 0u;
                next[plane] = (uint16_t)e->geo->pages;
            }
            if (b->left == 0) {
                close_superblock(e, stream, n);
            }
            return;
        }
    }
    FW_ASSERT(e, block < e->geo->blocks && lun < e->geo->luns);
}

/* The oldest superblock of the window that the lane has room in, INDEX_NONE. */
static uint32_t found(struct env* e, uint32_t stream, uint32_t lane)
{
    FW_ASSERT(e, lane < e->blocks->lanes.count);
    for (uint32_t n = 0; n < e->blocks->lanes.open[stream]; ++n) {
        if (lanes_next(e, stream, n)[lane] < e->geo->pages) {
            return n;
        }
    }
    return INDEX_NONE;
}

/* The same, and another superblock is opened if there is none. */
static uint32_t entry_of(struct env* e, uint32_t stream, uint32_t lane)
{
    const uint32_t n = found(e, stream, lane);
    FW_ASSERT(e, stream < LANES_STREAMS);
    if (n != INDEX_NONE || !can_open(e, stream)) {
        return n;
    }
    open_superblock(e, stream);
    return found(e, stream, lane);
}

/* How far a lane is: page of its superblock, of older ones first; UINT64_MAX = it has no room. */
static uint64_t progress(struct env* e, uint32_t stream, uint32_t lane)
{
    const uint32_t n = found(e, stream, lane);
    FW_ASSERT(e, lane < e->blocks->lanes.count);
    return n == INDEX_NONE ? UINT64_MAX : ((uint64_t)n << 32) | lanes_next(e, stream, n)[lane];
}

int lanes_lun_has_room(struct env* e, uint32_t stream, uint32_t lun)
{
    FW_ASSERT(e, lun < e->geo->luns);
    for (uint32_t plane = 0; plane < e->geo->planes; ++plane) {
        if (found(e, stream, lun * e->geo->planes + plane) != INDEX_NONE) {
            return 1;
        }
    }
    return can_open(e, stream);
}

/* Planes that take a page together with this lane: the same page number of the same superblock,
 * which is the oldest that each of them has room in. */
static uint32_t joined(struct env* e, uint32_t stream, uint32_t lane)
{
    const struct geometry* g = e->geo;
    const uint32_t n = found(e, stream, lane);
    const uint32_t lun = lane / g->planes;
    FW_ASSERT(e, n != INDEX_NONE);
    if (g->multi_plane == 0) {
        return 1u << (lane - lun * g->planes);
    }
    const uint16_t* next = lanes_next(e, stream, n) + lun * g->planes;
    const uint32_t page = lanes_next(e, stream, n)[lane];
    uint32_t mask = 0;
    for (uint32_t plane = 0; plane < g->planes; ++plane) {
        const int here = next[plane] == page && found(e, stream, lun * g->planes + plane) == n;
        mask |= here ? 1u << plane : 0u;
    }
    return mask;
}

/* ---- Targets ---- */

/* That which was asked for, and others up to `most` in all. */
static uint32_t few(uint32_t planes, uint32_t first, uint32_t most)
{
    uint32_t mask = 1u << first;
    for (uint32_t rest = planes & ~mask; rest != 0 && count_bits(mask) < most; rest &= rest - 1) {
        mask |= rest & (0u - rest);
    }
    return mask;
}

static int aim(struct env* e, uint32_t stream, uint32_t lane, struct lane_target* out)
{
    if (entry_of(e, stream, lane) == INDEX_NONE) {
        return 0;
    }
    out->lun = lane / e->geo->planes;
    out->first = lane - out->lun * e->geo->planes;
    out->planes = joined(e, stream, lane);
    FW_ASSERT(e, ((out->planes >> out->first) & 1u) != 0);
    return 1;
}

/* Of the oldest superblock the lane that is the furthest behind, the next one in the order of
 * equals: it has room to spare, and what strays to a lane that has not would make its own units
 * stray. */
static uint32_t behind(struct env* e, uint32_t stream, uint32_t bin)
{
    const struct lanes* l = &e->blocks->lanes;
    const uint16_t* lane_of = bins_at(e, l->lane_of);
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

static int static_target(struct env* e, uint32_t stream, struct lane_target* out)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, out->bin < l->bins);
    if (aim(e, stream, bins_at(e, l->lane_of)[out->bin], out)) {
        out->by_plane = 1;
        return 1;
    }
    if (l->open[stream] == 0) {
        return 0;
    }
    out->strays = 1;
    const int found_one = aim(e, stream, behind(e, stream, out->bin), out);
    FW_ASSERT(e, found_one);
    out->planes = 1u << out->first;
    return found_one;
}

/* Of the LUN the plane that is the furthest behind. */
static int lun_target(struct env* e, uint32_t stream, uint32_t lun, struct lane_target* out)
{
    const uint32_t planes = e->geo->planes;
    uint32_t best = INDEX_NONE;
    uint64_t least = UINT64_MAX;
    FW_ASSERT(e, lun < e->geo->luns);
    for (uint32_t tries = 0; tries < 2 && best == INDEX_NONE; ++tries) {
        for (uint32_t plane = 0; plane < planes; ++plane) {
            const uint64_t page = progress(e, stream, lun * planes + plane);
            if (page < least) {
                least = page;
                best = plane;
            }
        }
        if (best == INDEX_NONE && can_open(e, stream)) {
            open_superblock(e, stream);
        }
    }
    return best != INDEX_NONE && aim(e, stream, lun * planes + best, out);
}

static int channel_target(struct env* e, uint32_t stream, uint32_t channel, struct lane_target* out)
{
    for (uint32_t tries = 0; tries <= e->blocks->lanes.window; ++tries) {
        const uint32_t lun = lanes_pick(e, stream, channel);
        if (lun == INDEX_NONE) {
            return 0;
        }
        if (lun_target(e, stream, lun, out)) {
            return 1;
        }
    }
    FW_ASSERT(e, channel == INDEX_NONE || channel < e->geo->channels);
    return 0;
}

int lanes_target(struct env* e, uint32_t stream, uint32_t bin, struct lane_target* out)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, lanes_has(e, stream) && bin < l->bins);
    out->bin = bin;
    out->by_plane = 0;
    out->strays = 0;
    if (!blocks_may_write(e, stream)) {
        return 0;
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
            return 1;
        }
    }
    return 0;
}

uint32_t lanes_ripe(struct env* e, uint32_t stream, uint32_t bin, const uint16_t* counts)
{
    const struct geometry* g = e->geo;
    const uint32_t most = g->multi_plane != 0 ? blocks_planes_most(e, stream) : 1;
    uint64_t least = UINT64_MAX;
    uint32_t lanes = 0;
    uint32_t full = 0;
    uint32_t ripe = bin;
    FW_ASSERT(e, bin < e->blocks->lanes.bins && counts[bin] >= g->slots);
    if (e->blocks->lanes.kind != PLACEMENT_STATIC) {
        return bin;
    }
    const uint32_t lane = bins_at(e, e->blocks->lanes.lane_of)[bin];
    for (uint32_t other = lane - lane % g->planes, n = 0; n < g->planes; ++n, ++other) {
        const uint32_t its = bins_at(e, e->blocks->lanes.bin_of)[other];
        const uint64_t page = progress(e, stream, other);
        if (page < least) {
            least = page;
            lanes = full = 0;
        }
        if (page == least && page != UINT64_MAX) {
            ++lanes;
            full += counts[its] >= g->slots ? 1u : 0u;
            ripe = counts[its] >= g->slots ? its : ripe;
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
        const uint32_t lane = bins_at(e, e->blocks->lanes.lane_of)[bin];
        const uint32_t plane = lane % planes;
        return lane / planes == t->lun && ((t->planes >> plane) & 1u) != 0 &&
                       filled[plane] < e->geo->slots
                   ? plane
                   : INDEX_NONE;
    }
    if (bin != t->bin) {
        return INDEX_NONE;
    }
    for (uint32_t rest = t->planes; rest != 0; rest &= rest - 1) {
        if (filled[lowest_bit(rest)] < e->geo->slots) {
            return lowest_bit(rest);
        }
    }
    return INDEX_NONE;
}

/* ---- Write units ---- */

/* Writes a page of each plane of the LUN. */
static void take(struct env* e, uint32_t stream, struct write_unit* out)
{
    const struct geometry* g = e->geo;
    const uint32_t lane = out->lun * g->planes;
    const uint32_t n = found(e, stream, lane + lowest_bit(out->plane_mask));
    FW_ASSERT(e, n != INDEX_NONE);
    struct lane_block* b = lanes_block(e, stream, n);
    uint16_t* next = lanes_next(e, stream, n) + lane;
    out->block = b->block;
    out->page = next[lowest_bit(out->plane_mask)];
    out->units = count_bits(out->plane_mask) * g->slots;
    for (uint32_t rest = out->plane_mask; rest != 0; rest &= rest - 1) {
        const uint32_t plane = lowest_bit(rest);
        FW_ASSERT(e, next[plane] == out->page);
        ++next[plane];
        b->left -= next[plane] == g->pages ? 1u : 0u;
    }
    b->taken += out->units;
    ++superblock_of(e, e->blocks, b->block)->pending;
    e->blocks->lanes.chosen[stream] = INDEX_NONE;
    lanes_picked(e, out->lun);
    if (b->left == 0) {
        close_superblock(e, stream, n);
    }
}

int lanes_place_on(struct env* e, uint32_t stream, uint32_t lun, uint32_t planes,
                   struct write_unit* out)
{
    FW_ASSERT(e, planes != 0 && (planes & ~e->geo->plane_all) == 0);
    if (!blocks_may_write(e, stream) ||
        entry_of(e, stream, lun * e->geo->planes + lowest_bit(planes)) == INDEX_NONE ||
        (planes & ~joined(e, stream, lun * e->geo->planes + lowest_bit(planes))) != 0) {
        return 0;
    }
    out->lun = lun;
    out->plane_mask = planes;
    take(e, stream, out);
    FW_ASSERT(e, out->units <= e->geo->group);
    return 1;
}

uint32_t lanes_next_planes(struct env* e, uint32_t stream, uint32_t lun, uint32_t first)
{
    const uint32_t lane = lun * e->geo->planes + first;
    FW_ASSERT(e, lun < e->geo->luns && first < e->geo->planes);
    if (!blocks_may_write(e, stream) || entry_of(e, stream, lane) == INDEX_NONE) {
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
    for (uint32_t n = 0; n < e->blocks->lanes.open[stream]; ++n) {
        const struct lane_block* b = lanes_block(e, stream, n);
        /* What was taken in blocks that went bad since counts twice: less room, never more. */
        const uint32_t capacity = superblock_of(e, e->blocks, b->block)->capacity;
        room += capacity > b->taken ? capacity - b->taken : 0;
    }
    return room;
}

/* Of any bin: LUNs that were not chosen stay chosen until they are written. */
static int any_target(struct env* e, uint32_t stream, int again, struct lane_target* out)
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
            return 1;
        }
    }
    *chosen = INDEX_NONE;
    if (!lanes_target(e, stream, 0, out)) {
        return 0;
    }
    *chosen = out->lun;
    return 1;
}

uint32_t lanes_next_units(struct env* e, uint32_t stream)
{
    struct lane_target t;
    if (lanes_keyed(e)) { /* a page at least; whoever has units of a bin asks for its target */
        const int room = e->blocks->lanes.open[stream] != 0 || can_open(e, stream);
        return blocks_may_write(e, stream) && room ? e->geo->slots : 0;
    }
    if (!any_target(e, stream, 0, &t)) {
        return 0;
    }
    FW_ASSERT(e, t.planes != 0);
    const uint32_t most = blocks_planes_most(e, stream);
    return count_bits(few(t.planes, t.first, most)) * e->geo->slots;
}

int lanes_place(struct env* e, uint32_t stream, uint32_t wanted, struct write_unit* out)
{
    struct lanes* l = &e->blocks->lanes;
    struct lane_target t;
    const uint32_t most = blocks_planes_most(e, stream);
    const uint32_t asked = (wanted + e->geo->slots - 1) / e->geo->slots;
    FW_ASSERT(e, wanted >= 1);
    if (!any_target(e, stream, 1, &t)) {
        return 0;
    }
    l->turn = l->turn + 1 == l->bins ? 0 : l->turn + 1;
    return lanes_place_on(e, stream, t.lun, few(t.planes, t.first, asked < most ? asked : most),
                          out);
}
