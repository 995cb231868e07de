/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/pool.h"

#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/slc.h"
#include "firmware/space/wear.h"

/* lane: of that plane, INDEX_NONE = of any. */
static uint32_t choose_free(struct env* e, uint32_t stream, uint32_t lane)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    const uint32_t first = lane == INDEX_NONE ? 0 : lane_first_block(e->geo, lane);
    const uint32_t step = lane == INDEX_NONE ? 1 : part_lanes(e->geo);
    const uint32_t mode = stream == STREAM_SLC ? BLOCK_SLC : 0;
    const bool dynamic = stream != STREAM_WEAR && wear_is_dynamic(e);
    uint32_t best = INDEX_NONE;
    FW_ASSERT(e, stream_exists(e->blocks, stream));
    for (uint32_t i = first; i < e->geo->blocks; i += step) {
        if (t[i].state != BLOCK_FREE || (t[i].flags & (BLOCK_SLC | BLOCK_TURNS)) != mode) {
            continue;
        }
        if (best == INDEX_NONE) {
            best = i;
            continue;
        }
        bool better = t[i].stamp < t[best].stamp;
        if (stream == STREAM_WEAR && t[i].erases != t[best].erases) {
            better = t[i].erases > t[best].erases;
        } else if (dynamic && t[i].erases != t[best].erases) {
            better = t[i].erases < t[best].erases;
        }
        best = better ? i : best;
    }
    FW_ASSERT(e, best == INDEX_NONE || t[best].valid == 0);
    return best;
}

uint32_t blocks_next_free(struct env* e)
{
    FW_ASSERT(e, e->blocks->free != 0 && e->blocks->planes.count == 0);
    return choose_free(e, STREAM_HOST, INDEX_NONE);
}

/* A free superblock becomes an open one. */
static uint32_t take_free(struct env* e, uint32_t stream, uint32_t lane)
{
    struct blocks* b = e->blocks;
    const uint32_t i = choose_free(e, stream, lane);
    FW_ASSERT(e, i != INDEX_NONE);
    struct superblock* s = superblock_of(e, b, i);
    FW_ASSERT(e, s->state == BLOCK_FREE && s->pending == 0);
    s->state = BLOCK_OPEN;
    s->role = BLOCK_PAGES;
    slc_count_free(e, i, -1);
    if (b->planes.count != 0) {
        planes_taken(e, i);
    }
    return i;
}

/* Of a stream that is in no plane. */
static uint32_t take_any(struct env* e, uint32_t stream)
{
    FW_ASSERT(e, e->blocks->free != 0 || stream == STREAM_SLC);
    return take_free(e, stream, e->blocks->planes.count != 0 ? planes_roomiest(e) : INDEX_NONE);
}

uint32_t blocks_take(struct env* e, uint32_t kept)
{
    FW_ASSERT(e, e->blocks->closed != BLOCKS_MAPS_ONLY);
    if (e->blocks->closed == BLOCKS_CLOSED) {
        blocks_knock(e);
        return INDEX_NONE;
    }
    return e->blocks->free > kept ? take_any(e, STREAM_GC) : INDEX_NONE;
}

void blocks_filled_up(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_OPEN);
    s->state = BLOCK_FULL;
    s->changed = e->blocks->invalidations;
    run_due(e, DUE_GC); /* it may move now */
    if (s->erases < e->blocks->wear.least && (s->flags & BLOCK_SLC) == 0) {
        e->blocks->wear.least = s->erases;
    }
}

/* The last free superblocks belong to collection, which gives more back than it takes. */
static uint32_t kept_from(const struct blocks* b, uint32_t stream)
{
    switch (stream) {
    case STREAM_HOST:
        return b->kept;
    case STREAM_GC:
        return 0;
    case STREAM_WEAR:
        return RESERVE_FREE + b->map_reserve;
    default:
        if (stream_is_directed(stream)) {
            return b->kept;
        }
        if (((b->relocating >> (stream - STREAM_MAP)) & 1u) != 0) {
            return 0;
        }
        if (b->planes.count != 0) {
            return b->planes.count; /* one in each plane, more or less */
        }
        return b->map_kept + (stream == STREAM_MAP ? b->map_above : 0);
    }
}

bool blocks_may_open(const struct env* e, uint32_t stream)
{
    FW_ASSERT(e, stream_exists(e->blocks, stream));
    return stream == STREAM_SLC ? e->slc->free != 0
                                : e->blocks->free > kept_from(e->blocks, stream);
}

uint32_t blocks_open(struct env* e, uint32_t stream)
{
    FW_ASSERT(e, blocks_may_open(e, stream));
    return take_any(e, stream);
}

uint32_t blocks_open_in(struct env* e, uint32_t stream, uint32_t lane)
{
    FW_ASSERT(e, planes_free(e)[lane] != 0);
    return take_free(e, stream, lane);
}

/* ---- Who may write ---- */

/* true = map pages go there. */
static bool takes_maps(const struct blocks* b, uint32_t stream)
{
    return stream == b->map_stream || (stream >= STREAM_MAP && !stream_is_directed(stream));
}

bool blocks_may_write(struct env* e, uint32_t stream)
{
    struct blocks* b = e->blocks;
    FW_ASSERT(e, stream_exists(b, stream));
    if (b->closed == BLOCKS_CLOSED || (b->closed == BLOCKS_MAPS_ONLY && !takes_maps(b, stream))) {
        blocks_knock(e);
        return false;
    }
    return true;
}

uint32_t blocks_planes_most(const struct env* e, uint32_t stream)
{
    FW_ASSERT(e, stream_exists(e->blocks, stream));
    return stream == STREAM_HOST || stream_is_directed(stream) ? e->blocks->planes_most
                                                               : e->geo->planes;
}

/* ---- What has to move ---- */

void blocks_make_stale(struct env* e, uint32_t block, uint32_t why)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, why < REFRESH_REASONS);
    if ((s->state != BLOCK_OPEN && s->state != BLOCK_FULL) || (s->flags & BLOCK_STALE) != 0) {
        return; /* nothing in it, or moving already */
    }
    s->flags |= BLOCK_STALE;
    ++e->blocks->stale;
    run_due(e, DUE_GC);
    if (e->blocks->planes.count != 0) {
        planes_stale(e, block);
    }
    ++e->telemetry->refresh_reasons[why];
}

void blocks_refreshing(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_VICTIM);
    if ((s->flags & BLOCK_STALE) != 0) {
        FW_ASSERT(e, e->blocks->stale > 0);
        s->flags = (uint8_t)(s->flags & ~BLOCK_STALE);
        --e->blocks->stale;
    }
}
