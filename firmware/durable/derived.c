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
#include "firmware/map/maps_saved.h"
#include "firmware/map/modes.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"

bool replay_derive(struct env* e)
{
    struct recovery* v = e->recovery;
    if (!replay_derivable(e) || !maps_holds(e, 1) || hal_stopping(e->hal) || !replay_starves(e)) {
        return false;
    }
    hal_log(e->hal, HAL_LOG_WARN, "no room for map pages: derived; programs, free superblocks",
            v->highest - v->base, blocks_free(e));
    maps_empty_frames(e);
    replay_paged_touch(e);
    const bool shrunk = maps_shrink(e, 1);
    FW_ASSERT(e, shrunk);
    maps_derive(e, DERIVED_COUNTS);
    maps_derive_page(e, FTL_NONE);
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
    struct recovery* v = e->recovery;
    if (maps_deriving(e) == DERIVED_COUNTS && maps_all_counted(e)) {
        erase_empty(e);
        maps_derive(e, DERIVED_ERASES);
    }
    if (maps_deriving(e) != DERIVED_ERASES || blocks_leaving(e) != 0) {
        return;
    }
    maps_derive(e, DERIVED_SERVES);
    v->again = 1; /* for those who waited */
    const uint32_t least = RESERVE_FREE + blocks_for_level2(e);
    if (blocks_free(e) <= least) {
        hal_log(e->hal, HAL_LOG_WARN, "too little room for map pages: read only; free, needed",
                blocks_free(e), least + 1);
        ftl_spend(e);
        e->telemetry->spare_percent = 0; /* what is left cannot be used */
    }
}
