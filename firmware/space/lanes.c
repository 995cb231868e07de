/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/lanes.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/space/bad.h"
#include "firmware/space/planes.h"
#include "firmware/space/pool.h"
#include "models/regs/parts/placement.h"

uint16_t* lanes_words(struct env* e, uint64_t table)
{
    FW_ASSERT(e, table != 0 && e->blocks->lanes.kind != PLACEMENT_STRIPE);
    return (uint16_t*)env_dram(e, table);
}

struct lane_block* lanes_block(struct env* e, uint32_t stream, uint32_t n)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, stream < LANES_STREAMS && n < l->window);
    return env_dram_entry(e, l->blocks, stream * l->window + n, sizeof(struct lane_block));
}

uint16_t* lanes_next(struct env* e, uint32_t stream, uint32_t n)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, stream < LANES_STREAMS && n < l->window);
    return (uint16_t*)env_dram(e, l->next) + (uint64_t)(stream * l->window + n) * l->count;
}

uint16_t* lanes_counts(struct env* e)
{
    uint16_t* counts = lanes_words(e, e->blocks->lanes.counts);
    FW_ASSERT(e, e->blocks->lanes.bins != 0);
    mem_zero(counts, e->blocks->lanes.bins * sizeof *counts);
    return counts;
}

uint16_t* lanes_counts_of_all(struct env* e)
{
    uint16_t* counts = lanes_words(e, e->blocks->lanes.counts);
    FW_ASSERT(e, e->blocks->lanes.count != 0);
    mem_zero(counts, e->blocks->lanes.count * sizeof *counts);
    return counts;
}

static void init_order(struct env* e)
{
    const struct lanes* l = &e->blocks->lanes;
    uint16_t* lane_of = lanes_words(e, l->lane_of);
    uint16_t* bin_of = lanes_words(e, l->bin_of);
    for (uint32_t c = 0; c < l->count; ++c) {
        const struct placement_spot spot = placement_of(&l->shape, e->told.placement->order, c);
        const uint32_t lane = placement_lane(&l->shape, &spot);
        FW_ASSERT(e, lane < l->count);
        lane_of[c] = (uint16_t)lane;
        bin_of[lane] = (uint16_t)c;
    }
}

int lanes_init(struct env* e)
{
    const struct boot_placement* told = e->told.placement;
    struct lanes* l = &e->blocks->lanes;
    const struct geometry* g = e->geo;
    l->kind = told->kind;
    if (l->kind == PLACEMENT_STRIPE) {
        return 0;
    }
    const bool fits = geometry_planes(g) || !geometry_narrow(g);
    if (l->kind > PLACEMENT_ROUND_ROBIN || !fits || told->window == 0 ||
        told->window > PLACEMENT_WINDOW_MOST || told->dies_per_chip == 0 ||
        g->luns_per_channel % told->dies_per_chip != 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such placement; window", l->kind, told->window);
        return -1;
    }
    l->window = geometry_planes(g) ? 1 : told->window; /* planes.h: no superblock of many */
    l->count = part_lanes(g);
    l->shape.count[PLACE_CHANNEL] = g->channels;
    l->shape.count[PLACE_WAY] = g->luns_per_channel / told->dies_per_chip;
    l->shape.count[PLACE_DIE] = told->dies_per_chip;
    l->shape.count[PLACE_PLANE] = g->part.planes;
    l->bins = l->kind == PLACEMENT_STATIC       ? l->count
              : l->kind == PLACEMENT_CHANNEL_RR ? g->channels
                                                : 1;
    l->lane_of = dram_take(e, (uint64_t)l->count * sizeof(uint16_t));
    l->bin_of = dram_take(e, (uint64_t)l->count * sizeof(uint16_t));
    l->counts = dram_take(e, (uint64_t)l->count * sizeof(uint16_t));
    l->turns = dram_take(e, (uint64_t)(g->channels + g->part.luns) * sizeof(uint32_t));
    if (!geometry_planes(g)) {
        const uint64_t places = (uint64_t)LANES_STREAMS * l->window;
        l->blocks = dram_take(e, places * sizeof(struct lane_block));
        l->next = dram_take(e, places * l->count * sizeof(uint16_t));
        l->ends_of = dram_take(e, places * sizeof(uint32_t));
        l->ends = dram_take(e, places * l->count * sizeof(uint16_t));
    }
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    for (uint32_t n = 0; n < LANES_STREAMS; ++n) {
        l->chosen[n] = INDEX_NONE;
    }
    if (l->kind == PLACEMENT_STATIC) {
        run_hears_reads(e, DUE_BUFFER); /* programs of a LUN go where it had a read */
        init_order(e);
    }
    if (lanes_by_queues(e)) {
        run_hears_queues(e, DUE_GC | DUE_BUFFER | DUE_DURABLE); /* another LUN may be the next */
    }
    FW_ASSERT(e, l->count <= 0xFFFFu);
    return 0;
}

uint32_t lanes_window(const struct env* e)
{
    const struct lanes* l = &e->blocks->lanes;
    return l->window > 1 ? l->window - 1 : 0;
}

uint32_t lanes_reserve(const struct env* e, bool levels_wear)
{
    return lanes_window(e) * (LANES_STREAMS - (levels_wear ? 0u : 1u));
}

bool lanes_has(const struct env* e, uint32_t stream)
{
    FW_ASSERT(e, stream < STREAMS_ALL);
    return stream < LANES_STREAMS && e->blocks->lanes.kind != PLACEMENT_STRIPE;
}

bool lanes_keyed(const struct env* e)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->kind <= PLACEMENT_ROUND_ROBIN);
    return l->kind == PLACEMENT_STATIC || l->kind == PLACEMENT_CHANNEL_RR;
}

uint32_t lanes_bin(struct env* e, uint64_t unit)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->bins != 0 && unit < e->geo->user_units);
    return (uint32_t)((unit >> e->geo->unit_bits) % l->bins);
}

uint32_t lanes_bin_at(struct env* e, uint64_t address)
{
    const struct lanes* l = &e->blocks->lanes;
    const struct place p = address_place(e->geo, address);
    const struct place at = part_place(e->geo, &p);
    FW_ASSERT(e, at.lun < e->geo->part.luns && at.plane < e->geo->part.planes);
    if (l->kind == PLACEMENT_STATIC) {
        return lanes_words(e, l->bin_of)[at.lun * e->geo->part.planes + at.plane];
    }
    return l->kind == PLACEMENT_CHANNEL_RR ? at.lun % e->geo->channels : 0;
}

uint32_t lanes_lun_of(struct env* e, uint32_t bin)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, bin < l->bins);
    return l->kind == PLACEMENT_STATIC ? lanes_words(e, l->lane_of)[bin] / e->geo->part.planes
                                       : INDEX_NONE;
}

bool lanes_waits(struct env* e, uint32_t stream, uint32_t bin)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, bin < l->bins);
    return e->blocks->planes.count != 0 && l->kind == PLACEMENT_STATIC &&
           planes_waits(e, stream, lanes_words(e, l->lane_of)[bin]);
}

/* The second one and those behind it are for comfort. */
static uint32_t extra_kept(const struct env* e)
{
    const struct blocks* b = e->blocks;
    const uint32_t least = RESERVE_FREE + b->map_reserve;
    return b->kept > least ? b->kept : least;
}

bool lanes_can_open(struct env* e, uint32_t stream)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->open[stream] <= l->window);
    if (l->open[stream] == l->window || !blocks_may_open(e, stream)) {
        return false;
    }
    return l->open[stream] == 0 || e->blocks->free > extra_kept(e);
}

void lanes_open(struct env* e, uint32_t stream)
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

void lanes_close(struct env* e, uint32_t stream, uint32_t n)
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
    if (e->blocks->planes.count != 0) {
        planes_retired(e, block);
        return;
    }
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
                lanes_close(e, stream, n);
            }
            return;
        }
    }
    FW_ASSERT(e, block < e->geo->blocks && lun < e->geo->luns);
}

uint32_t lanes_found(struct env* e, uint32_t stream, uint32_t lane)
{
    FW_ASSERT(e, lane < e->blocks->lanes.count);
    for (uint32_t n = 0; n < e->blocks->lanes.open[stream]; ++n) {
        if (lanes_next(e, stream, n)[lane] < e->geo->pages) {
            return n;
        }
    }
    return INDEX_NONE;
}

uint32_t lanes_entry(struct env* e, uint32_t stream, uint32_t lane)
{
    const uint32_t n = lanes_found(e, stream, lane);
    FW_ASSERT(e, stream < LANES_STREAMS);
    if (n != INDEX_NONE || !lanes_can_open(e, stream)) {
        return n;
    }
    lanes_open(e, stream);
    return lanes_found(e, stream, lane);
}

bool lanes_lun_has_room(struct env* e, uint32_t stream, uint32_t lun)
{
    const uint32_t planes = e->geo->part.planes;
    const bool apart = e->blocks->planes.count != 0;
    FW_ASSERT(e, lun < e->geo->part.luns);
    for (uint32_t plane = 0; plane < planes; ++plane) {
        const uint32_t lane = lun * planes + plane;
        if (apart ? planes_has_room(e, stream, lane) : lanes_found(e, stream, lane) != INDEX_NONE) {
            return true;
        }
    }
    return !apart && lanes_can_open(e, stream);
}

/* ---- Power-up ---- */

static uint16_t* ends_at(struct env* e, uint32_t n)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, n < LANES_STREAMS * l->window);
    return (uint16_t*)env_dram(e, l->ends) + (uint64_t)n * l->count;
}

/* The fuller of two is the older. */
static void sort_last(struct env* e, uint32_t stream)
{
    const uint32_t lanes = e->blocks->lanes.count;
    FW_ASSERT(e, e->blocks->lanes.open[stream] != 0);
    for (uint32_t n = e->blocks->lanes.open[stream] - 1; n != 0; --n) {
        struct lane_block* a = lanes_block(e, stream, n - 1);
        struct lane_block* b = lanes_block(e, stream, n);
        if (a->taken >= b->taken) {
            break;
        }
        const struct lane_block block = *a;
        uint16_t* x = lanes_next(e, stream, n - 1);
        uint16_t* y = lanes_next(e, stream, n);
        *a = *b;
        *b = block;
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            const uint16_t page = x[lane];
            x[lane] = y[lane];
            y[lane] = page;
        }
    }
}

bool lanes_resume(struct env* e, uint32_t block, const uint16_t* ends)
{
    struct lanes* l = &e->blocks->lanes;
    const struct geometry* g = e->geo;
    uint32_t stream = 0;
    if (e->blocks->planes.count != 0) {
        return planes_resume(e, block, ends[0]);
    }
    while (stream < LANES_STREAMS && l->open[stream] == l->window) {
        ++stream;
    }
    if (stream == LANES_STREAMS) {
        return false;
    }
    const uint32_t n = l->open[stream];
    struct lane_block* b = lanes_block(e, stream, n);
    uint16_t* next = lanes_next(e, stream, n);
    b->block = block;
    b->taken = 0;
    b->left = 0;
    for (uint32_t lane = 0; lane < l->count; ++lane) {
        const uint32_t good = blocks_good_planes(e, block, lane / g->planes);
        const bool usable = ((good >> (lane % g->planes)) & 1u) != 0;
        FW_ASSERT(e, ends[lane] <= g->pages);
        next[lane] = usable ? ends[lane] : (uint16_t)g->pages;
        b->taken += usable ? ends[lane] * g->page_units : 0u;
        b->left += next[lane] < g->pages ? 1u : 0u;
    }
    if (b->left == 0) {
        return false;
    }
    ((uint32_t*)env_dram(e, l->ends_of))[l->resumed] = block;
    mem_copy(ends_at(e, l->resumed), ends, l->count * sizeof *ends);
    ++l->resumed;
    ++l->open[stream];
    sort_last(e, stream);
    return true;
}

bool lanes_resumed(const struct env* e, uint32_t block)
{
    const struct lanes* l = &e->blocks->lanes;
    const uint32_t* which = env_dram(e, l->ends_of);
    uint32_t found = 0;
    if (e->blocks->planes.count != 0) {
        return planes_resumed(e, block);
    }
    for (uint32_t n = 0; n < l->resumed; ++n) {
        found |= which[n] == block ? 1u : 0u;
    }
    return found != 0;
}

bool lanes_written(struct env* e, uint32_t block, uint32_t lane, uint32_t page)
{
    const struct lanes* l = &e->blocks->lanes;
    if (e->blocks->planes.count != 0) {
        return planes_written(e, block, page);
    }
    for (uint32_t n = 0; n < l->resumed; ++n) {
        if (((const uint32_t*)env_dram(e, l->ends_of))[n] == block) {
            return page < ends_at(e, n)[lane];
        }
    }
    return true;
}

/* ---- In the tables of an anchor record: for a clean shutdown ---- */

_Static_assert(sizeof(struct lane_block) == ANCHOR_LANES_BYTES, "docs/SPEC.md");

_Static_assert(sizeof(uint16_t) == ANCHOR_LANE_BYTES, "docs/SPEC.md");

static uint64_t one_bytes(const struct lanes* l)
{
    return sizeof(struct lane_block) + (uint64_t)l->count * sizeof(uint16_t);
}

uint64_t lanes_table_bytes(const struct env* e)
{
    const struct lanes* l = &e->blocks->lanes;
    FW_ASSERT(e, l->window <= PLACEMENT_WINDOW_MOST);
    if (e->blocks->planes.count != 0) {
        return planes_table_bytes(e);
    }
    return l->kind == PLACEMENT_STRIPE ? 0 : LANES_STREAMS * l->window * one_bytes(l);
}

void lanes_store(struct env* e, void* to)
{
    const struct lanes* l = &e->blocks->lanes;
    const struct lane_block none = {.block = INDEX_NONE};
    uint8_t* at = to;
    if (e->blocks->planes.count != 0) {
        planes_store(e, to);
        return;
    }
    for (uint32_t stream = 0; stream < LANES_STREAMS; ++stream) {
        for (uint32_t n = 0; n < l->window; ++n, at += one_bytes(l)) {
            const bool open = n < l->open[stream];
            mem_copy(at, open ? lanes_block(e, stream, n) : &none, sizeof none);
            mem_copy(at + sizeof none, lanes_next(e, stream, n), l->count * sizeof(uint16_t));
        }
    }
    FW_ASSERT(e, at == (uint8_t*)to + lanes_table_bytes(e));
}

void lanes_load(struct env* e, const void* from)
{
    struct lanes* l = &e->blocks->lanes;
    const uint8_t* at = from;
    if (e->blocks->planes.count != 0) {
        planes_load(e, from);
        return;
    }
    for (uint32_t stream = 0; stream < LANES_STREAMS; ++stream) {
        FW_ASSERT(e, l->open[stream] == 0 || l->window == 0);
        for (uint32_t n = 0; n < l->window; ++n, at += one_bytes(l)) {
            struct lane_block* b = lanes_block(e, stream, n);
            mem_copy(b, at, sizeof *b);
            mem_copy(lanes_next(e, stream, n), at + sizeof *b, l->count * sizeof(uint16_t));
            l->open[stream] += b->block != INDEX_NONE ? 1u : 0u;
        }
    }
    FW_ASSERT(e, at == (const uint8_t*)from + lanes_table_bytes(e));
}
