/* SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks at power-up: write pointers as recovery finds them.
 */
#include "firmware/space/resume.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/space/bad.h"
#include "firmware/space/lanes.h"
#include "firmware/space/slc.h"

static void resume_lun(struct env* e, uint32_t block, uint32_t lun, const uint16_t* ends,
                       struct write_pointer* out)
{
    const uint32_t good = blocks_good_planes(e, block, lun);
    uint32_t low = e->geo->pages;
    uint32_t high = 0;
    for (uint32_t rest = good; rest != 0; rest &= rest - 1) {
        const uint32_t end = ends[lun * e->geo->planes + lowest_bit(rest)];
        low = end < low ? end : low;
        high = end > high ? end : high;
    }
    out->page = (uint16_t)low;
    out->used = 0;
    for (uint32_t rest = good; rest != 0; rest &= rest - 1) {
        const uint32_t plane = lowest_bit(rest);
        out->used |= (uint8_t)(ends[lun * e->geo->planes + plane] > low ? 1u << plane : 0);
    }
    /* Planes more than a page apart: the one behind was being erased, or is torn throughout. */
    out->ended = good == 0 || low >= e->geo->pages || high > low + 1;
}

/* As many streams as wrote may find their superblocks again; which of them had which does not
 * matter but for maps, whose superblock is hard to tell only if all of its pages are torn. Where
 * each level has superblocks of its own it keeps them. INDEX_NONE = none takes it. */
static uint32_t stream_for(const struct env* e, uint32_t maps)
{
    const struct blocks* b = e->blocks;
    const bool levels = b->streams > STREAMS;
    const uint32_t level = levels && maps != 0 ? maps - 1 : 0;
    const uint32_t first = maps != 0 ? b->map_stream + level : STREAM_HOST;
    const uint32_t count = b->map_stream == STREAM_MAP && !levels ? STREAMS : STREAM_MAP;
    if (first >= b->streams) {
        return INDEX_NONE; /* no such level: the drive writes none */
    }
    if (b->apart != 0 || (levels && maps != 0)) { /* likewise a log block is the host's only */
        return b->stream[first].block == INDEX_NONE ? first : INDEX_NONE;
    }
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t stream = (first + n) % count;
        if (b->stream[stream].block == INDEX_NONE && !lanes_has(e, stream)) {
            return stream;
        }
    }
    for (uint32_t n = STREAM_DIRECTED; maps == 0 && n < STREAM_DIRECTED + b->directed; ++n) {
        if (b->stream[n].block == INDEX_NONE) {
            return n;
        }
    }
    return INDEX_NONE;
}

/* The stream that goes on with a superblock where its pages ended, NULL = none. */
static const struct stream* resumed_by(const struct env* e, uint32_t block)
{
    const struct blocks* b = e->blocks;
    FW_ASSERT(e, block < e->geo->blocks && b->directed <= RESERVE_DIRECTED_MOST);
    for (uint32_t n = 0; n < STREAM_DIRECTED + b->directed; ++n) {
        if ((n < b->streams || n >= STREAM_DIRECTED) && b->stream[n].ends_of == block) {
            return &b->stream[n];
        }
    }
    return NULL;
}

void blocks_resume(struct env* e, uint32_t block, const uint16_t* ends)
{
    struct blocks* b = e->blocks;
    struct superblock* s = superblock_of(e, b, block);
    FW_ASSERT(e, s->state == BLOCK_FULL || s->state == BLOCK_OPEN);
    s->state = BLOCK_FULL;
    if (slc_holds(e, block) || e->geo->word_line != 0) {
        return; /* what is left of it comes back when it is folded, or collected */
    }
    if (lanes_has(e, s->maps != 0 ? b->map_stream : STREAM_HOST)) {
        s->state = lanes_resume(e, block, ends) ? BLOCK_OPEN : BLOCK_FULL;
        return;
    }
    const uint32_t n = stream_for(e, s->maps);
    if (n == INDEX_NONE) {
        return;
    }
    struct stream* st = &b->stream[n];
    struct write_pointer* w = env_dram(e, st->pointers);
    st->pages = e->geo->pages;
    st->cursor = 0;
    st->luns_left = 0;
    st->taken = 0;
    for (uint32_t lun = 0; lun < e->geo->luns; ++lun) {
        resume_lun(e, block, lun, ends, &w[lun]);
        st->luns_left += w[lun].ended ? 0u : 1u;
        st->taken += count_bits(blocks_good_planes(e, block, lun)) * e->geo->page_units *
                     (w[lun].ended ? e->geo->pages : w[lun].page);
    }
    if (st->luns_left != 0) {
        st->block = block;
        st->ends_of = block;
        mem_copy(env_dram(e, st->ends), ends,
                 (uint64_t)e->geo->luns * e->geo->planes * sizeof *ends);
        s->state = BLOCK_OPEN;
    }
}

bool blocks_written(struct env* e, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    if (!lanes_written(e, p.block, p.lun * e->geo->planes + p.plane, p.page)) {
        return false;
    }
    const struct stream* st = resumed_by(e, p.block);
    FW_ASSERT(e, p.block < e->geo->blocks);
    return st == NULL ||
           p.page < ((const uint16_t*)env_dram(e, st->ends))[p.lun * e->geo->planes + p.plane];
}

bool blocks_all_written(const struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return !lanes_resumed(e, block) && resumed_by(e, block) == NULL;
}

bool blocks_anchor_reaches(const struct env* e, uint32_t block, uint32_t lun, uint32_t plane)
{
    const struct geometry* g = e->geo;
    const uint32_t reach = ANCHOR_REACH * ANCHOR_SPAN;
    const uint32_t middle = g->part.blocks / 2;
    const struct place p = {.block = block, .lun = lun, .plane = plane};
    const struct place at = part_place(g, &p);
    const bool above = at.block >= middle && at.block - middle < reach;
    FW_ASSERT(e, block < g->blocks && lun < g->luns);
    if (reserve_small(g->part.luns, g->part.planes)) {
        return above;
    }
    const bool below = at.block < middle && middle - at.block <= reach;
    return at.plane == 0 && ((at.lun == 0 && above) || (at.lun == g->part.luns - 1 && below));
}

/* ---- In the tables of an anchor record ---- */

struct saved_stream {
    uint32_t block;
    uint32_t cursor;
    uint32_t taken;
    uint32_t luns_left;
};

_Static_assert(sizeof(struct saved_stream) == ANCHOR_STREAM_BYTES, "docs/SPEC.md");

_Static_assert(sizeof(struct write_pointer) == ANCHOR_POINTER_BYTES, "docs/SPEC.md");

_Static_assert(STREAMS == ANCHOR_STREAMS, "docs/SPEC.md");

static uint64_t pointers_bytes(const struct env* e)
{
    return (uint64_t)e->geo->luns * sizeof(struct write_pointer);
}

uint64_t streams_bytes(const struct env* e)
{
    return e->blocks->streams * (sizeof(struct saved_stream) + pointers_bytes(e)) +
           lanes_table_bytes(e);
}

void streams_store(struct env* e, uint8_t* to)
{
    for (uint32_t n = 0; n < e->blocks->streams; ++n) {
        const struct stream* st = &e->blocks->stream[n];
        const struct saved_stream saved = {.block = e->geo->word_line != 0 ? INDEX_NONE : st->block,
                                           .cursor = st->cursor,
                                           .taken = st->taken,
                                           .luns_left = st->luns_left};
        mem_copy(to, &saved, sizeof saved);
        mem_copy(to + sizeof saved, env_dram(e, st->pointers), pointers_bytes(e));
        to += sizeof saved + pointers_bytes(e);
    }
    lanes_store(e, to);
}

void streams_load(struct env* e, const uint8_t* from)
{
    for (uint32_t n = 0; n < e->blocks->streams; ++n) {
        struct stream* st = &e->blocks->stream[n];
        struct saved_stream saved;
        mem_copy(&saved, from, sizeof saved);
        st->block = saved.block;
        st->cursor = saved.cursor;
        st->taken = saved.taken;
        st->luns_left = saved.luns_left;
        mem_copy(env_dram(e, st->pointers), from + sizeof saved, pointers_bytes(e));
        from += sizeof saved + pointers_bytes(e);
    }
    lanes_load(e, from);
}
