/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/capacity.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/bad.h"
#include "firmware/space/lanes.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "firmware/space/wear.h"

uint64_t blocks_needed(const struct env* e)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, g->luns != 0);
    return g->user_units + e->blocks->overhead +
           e->blocks->reserve * ((uint64_t)g->luns * g->pages * g->group);
}

/* Below this nothing can be collected any more: user data, the open superblocks and the reserve.
 * Once a drive is read only its spares do not come back, whatever was the reason. */
static void check_spares(struct env* e)
{
    if (e->telemetry->read_only != 0) {
        return;
    }
    if (e->blocks->capacity < blocks_needed(e)) {
        hal_log(e->hal, HAL_LOG_WARN, "spare blocks used up: read only; units left, needed",
                e->blocks->capacity, blocks_needed(e));
        e->telemetry->read_only = 1;
    }
    e->telemetry->spare_percent = blocks_spare_percent(e);
}

void blocks_retire(struct env* e, const struct erase_piece* piece, uint32_t why)
{
    struct superblock* s = superblock_of(e, e->blocks, piece->block);
    const uint32_t fresh =
        count_bits(piece->plane_mask & blocks_good_planes(e, piece->block, piece->lun));
    FW_ASSERT(e, (piece->plane_mask & ~e->geo->plane_all) == 0 && why < RETIRE_REASONS);
    FW_ASSERT(e, s->good >= fresh);
    if (fresh == 0) {
        return;
    }
    const uint32_t units = fresh * slc_pages(e, piece->block) * e->geo->page_units;
    blocks_mark_bad(e, piece->block, piece->lun, piece->plane_mask);
    s->good -= fresh;
    s->capacity -= units;
    e->blocks->capacity -=
        slc_fixed(e, piece->block) ? 0 : fresh * e->geo->pages * e->geo->page_units;
    e->telemetry->retired[why] += fresh;
    e->blocks->bad_changed = 1;
    run_due(e, DUE_DURABLE | DUE_HOST); /* a checkpoint tells of it, and an event may */
    lanes_retired(e, piece->block, piece->lun, piece->plane_mask);
    blocks_make_stale(e, piece->block, REFRESH_FAILED);
    blocks_count_erases(e);
    check_spares(e);
}

uint32_t blocks_spare_percent(const struct env* e)
{
    const struct blocks* b = e->blocks;
    const uint64_t needed = blocks_needed(e);
    FW_ASSERT(e, b->capacity <= b->capacity_first);
    if (b->capacity < needed) {
        return 0;
    }
    if (b->capacity_first == needed) {
        return 100;
    }
    return (uint32_t)((b->capacity - needed) * 100 / (b->capacity_first - needed));
}

void blocks_count_free(struct env* e)
{
    slc_count_all(e);
    if (e->blocks->planes.count != 0) {
        planes_count_free(e);
    }
    blocks_count_erases(e);
}

void blocks_count(struct env* e)
{
    struct blocks* b = e->blocks;
    const struct geometry* g = e->geo;
    FW_ASSERT(e, b->capacity == 0);
    for (uint32_t i = 0; i < g->blocks; ++i) {
        struct superblock* s = superblock_of(e, b, i);
        for (uint32_t lun = 0; lun < g->luns; ++lun) {
            s->good += count_bits(blocks_good_planes(e, i, lun));
        }
        const bool cache = slc_fixed(e, i);
        s->capacity = s->good * slc_pages(e, i) * g->page_units;
        b->capacity += cache ? 0 : s->good * g->pages * g->page_units;
        s->flags |= cache ? BLOCK_SLC : 0;
        s->state = s->good == 0 ? BLOCK_DEAD : BLOCK_FREE;
        s->stamp = b->stamp++;
    }
    b->capacity_first = b->capacity;
    blocks_count_free(e);
    check_spares(e);
}

/* ---- Room for maps ---- */

void blocks_make_room(struct env* e, const struct map_room* room)
{
    struct blocks* b = e->blocks;
    b->overhead = room->overhead;
    b->map_reserve = room->superblocks;
    b->map_above = room->level2;
    b->reserve += room->superblocks + room->garbage;
}

void blocks_spare_map_stream(struct env* e)
{
    e->blocks->map_stream = STREAM_MAP;
    e->blocks->reserve += e->blocks->streams - STREAM_MAP;
}

uint32_t blocks_map_streams_spared(const struct env* e)
{
    return e->blocks->map_stream == STREAM_MAP ? e->blocks->streams - STREAM_MAP : 0;
}

void blocks_assume(struct env* e, uint64_t capacity)
{
    e->blocks->capacity = capacity;
}
