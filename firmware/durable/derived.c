/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay without room for the map pages that it changes. Nothing can be erased before all maps have
 * been read, and that takes a drive that serves. So nothing is written: the window stays in memory,
 * and is applied to a page each time it comes in (maps_frames.h). What the flash holds stays as it
 * is; a power-up after another cut finds the same.
 *
 * Until all pages have been counted, and what holds nothing valid has been erased, nobody changes
 * the map: what changes stays in memory until it has been written. If that gives too little room
 * the drive may only be read. Else the next checkpoint writes the derived pages, and all is as
 * after any other power-up.
 */
#include "firmware/durable/derived.h"

#include "firmware/durable/paged.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/modes.h"
#include "firmware/space/blocks.h"
#include "firmware/space/blocks_single.h"
#include "firmware/space/reserve.h"

/* Nothing of what is in the frames need stay, nor do the copies that wait for room. */
static void drop_frames(struct env* e)
{
    struct maps* m = e->maps;
    struct map_frames* f = &m->frames;
    const uint32_t* pages = env_dram(e, f->page);
    maps_recall(e);
    for (uint32_t i = 0; i < f->all; ++i) {
        const uint32_t page = pages[i];
        if (page == INDEX_NONE) {
            continue;
        }
        uint8_t* flags = maps_flags(e, m, 1, page);
        if ((*flags & MAP_DIRTY) != 0) {
            --m->level[1].dirty;
            maps_buffer_differs(e, 1, page, -1);
        }
        f->wanted -= (*flags & MAP_PUT) != 0 ? 1u : 0u;
        *flags = (uint8_t)(*flags & ~(MAP_DIRTY | MAP_PUT));
        maps_drop_frame(e, 1, page);
    }
    FW_ASSERT(e, f->wanted == 0 && m->level[1].dirty == 0);
}

bool replay_derive(struct env* e)
{
    struct recovery* v = e->recovery;
    struct maps* m = e->maps;
    if (!replay_derivable(e) || m->frames.holding == 0 || hal_stopping(e->hal) ||
        !replay_starves(e)) {
        return false;
    }
    hal_log(e->hal, HAL_LOG_WARN, "no room for map pages: derived; programs, free superblocks",
            v->highest - v->base, blocks_free(e));
    drop_frames(e);
    replay_paged_touch(e);
    const bool shrunk = maps_shrink(e, 1);
    FW_ASSERT(e, shrunk);
    m->frames.derived = DERIVED_COUNTS;
    m->frames.now = FTL_NONE;
    v->trims_end = v->journal.open;
    return shrunk;
}

static void erase_empty(struct env* e)
{
    FW_ASSERT(e, maps_all_counted(e));
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        if (s->state == BLOCK_FULL && s->valid == 0 && s->pending == 0) {
            blocks_discard(e, i, FLASH_PURPOSE_RECOVERY);
        }
    }
}

void derived_step(struct env* e)
{
    struct map_frames* f = &e->maps->frames;
    struct recovery* v = e->recovery;
    if (f->derived == DERIVED_COUNTS && maps_all_counted(e)) {
        erase_empty(e);
        f->derived = DERIVED_ERASES;
    }
    if (f->derived != DERIVED_ERASES || blocks_leaving(e) != 0) {
        return;
    }
    f->derived = DERIVED_SERVES;
    v->again = 1; /* for those who waited */
    const uint32_t least = RESERVE_FREE + blocks_for_level2(e);
    if (blocks_free(e) <= least) {
        hal_log(e->hal, HAL_LOG_WARN, "too little room for map pages: read only; free, needed",
                blocks_free(e), least + 1);
        ftl_spend(e);
        e->telemetry->spare_percent = 0; /* what is left cannot be used */
    }
}
