/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes at power-up. Each stream gets back as many superblocks as its window has; which of them had
 * which does not matter. Each lane goes on where its pages end, so that nothing is lost of them.
 */
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/space/blocks.h"
#include "firmware/space/lanes_parts.h"

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
    FW_ASSERT(e, l->resumed <= LANES_STREAMS * l->window);
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
    FW_ASSERT(e, l->resumed <= LANES_STREAMS * l->window);
    for (uint32_t n = 0; n < l->resumed; ++n) {
        if (((const uint32_t*)env_dram(e, l->ends_of))[n] == block) {
            return page < ends_at(e, n)[lane];
        }
    }
    FW_ASSERT(e, l->kind == PLACEMENT_STRIPE || lane < l->count);
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
