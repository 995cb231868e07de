/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/planes.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"

static struct plane_block* open_of(struct env* e, uint32_t stream, uint32_t lane)
{
    const struct planes* p = &e->blocks->planes;
    FW_ASSERT(e, stream < LANES_STREAMS && lane < p->count);
    return env_dram_entry(e, p->open, stream * p->count + lane, sizeof(struct plane_block));
}

static struct plane_end* end_of(const struct env* e, uint32_t stream, uint32_t lane)
{
    const struct planes* p = &e->blocks->planes;
    FW_ASSERT(e, stream < LANES_STREAMS && lane < p->count);
    return env_dram_entry(e, p->ends, stream * p->count + lane, sizeof(struct plane_end));
}

void planes_init(struct env* e, bool levels_wear)
{
    struct planes* p = &e->blocks->planes;
    const uint32_t lanes = part_lanes(e->geo);
    const uint64_t places = (uint64_t)LANES_STREAMS * lanes;
    const uint64_t map = ((uint64_t)lanes + 63) / 64 * sizeof(uint64_t);
    FW_ASSERT(e, geometry_planes(e->geo) && lanes != 0);
    p->count = lanes;
    p->streams = LANES_STREAMS - (levels_wear ? 0u : 1u);
    p->kept = RESERVE_FREE;
    p->open = dram_take(e, places * sizeof(struct plane_block));
    p->ends = dram_take(e, places * sizeof(struct plane_end));
    p->free = dram_take(e, lanes * sizeof(uint32_t));
    p->turns = dram_take(e, e->geo->part.luns * sizeof(uint32_t));
    p->work = dram_take(e, map);
    p->hope = dram_take(e, map);
    for (uint32_t n = 0; n < places && e->arenas->absent == 0; ++n) {
        ((struct plane_block*)env_dram(e, p->open))[n].block = INDEX_NONE;
        ((struct plane_end*)env_dram(e, p->ends))[n].block = INDEX_NONE;
    }
}

uint32_t planes_reserve(const struct env* e)
{
    const struct planes* p = &e->blocks->planes;
    FW_ASSERT(e, p->streams != 0);
    return p->count * (p->streams + RESERVE_FREE);
}

void planes_set_kept(struct env* e, uint32_t map_reserve)
{
    struct planes* p = &e->blocks->planes;
    FW_ASSERT(e, p->count != 0);
    p->kept = RESERVE_FREE + (map_reserve + p->count - 1) / p->count;
}

uint32_t planes_kept_from(const struct env* e, uint32_t stream)
{
    FW_ASSERT(e, stream < LANES_STREAMS);
    return stream == STREAM_GC ? 0 : e->blocks->planes.kept;
}

bool planes_can_take(struct env* e, uint32_t stream, uint32_t lane, uint32_t kept)
{
    FW_ASSERT(e, lane < e->blocks->planes.count);
    return open_of(e, stream, lane)->block != INDEX_NONE || planes_free(e)[lane] > kept;
}

bool planes_has_room(struct env* e, uint32_t stream, uint32_t lane)
{
    return planes_can_take(e, stream, lane, planes_kept_from(e, stream));
}

bool planes_waits(struct env* e, uint32_t stream, uint32_t lane)
{
    /* Preconditioning has nobody to wait for. */
    FW_ASSERT(e, lane < e->blocks->planes.count);
    const bool hopes = e->blocks->lanes.functional == 0 && bitmap_get(planes_hope(e), lane);
    return hopes && !planes_has_room(e, stream, lane);
}

uint64_t planes_room(struct env* e, uint32_t stream, uint32_t lane)
{
    const struct plane_block* b = open_of(e, stream, lane);
    const uint32_t kept = planes_kept_from(e, stream);
    const uint32_t free = planes_free(e)[lane];
    const uint64_t pages = b->block != INDEX_NONE ? e->geo->pages - b->next : 0;
    FW_ASSERT(e, b->block == INDEX_NONE || b->next < e->geo->pages);
    return (pages + (uint64_t)(free > kept ? free - kept : 0) * e->geo->pages) * e->geo->page_units;
}

uint32_t planes_for_moves(struct env* e, uint32_t stream, uint32_t lane, uint32_t kept)
{
    uint32_t best = lane;
    if (planes_can_take(e, stream, lane, kept)) {
        return lane;
    }
    FW_ASSERT(e, stream != STREAM_HOST);
    for (uint32_t other = 0; other < e->blocks->planes.count; ++other) {
        best = planes_room(e, stream, other) > planes_room(e, stream, best) ? other : best;
    }
    return planes_can_take(e, stream, best, kept) ? best : INDEX_NONE;
}

/* The one with the most room would be that which was collected last, again and again. */
uint32_t planes_next(struct env* e, uint32_t stream, uint32_t lun)
{
    const uint32_t planes = e->geo->part.planes;
    const uint32_t turn = ((const uint32_t*)env_dram(e, e->blocks->planes.turns))[lun];
    FW_ASSERT(e, lun < e->geo->part.luns && turn < planes);
    for (uint32_t n = 0; n < planes; ++n) {
        const uint32_t lane = lun * planes + (turn + n) % planes;
        if (planes_has_room(e, stream, lane)) {
            return lane;
        }
    }
    return INDEX_NONE;
}

void planes_place(struct env* e, uint32_t stream, uint32_t lane, struct write_unit* out)
{
    struct plane_block* b = open_of(e, stream, lane);
    if (b->block == INDEX_NONE) {
        b->block = blocks_open_in(e, stream, lane);
        b->next = 0;
    }
    out->block = b->block;
    out->page = b->next++;
    out->lun = 0;
    out->plane_mask = 1;
    out->units = e->geo->page_units;
    ++superblock_of(e, e->blocks, out->block)->pending;
    FW_ASSERT(e, out->page < e->geo->pages);
    if (stream == STREAM_HOST) {
        uint32_t* turns = env_dram(e, e->blocks->planes.turns);
        turns[lane / e->geo->part.planes] = (lane + 1) % e->geo->part.planes;
    }
    if (b->next == e->geo->pages) {
        b->block = INDEX_NONE;
        blocks_filled_up(e, out->block);
    }
}

void planes_retired(struct env* e, uint32_t block)
{
    const uint32_t lane = lane_of_block(e->geo, block);
    FW_ASSERT(e, block < e->geo->blocks);
    for (uint32_t stream = 0; stream < LANES_STREAMS; ++stream) {
        struct plane_block* b = open_of(e, stream, lane);
        if (b->block == block) {
            b->block = INDEX_NONE;
            blocks_filled_up(e, block);
        }
    }
}

bool planes_resume(struct env* e, uint32_t block, uint32_t end)
{
    const uint32_t lane = lane_of_block(e->geo, block);
    FW_ASSERT(e, end <= e->geo->pages);
    if (end == e->geo->pages || superblock_of(e, e->blocks, block)->good == 0) {
        return false;
    }
    for (uint32_t stream = 0; stream < e->blocks->planes.streams; ++stream) {
        struct plane_block* b = open_of(e, stream, lane);
        if (b->block == INDEX_NONE) {
            const struct plane_end found = {block, end};
            b->block = block;
            b->next = end;
            *end_of(e, stream, lane) = found;
            return true;
        }
    }
    return false;
}

static const struct plane_end* resumed_at(const struct env* e, uint32_t block)
{
    const uint32_t lane = lane_of_block(e->geo, block);
    FW_ASSERT(e, block < e->geo->blocks);
    for (uint32_t stream = 0; stream < e->blocks->planes.streams; ++stream) {
        const struct plane_end* at = end_of(e, stream, lane);
        if (at->block == block) {
            return at;
        }
    }
    return NULL;
}

bool planes_resumed(const struct env* e, uint32_t block)
{
    return resumed_at(e, block) != NULL;
}

bool planes_written(struct env* e, uint32_t block, uint32_t page)
{
    const struct plane_end* at = resumed_at(e, block);
    FW_ASSERT(e, page < e->geo->pages);
    return at == NULL || page < at->end;
}

_Static_assert(sizeof(struct plane_block) == ANCHOR_PLANE_BYTES, "docs/SPEC.md");

uint64_t planes_table_bytes(const struct env* e)
{
    FW_ASSERT(e, e->blocks->planes.count != 0);
    return (uint64_t)LANES_STREAMS * e->blocks->planes.count * sizeof(struct plane_block);
}

void planes_store(struct env* e, void* to)
{
    mem_copy(to, open_of(e, 0, 0), planes_table_bytes(e));
    FW_ASSERT(e, to != NULL);
}

void planes_load(struct env* e, const void* from)
{
    mem_copy(open_of(e, 0, 0), from, planes_table_bytes(e));
    FW_ASSERT(e, from != NULL);
}
